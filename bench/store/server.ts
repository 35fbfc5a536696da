// The built server over a data directory that outlives it, and what its process and files weigh.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type EvalstoreClient } from '../contenders/evalstore-client.js';
import { startProcess, type ServerProcess } from '../contenders/server-process.js';

const key = 'bench-key-of-contenders';
const projectName = 'bench';
/** The first steps of a large compaction leave no trace in the files: on a busy machine they take longer than 20 s. */
const settledAfterMs = 60_000;

export interface StoreServer extends ServerProcess {
  readonly client: EvalstoreClient;
  readonly connectClient: (connections: number) => EvalstoreClient;
  readonly projectId: string;
  readonly key: string;
  readonly dataDirectory: string;
}

/**
 * `root` is the checkout with the built server; `logged` gets each line of its log.
 * @param module what is started instead of the server's own entry, with the checkout as its argument
 */
export async function startStore(
  root: string,
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {},
  logged?: (line: string) => void,
  module?: string,
): Promise<StoreServer> {
  const settings = {
    EVALSTORE_PORT: '0',
    EVALSTORE_DATA_DIR: dataDirectory,
    EVALSTORE_API_KEY: key,
    EVALSTORE_LOG_LEVEL: 'error',
    ...environment,
  };
  const entry = module ?? path.join(root, 'dist/server/evalstore.cjs');
  const server = await startProcess(entry, settings, logged, module === undefined ? [] : [root]);
  const connectClient = (connections: number) => connect(server.url, key, connections);
  const client = connectClient(1);
  const project = await client.post('/v1/project', JSON.stringify({ name: projectName }));
  return {
    ...server,
    client,
    connectClient,
    projectId: (project as { readonly id: string }).id,
    key,
    dataDirectory,
    stop: async () => {
      await client.close();
      await server.stop();
    },
    kill: async () => {
      await server.kill();
      await client.close();
    },
  };
}

/** Sizes of the files below `directory` by their names; a file that goes meanwhile counts as none. */
async function fileSizes(directory: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const sizes = new Map<string, number>();
  for (const name of names) {
    const entry = await stat(path.join(directory, name)).catch(() => null);
    if (entry?.isFile() === true) sizes.set(name, entry.size);
  }
  return sizes;
}

const megabyte = 2 ** 20;

/** The database and its log, which have to stay small however much is stored. */
export async function databaseMb(dataDirectory: string): Promise<number> {
  const sizes = await Promise.all(
    ['meta.duckdb', 'meta.duckdb.wal'].map(async (name) => {
      const entry = await stat(path.join(dataDirectory, name)).catch(() => null);
      return entry?.size ?? 0;
    }),
  );
  return (sizes[0]! + sizes[1]!) / megabyte;
}

export async function directoryMb(directory: string): Promise<number> {
  const sizes = await fileSizes(directory);
  return [...sizes.values()].reduce((sum, size) => sum + size, 0) / megabyte;
}

/** Until flushes and compactions have left the files alone for a while. */
export async function untilSettled(dataDirectory: string): Promise<void> {
  const segments = path.join(dataDirectory, 'segments');
  let before = '';
  for (let since = performance.now(); performance.now() - since < settledAfterMs;) {
    await sleep(250);
    const now = JSON.stringify([...(await fileSizes(segments))]);
    if (now !== before) since = performance.now();
    before = now;
  }
}
