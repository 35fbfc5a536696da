// Evalstore itself: the built server of a checkout as a child process, asked over HTTP.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectSound, type CheckedData } from '../check-data.js';
import type { Question } from '../questions/question.js';
import { bulkConnections, insertInBulk } from '../ingest/bulk.js';
import type { AnswerRow, Contender, Ingester, Stored, Surroundings } from './contender.js';
import { connect, type EvalstoreClient } from './evalstore-client.js';
import { startProcess, type ServerProcess } from './server-process.js';

export const connectionKey = 'bench-key-of-contenders';

/** Rows are buffered for no longer than this, so that what is asked is a server at rest. */
const flushSeconds = 10;
/** A server that uses no more CPU time in so many seconds has nothing left to do. */
const quietSeconds = 10;
const quietCpuSeconds = 0.1;

/** What only Evalstore is asked: how its process behaves. */
export interface Evalstore extends Contender {
  /** The address of the process that runs now. */
  readonly url: () => string;
  readonly client: () => EvalstoreClient;
  /** The id of a new project, whose logs take events. */
  readonly createProject: (name: string) => Promise<string>;
  readonly projectId: string;
  readonly memoryMb: ServerProcess['memoryMb'];
  /** Ends the process one way or the other, starts it again, and returns the seconds until it serves. */
  readonly restart: (how: 'stop' | 'kill') => Promise<number>;
  /** Stops the process, throws an Error when `check-data` finds a problem, and starts it again. */
  readonly check: () => Promise<CheckedData>;
}

async function bytesBelow(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true });
  const sizes = await Promise.all(
    names.map(async (name) => {
      const entry = await stat(path.join(directory, name));
      return entry.isFile() ? entry.size : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const startServer = (surroundings: Surroundings): Promise<ServerProcess> =>
  startProcess(path.join(surroundings.root, 'dist/server/evalstore.cjs'), {
    EVALSTORE_PORT: '0',
    EVALSTORE_DATA_DIR: path.join(surroundings.directory, 'data'),
    EVALSTORE_API_KEY: connectionKey,
    EVALSTORE_LOG_LEVEL: 'error',
    EVALSTORE_QUERY_MEMORY_MB: String(surroundings.memoryMb),
    EVALSTORE_QUERY_THREADS: String(surroundings.threads),
    EVALSTORE_QUERY_TIMEOUT_SECONDS: '600',
    EVALSTORE_FLUSH_SECONDS: String(flushSeconds),
  });

/** Waits until the last rows are in segments and the server does nothing more in the background. */
async function settle(server: ServerProcess): Promise<void> {
  await sleep((flushSeconds + quietSeconds) * 1000);
  for (let before = -1, now = await server.cpuSeconds(); now - before > quietCpuSeconds;) {
    await sleep(quietSeconds * 1000);
    [before, now] = [now, await server.cpuSeconds()];
  }
}

/** The texts of JSON columns, as the other contenders give them. */
function asText(question: Question, row: AnswerRow): AnswerRow {
  const entries = Object.entries(row).map(
    ([name, value]) =>
      [
        name,
        question.columns[name] === 'json' && value !== null ? JSON.stringify(value) : value,
      ] as const,
  );
  return Object.fromEntries(entries);
}

function openIngester(projectId: string, client: EvalstoreClient): Ingester {
  const query = `from: project_logs('${projectId}') | measures: count(1) as rows, count(metrics.end) as ended`;
  return {
    send: (event) => client.post(`/v1/project_logs/${projectId}/insert`, `{"events":[${event}]}`),
    stored: async () => {
      const answer = await client.post('/query', JSON.stringify({ query }));
      return (answer as { readonly data: readonly [Stored] }).data[0];
    },
    close: () => client.close(),
  };
}

async function readVersion(root: string): Promise<string> {
  const text = await readFile(path.join(root, 'package.json'), 'utf8');
  return `Evalstore ${(JSON.parse(text) as { version: string }).version}`;
}

export async function openEvalstore(surroundings: Surroundings): Promise<Evalstore> {
  let server = await startServer(surroundings);
  let client = connect(server.url, connectionKey, bulkConnections);
  const end = async (how: 'stop' | 'kill') => {
    await client.close();
    await server[how]();
  };
  const start = async () => {
    server = await startServer(surroundings);
    client = connect(server.url, connectionKey, bulkConnections);
  };
  const createProject = async (name: string) => {
    const project = await client.post('/v1/project', JSON.stringify({ name }));
    return (project as { id: string }).id;
  };
  const projectId = await createProject('bench');
  const query = (text: string, format: string) =>
    JSON.stringify({ query: `from: project_logs('${projectId}') | ${text}`, fmt: format });
  return {
    name: 'evalstore',
    title: 'Evalstore',
    version: await readVersion(surroundings.root),
    projectId,
    url: () => server.url,
    client: () => client,
    createProject,
    insert: (dataset) =>
      insertInBulk(dataset, (body) => client.post(`/v1/project_logs/${projectId}/insert`, body)),
    settle: () => settle(server),
    openIngester: async (connections) =>
      openIngester(
        await createProject(`ingest ${randomUUID()}`),
        connect(server.url, connectionKey, connections),
      ),
    answer: async (question) => {
      const answer = await client.post('/query', query(question.evalstore, 'json'));
      return (answer as { data: readonly AnswerRow[] }).data.map((row) => asText(question, row));
    },
    exportParquet: (file) => client.download('/query', query('select: *', 'parquet'), file),
    bytesOnDisk: () => bytesBelow(path.join(surroundings.directory, 'data')),
    memoryMb: (which) => server.memoryMb(which),
    restart: async (how) => {
      await end(how);
      await start();
      return server.startSeconds;
    },
    check: async () => {
      await settle(server);
      await end('stop');
      const directory = path.join(surroundings.directory, 'data');
      return expectSound(surroundings.root, directory).finally(start);
    },
    close: () => end('stop'),
  };
}
