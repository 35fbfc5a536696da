// Answers that hold all rows of a store: what they take up while they are made and sent, and once nobody wants them.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreServer } from './server.js';

export interface AnswerResult {
  readonly seconds: number;
  /** Of processor time. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
  /** Resident memory before, and how far above it the highest was. */
  readonly memoryMb: number;
  readonly growthMb: number;
}

export interface LeavingResult {
  /** Of processor time, in the two seconds after the client left. */
  readonly cpuSeconds: number;
  /** Temporary files that are left then. */
  readonly files: readonly string[];
  /** Seconds until another query is answered, where one runs at a time and none may wait. */
  readonly nextSeconds: number;
}

/** One query at a time: whether the next one runs says whether the last one's place is free. */
export const oneQuery = { EVALSTORE_QUERY_CONCURRENCY: '1', EVALSTORE_QUERY_QUEUE: '0' };

const megabyte = 2 ** 20;
const sampleEveryMs = 50;
const observedMs = 2000;

const sourceOf = ({ projectId }: StoreServer) => `from: project_logs('${projectId}')`;

const request = (server: StoreServer, query: string, fmt: string, signal?: AbortSignal) =>
  fetch(`${server.url}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'accept-encoding': 'identity' },
    body: JSON.stringify({ query: `${query} | ${sourceOf(server)}`, fmt }),
    signal: signal ?? null,
  });

async function refused(response: Response): Promise<void> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

/** Reads the whole answer and keeps nothing of it. */
export async function measureAnswer(server: StoreServer, fmt: string): Promise<AnswerResult> {
  await (await request(server, 'select: id | limit: 1', fmt)).arrayBuffer();
  const [memoryMb, cpu, start] = [
    await server.memoryMb('now'),
    await server.cpuSeconds(),
    performance.now(),
  ];
  let peak = memoryMb;
  const sample = async () => (peak = Math.max(peak, await server.memoryMb('now')));
  const timer = setInterval(() => void sample(), sampleEveryMs);
  try {
    const response = await request(server, 'select: *', fmt);
    await refused(response);
    let bytes = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      bytes += chunk.length;
    return {
      seconds: (performance.now() - start) / 1000,
      cpuSeconds: (await server.cpuSeconds()) - cpu,
      megabytes: bytes / megabyte,
      memoryMb,
      growthMb: peak - memoryMb,
    };
  } finally {
    clearInterval(timer);
  }
}

const temporaryFiles = async ({ dataDirectory }: StoreServer): Promise<readonly string[]> =>
  (await readdir(path.join(dataDirectory, 'tmp'))).filter((name) =>
    /^(text|result|export)-/.test(name),
  );

/** The server has to be one with `oneQuery`. */
async function afterLeaving(server: StoreServer): Promise<LeavingResult> {
  const [cpu, start] = [await server.cpuSeconds(), performance.now()];
  await sleep(observedMs);
  const cpuSeconds = (await server.cpuSeconds()) - cpu;
  const files = await temporaryFiles(server);
  for (;;) {
    const response = await request(server, 'measures: count(*) as n', 'json');
    await response.arrayBuffer();
    if (response.status === 200) break;
    await sleep(sampleEveryMs);
  }
  const nextSeconds = (performance.now() - start - observedMs) / 1000;
  return { cpuSeconds, files, nextSeconds };
}

/** Leaves when the first files of the answer are there and some time went by, before its first byte. */
export async function leaveWhileMade(server: StoreServer, fmt: string): Promise<LeavingResult> {
  const controller = new AbortController();
  const answer = request(server, 'select: *', fmt, controller.signal).then(refused, () => {});
  while ((await temporaryFiles(server)).length === 0) await sleep(sampleEveryMs);
  await sleep(observedMs);
  controller.abort();
  await answer;
  return afterLeaving(server);
}

/** Leaves when so much of the answer was read: 0 is after the first bytes, 0.5 in the middle. */
export async function leaveWhileSent(
  server: StoreServer,
  fmt: string,
  share: number,
): Promise<LeavingResult> {
  const controller = new AbortController();
  const response = await request(server, 'select: *', fmt, controller.signal);
  await refused(response);
  const bytes = Number(response.headers.get('content-length')) * share;
  const reader = response.body!.getReader();
  let read = 0;
  do read += (await reader.read()).value?.length ?? Infinity;
  while (read < bytes);
  controller.abort();
  return afterLeaving(server);
}
