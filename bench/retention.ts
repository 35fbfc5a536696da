// npm run bench -- retention: a retention of three days removes seven of ten days of events, beside inserts and pages of another project.
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { EvalstoreClient } from './contenders/evalstore-client.js';
import { quantile } from './measure.js';
import { table } from './report/markdown.js';
import { startStore } from './store/server.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const dayMs = 86_400_000;
const daysLoaded = 10;
const daysKept = 3;
const batch = 2_000;
const inserters = 4;
const insertedAtOnce = 20;
const pageRows = 100;
const pollMs = 200;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '20' },
    order: { type: 'string', default: 'time' },
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
  },
});

const events = Number(values.events);
const now = Date.now();

/** Their times are in order, or in none. */
function eventAt(index: number): object {
  const place = values.order === 'time' ? index : (index * 7_919) % events;
  return {
    id: `event-${index}`,
    created: new Date(now - daysLoaded * dayMs * (1 - place / events)).toISOString(),
    input: { question: `What is ${index} times ${place}? `.repeat(8), index },
    output: `It is ${index * place}. `.repeat(5),
    scores: { exact: (index % 10) / 10 },
    metadata: { model: `model-${index % 5}`, user: `user-${index % 500}` },
  };
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => []);
  const sizes = names.map((name) => stat(path.join(directory, name)).catch(() => ({ size: 0 })));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

interface Beside {
  readonly insertsPerSecond: number;
  /** Milliseconds of a page: median and 95th percentile. */
  readonly page: readonly [number, number];
}

/** Inserts and pages until `end` resolves. */
async function loadUntil(
  client: EvalstoreClient,
  project: string,
  end: Promise<unknown>,
): Promise<Beside> {
  const running = new Set(['the load']);
  void end.finally(() => running.clear());
  const started = performance.now();
  let inserted = 0;
  const pages: number[] = [];
  const insert = async () => {
    while (running.size > 0) {
      const rows = Array.from({ length: insertedAtOnce }, (_, index) => ({
        input: `text ${inserted + index}`.repeat(20),
      }));
      await client.post(`/v1/project_logs/${project}/insert`, JSON.stringify({ events: rows }));
      inserted += insertedAtOnce;
    }
  };
  const page = async () => {
    while (running.size > 0) {
      const begin = performance.now();
      await client.get(`/v1/project_logs/${project}/fetch?limit=${pageRows}`);
      pages.push(performance.now() - begin);
    }
  };
  await Promise.all([...Array.from({ length: inserters }, insert), page()]);
  const seconds = (performance.now() - started) / 1000;
  return {
    insertsPerSecond: inserted / seconds,
    page: [quantile(pages, 0.5), quantile(pages, 0.95)],
  };
}

await mkdir(values.dir, { recursive: true });
const directory = await mkdtemp(path.join(path.resolve(values.dir), 'retention-'));
const server = await startStore(root, directory);
const client = server.connectClient(8);
try {
  const other = server.projectId;
  const { id: aging } = (await client.post('/v1/project', '{"name":"aging"}')) as { id: string };
  for (let first = 0; first < events; first += batch) {
    const length = Math.min(batch, events - first);
    const rows = Array.from({ length }, (_, index) => eventAt(first + index));
    await client.post(`/v1/project_logs/${aging}/insert`, JSON.stringify({ events: rows }));
  }
  const files = path.join(directory, 'segments', `project_id=${aging}`);
  const settled = async () => {
    for (let before = -1, size = 0; before !== size;) {
      before = size;
      await delay(8_000);
      size = await sizeOf(files);
    }
    return sizeOf(files);
  };
  await client.post(
    '/query',
    JSON.stringify({
      query: `measures: count(1) as n | from: project_logs('${aging}')`,
      use_columnstore: true,
    }),
  );
  const before = await settled();
  await loadUntil(client, other, delay(3_000));
  const idle = await loadUntil(client, other, delay(Number(values.seconds) * 1000));
  await client.patch(
    `/v1/project/${aging}`,
    JSON.stringify({ settings: { retention_days: daysKept } }),
  );
  const dry = (await client.get(`/v1/project/${aging}/retention`)) as {
    cutoff: string;
    rows: number;
    bytes: number;
  };
  const { id } = (await client.post(`/v1/project/${aging}/retention`, '')) as { id: string };
  const started = performance.now();
  let job = { state: 'running', rows: 0, bytes: 0, error: null as string | null };
  const beside = await loadUntil(
    client,
    other,
    (async () => {
      while (job.state === 'running') {
        await delay(pollMs);
        job = (await client.get(`/v1/job/${id}`)) as typeof job;
      }
    })(),
  );
  const seconds = (performance.now() - started) / 1000;
  const after = await settled();
  const left = (await client.post(
    '/query',
    JSON.stringify({
      query: `measures: count(1) as n, sum(created < '${dry.cutoff}' ? 1 : 0) as old | from: project_logs('${aging}')`,
    }),
  )) as { data: readonly [{ n: number; old: number | null }] };
  console.log(
    table(
      [
        `${events} events of ${daysLoaded} days`,
        'inserts, events/s',
        'page p50, ms',
        'page p95, ms',
      ],
      [
        ['idle', idle.insertsPerSecond, ...idle.page],
        ['beside the retention', beside.insertsPerSecond, ...beside.page],
      ],
    ),
  );
  console.log(
    [
      `dry run: ${dry.rows} rows, ${dry.bytes} bytes; job: ${job.state} ${job.error ?? ''} ${job.rows} rows, ${job.bytes} bytes in ${seconds.toFixed(1)} s`,
      `files: ${before} -> ${after} bytes, ${((before - after) / dry.bytes).toFixed(3)} of what the dry run promised`,
      `left: ${JSON.stringify(left.data)}, expected ${events - dry.rows}`,
      `inserts beside: ${(beside.insertsPerSecond / idle.insertsPerSecond).toFixed(2)} of the rate before`,
    ].join('\n'),
  );
} finally {
  await client.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
