// npm run bench -- cluster: the analytic questions on DuckDB, from the disk and from a bucket, and on a Trino cluster over the same table; then
// what 1, 10 and 100 billion events take. Writes results/cluster.md and the report.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBucket, type BenchBucket } from './cluster/bucket.js';
import { evictAll, loadIntoBucket, statusOf, storedOf, until } from './cluster/load.js';
import { askAll, askCluster } from './cluster/ask.js';
import { costOf, costOfRounds, type Answered } from './cluster/measure.js';
import { clusterQuestions } from './cluster/questions.js';
import { clusterText, type QuestionResult } from './cluster/report.js';
import { startTrino, trinoPrograms, type Trino, type TrinoPrograms } from './cluster/trino.js';
import { prepareDataset } from './generator/dataset.js';
import { describeMachine } from './machine.js';
import { clusterResult, writeReport } from './report/write.js';
import { writeFormatted } from './results.js';
import { startStore, type StoreServer } from './store/server.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const evictingServer = fileURLToPath(new URL('cluster/evicting-server.js', import.meta.url));
const trinoPort = 18_891;
const catalog = 'lake';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
  },
});
const events = Number(values.events);
const rounds = Number(values.rounds);

async function withServer<T>(
  data: string,
  environment: Readonly<Record<string, string>>,
  work: (server: StoreServer) => Promise<T>,
  module?: string,
): Promise<T> {
  const server = await startStore(root, data, environment, undefined, module);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** What DuckDB takes, from the disk and from the bucket. */
async function measureServer(
  data: string,
  bucket: BenchBucket,
  environment: Readonly<Record<string, string>>,
) {
  const dataset = await prepareDataset(values.dir, 1, events, 'full');
  const fromDisk = async (server: StoreServer) => {
    console.error('loads');
    await loadIntoBucket(server, dataset);
    console.error('DuckDB, from the disk');
    const engine = { ...server, bucket };
    const cached = await askAll(server, (ask) => costOfRounds(engine, rounds, ask));
    return { cached, stored: await storedOf(server, bucket.directory) };
  };
  const fromBucket = (server: StoreServer) => {
    console.error('DuckDB, from the bucket');
    return askAll(server, async (ask) => {
      await evictAll(server);
      return costOf({ ...server, bucket }, ask);
    });
  };
  const loaded = await withServer(data, environment, fromDisk);
  return { ...loaded, cold: await withServer(data, environment, fromBucket, evictingServer) };
}

/** The number of events is that of the rows of the table. */
async function untilReady(server: StoreServer, trino: Trino, table: string): Promise<void> {
  await until('the cluster agrees', async () => {
    const { cluster } = await statusOf(server.client);
    if (cluster?.state === 'differs') throw new Error(cluster.reason ?? cluster.state);
    return cluster?.state === 'agrees';
  });
  await until('the table has every event', async () => {
    const rows = await trino.rows(`SELECT count(*) FROM ${table}`).catch(() => []);
    return rows[0]?.[0] === events;
  });
}

/** What the cluster takes for the statements of a server that names it. */
async function measureCluster(
  server: StoreServer,
  bucket: BenchBucket,
  trino: Trino,
  expected: readonly Answered[],
) {
  const table = `${catalog}."${server.projectId}".events`;
  await untilReady(server, trino, table);
  const empty = `SELECT sum(_xact_id) FROM ${table} WHERE created < TIMESTAMP '1970-01-01'`;
  const engine = { ...trino, bucket };
  const { cost: nothing } = await costOfRounds(engine, rounds, async () => {
    await trino.rows(empty);
    return [];
  });
  const answers = await askCluster(server, bucket, trino, rounds, expected);
  return { nothing, answers, trinoMemoryMb: await trino.memoryMb() };
}

async function measure(directory: string, bucket: BenchBucket, programs: TrinoPrograms) {
  const machine = await describeMachine(root);
  const data = path.join(directory, 'data');
  const environment = { ...bucket.environment, EVALSTORE_FLUSH_SECONDS: '1' };
  const { cached, cold, stored } = await measureServer(data, bucket, environment);
  console.error('Trino');
  const clustered = {
    ...environment,
    EVALSTORE_TRINO_URL: `http://127.0.0.1:${trinoPort}`,
    EVALSTORE_TRINO_CATALOG: catalog,
  };
  const { answers, ...ofTrino } = await withServer(data, clustered, async (server) => {
    const { url: EVALSTORE_URL, key: EVALSTORE_KEY } = server;
    const lake = { ...bucket.environment, EVALSTORE_URL, EVALSTORE_KEY };
    const trino = await startTrino(root, path.join(directory, 'trino'), trinoPort, programs, lake);
    try {
      return await measureCluster(server, bucket, trino, cached);
    } finally {
      trino.stop();
    }
  });
  const questions = clusterQuestions.map(({ title }, at): QuestionResult => {
    const { cost } = cached[at]!;
    return Object.assign({ title, cached: cost, cold: cold[at]!.cost }, answers[at]!);
  });
  return clusterText({ machine, events, rounds, stored, questions, ...ofTrino });
}

async function main(): Promise<void> {
  const programs = trinoPrograms();
  await mkdir(values.dir, { recursive: true });
  const directory = await mkdtemp(path.join(path.resolve(values.dir), 'cluster-'));
  const bucket = await openBucket(root, path.join(directory, 'bucket'));
  try {
    const text = await measure(directory, bucket, programs);
    console.log(text);
    await writeFormatted(clusterResult, text);
    await writeReport();
  } finally {
    await bucket.close();
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
