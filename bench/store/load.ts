// Events in requests of 1,000, one after the other: every commit's time, how the database grows, a kill in the middle.
import { eventBatches, type Dataset } from '../generator/dataset.js';
import { secondsOf, spread, type Spread } from '../measure.js';
import { CommitTimes, loggingCommits } from './commit-times.js';
import { databaseMb, startStore, untilSettled, type StoreServer } from './server.js';

const eventsPerRequest = 1000;
const sampleEveryMs = 100;

export interface LoadResult {
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly requestMs: Spread;
  readonly requestsOver250Ms: number;
  /** From the moment a group of requests is handed to the writer until it is on disk. */
  readonly commitMs: Spread;
  readonly commitsOver250Ms: number;
  /** Of `meta.duckdb` and its log together. */
  readonly databaseMbMax: number;
  readonly restartAfterKillSeconds: number | null;
  readonly settleSeconds: number;
  readonly peakMemoryMb: number;
}

const isLong = (milliseconds: number): boolean => milliseconds > 250;

export interface LoadOptions {
  readonly root: string;
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Kills the server when half of the events are stored, and goes on with a new one. */
  readonly kill: boolean;
}

/** Calls `sample` again and again until the function that it returns is called. */
function watch(sample: () => Promise<void>): () => void {
  const timer = setInterval(() => void sample(), sampleEveryMs);
  return () => clearInterval(timer);
}

/** Loads the dataset into a new data directory, waits until it is settled, and leaves the server running. */
export async function loadStore(
  dataset: Dataset,
  { root, dataDirectory, environment, kill }: LoadOptions,
): Promise<{ readonly server: StoreServer; readonly result: LoadResult }> {
  const commits = new CommitTimes();
  const start = () =>
    startStore(root, dataDirectory, { ...environment, ...loggingCommits }, commits.take);
  let server = await start();
  let databaseMbMax = 0;
  const unwatch = watch(async () => {
    databaseMbMax = Math.max(databaseMbMax, await databaseMb(dataDirectory));
  });
  const times: number[] = [];
  let restartAfterKillSeconds: number | null = null;
  let cpuSeconds = 0;
  let peakMemoryMb = 0;
  let stored = 0;
  const seconds = await secondsOf(async () => {
    for await (const lines of eventBatches(dataset, eventsPerRequest)) {
      const path = `/v1/project_logs/${server.projectId}/insert`;
      const body = `{"events":[${lines.join(',')}]}`;
      times.push(1000 * (await secondsOf(() => server.client.post(path, body))));
      stored += lines.length;
      if (!kill || restartAfterKillSeconds !== null || stored < dataset.events / 2) continue;
      cpuSeconds += await server.cpuSeconds();
      peakMemoryMb = await server.memoryMb('peak');
      await server.kill();
      server = await start();
      restartAfterKillSeconds = server.startSeconds;
    }
  });
  unwatch();
  cpuSeconds += await server.cpuSeconds();
  const settleSeconds = await secondsOf(() => untilSettled(dataDirectory));
  const result = {
    events: dataset.events,
    seconds,
    cpuSeconds,
    requestMs: spread(times),
    requestsOver250Ms: times.filter(isLong).length,
    commitMs: spread(commits.milliseconds),
    commitsOver250Ms: commits.milliseconds.filter(isLong).length,
    databaseMbMax,
    restartAfterKillSeconds,
    settleSeconds,
    peakMemoryMb: Math.max(peakMemoryMb, await server.memoryMb('peak')),
  };
  return { server, result };
}
