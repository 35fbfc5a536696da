// Merges into random flushed rows beside single inserts: how long they take, and what a read costs before and after.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EvalstoreClient } from '../contenders/evalstore-client.js';
import { drawFrom } from '../generator/draw.js';
import { eventBatches, type Dataset } from '../generator/dataset.js';
import { median, secondsOf, spread, type Spread } from '../measure.js';
import { untilSettled, type StoreServer } from './server.js';

const mergesPerRequest = 100;
const singlePauseMs = 20;
const settleMs = 5000;
const readsMeasured = 7;

export interface MergeOptions {
  readonly merges: number;
  readonly connections: number;
  readonly seed: number;
  /** After so long the last buffered rows go to segments. */
  readonly flushSeconds: number;
}

export interface MergeResult {
  readonly merges: number;
  readonly seconds: number;
  /** Of the server, while the merges ran. */
  readonly cpuSeconds: number;
  readonly requestMs: Spread;
  readonly singleInsertMs: Spread;
  readonly latestStateMs: {
    readonly before: number;
    readonly after5s: number;
    readonly afterCompaction: number;
  };
  readonly peakMemoryMb: number;
}

const idPattern = /^\{"id":"([^"]+)"/;

/** Different ids of the dataset in random order. */
async function randomIds(dataset: Dataset, count: number, seed: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const lines of eventBatches(dataset, 1000))
    // A part of a string would keep the whole line in memory.
    for (const line of lines) ids.push(Buffer.from(idPattern.exec(line)![1]!).toString());
  const draw = drawFrom(seed);
  const wanted = Math.min(count, ids.length);
  for (let place = 0; place < wanted; place++) {
    const other = draw.integer(place, ids.length - 1);
    [ids[place], ids[other]] = [ids[other]!, ids[place]!];
  }
  return ids.slice(0, wanted);
}

function* mergeBodies(ids: readonly string[]): Generator<string> {
  for (let start = 0; start < ids.length; start += mergesPerRequest) {
    const events = ids.slice(start, start + mergesPerRequest).map((id, index) => ({
      id,
      _is_merge: true,
      scores: { review: (index % 11) / 10 },
      metadata: { reviewed: true },
    }));
    yield JSON.stringify({ events });
  }
}

const insertPath = ({ projectId }: StoreServer) => `/v1/project_logs/${projectId}/insert`;

/** One insert after the other, until the signal. */
async function insertSingles(server: StoreServer, ended: AbortSignal): Promise<readonly number[]> {
  const client = server.connectClient(1);
  const times: number[] = [];
  const body = JSON.stringify({ events: [{ input: 'beside the merges', scores: { single: 1 } }] });
  while (!ended.aborted) {
    times.push(1000 * (await secondsOf(() => client.post(insertPath(server), body))));
    await sleep(singlePauseMs);
  }
  await client.close();
  return times;
}

async function sendMerges(
  server: StoreServer,
  client: EvalstoreClient,
  ids: readonly string[],
  connections: number,
): Promise<readonly number[]> {
  const bodies = mergeBodies(ids);
  const times: number[] = [];
  const connection = async () => {
    for (const body of bodies)
      times.push(1000 * (await secondsOf(() => client.post(insertPath(server), body))));
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return times;
}

async function latestStateMs(server: StoreServer): Promise<number> {
  const query = `from: project_logs('${server.projectId}') | dimensions: metadata.model as model
    measures: count(*) as events, avg(scores.Factuality) as factuality`;
  const times: number[] = [];
  for (let round = 0; round < readsMeasured; round++)
    times.push(
      1000 * (await secondsOf(() => server.client.post('/query', JSON.stringify({ query })))),
    );
  return median(times.slice(1));
}

/** The dataset is in segments of `server` when it is called. */
export async function measureMerges(
  server: StoreServer,
  dataset: Dataset,
  { merges, connections, seed, flushSeconds }: MergeOptions,
): Promise<MergeResult> {
  const ids = await randomIds(dataset, merges, seed);
  const before = await latestStateMs(server);
  const client = server.connectClient(connections);
  const ended = new AbortController();
  const singles = insertSingles(server, ended.signal);
  const cpuBefore = await server.cpuSeconds();
  let requests: readonly number[] = [];
  const seconds = await secondsOf(async () => {
    requests = await sendMerges(server, client, ids, connections);
  });
  const cpuSeconds = (await server.cpuSeconds()) - cpuBefore;
  ended.abort();
  const singleTimes = await singles;
  await sleep(settleMs);
  const after5s = await latestStateMs(server);
  await sleep(1000 * flushSeconds);
  await untilSettled(server.dataDirectory);
  const afterCompaction = await latestStateMs(server);
  await client.close();
  return {
    merges: ids.length,
    seconds,
    cpuSeconds,
    requestMs: spread(requests),
    singleInsertMs: spread(singleTimes),
    latestStateMs: { before, after5s, afterCompaction },
    peakMemoryMb: await server.memoryMb('peak'),
  };
}
