// npm run bench -- contention: single inserts and small fetches, alone and beside clients that query in a loop.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startProcess, type ServerProcess } from './contenders/server-process.js';
import { median, quantile, secondsOf } from './measure.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const key = 'bench-key-of-contenders';
const batch = 1000;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '500000' },
    seconds: { type: 'string', default: '60' },
    idleSeconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '8' },
    querySeconds: { type: 'string', default: '2' },
  },
});

const event = (number: number) => ({
  input: `question ${number} ${'lorem ipsum '.repeat(20)}`,
  output: `answer ${number} ${'dolor sit '.repeat(20)}`,
  scores: { accuracy: (number % 10) / 10 },
  metadata: { model: `m${number % 7}`, key: `k${number}` },
});

interface Client {
  /** The status; waits for the whole answer. */
  post(route: string, body: object): Promise<number>;
}

const clientOf = ({ url }: ServerProcess): Client => ({
  post: async (route, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  },
});

async function createProject({ url }: ServerProcess): Promise<string> {
  const response = await fetch(`${url}/v1/project`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'contention' }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** A query with so many patterns that it takes the wanted time on this machine, alone. */
async function slowQuery(client: Client, source: string): Promise<object> {
  for (let patterns = 4; ; patterns = Math.ceil(patterns * 1.7)) {
    const conditions = Array.from({ length: patterns }, (_, n) => `output ILIKE '%no${n}body%'`);
    const query = `measures: count(*) as n | filter: ${conditions.join(' or ')} | from: ${source}`;
    let status = 200;
    const seconds = await secondsOf(async () => {
      status = await client.post('/query', { query });
    });
    if (status !== 200)
      throw new Error(
        `${patterns} patterns are refused before they take ${values.querySeconds} s: give more --events`,
      );
    if (seconds < Number(values.querySeconds)) continue;
    console.log(`query: ${patterns} patterns, ${seconds.toFixed(1)} s alone`);
    return { query };
  }
}

/** Milliseconds of each round; `send` gives a status. */
async function repeat(end: number, send: () => Promise<number>, statuses: Map<number, number>) {
  const milliseconds: number[] = [];
  while (Date.now() < end) {
    const start = performance.now();
    const status = await send();
    if (status === 200) milliseconds.push(performance.now() - start);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return milliseconds;
}

interface Phase {
  readonly insert: readonly number[];
  readonly fetch: readonly number[];
  readonly queries: number;
  readonly statuses: ReadonlyMap<number, number>;
}

async function measure(
  client: Client,
  logs: string,
  seconds: number,
  query: object | null,
): Promise<Phase> {
  const end = Date.now() + seconds * 1000;
  const statuses = new Map<number, number>();
  const clients = Array.from({ length: query === null ? 0 : Number(values.clients) });
  let number = 1e9;
  const [insert, fetched, ...queries] = await Promise.all([
    repeat(end, () => client.post(`${logs}/insert`, { events: [event(number++)] }), statuses),
    repeat(end, () => client.post(`${logs}/fetch`, { limit: 10 }), statuses),
    ...clients.map(() => repeat(end, () => client.post('/query', query ?? {}), statuses)),
  ]);
  return { insert, fetch: fetched, queries: queries.flat().length, statuses };
}

const ms = (value: number) => `${value.toFixed(1)} ms`;

const line = (times: readonly number[]) =>
  `p50 ${ms(median(times))}, p99 ${ms(quantile(times, 0.99))}, most ${ms(Math.max(...times))} of ${times.length}`;

function report(name: string, { insert, fetch: fetched, queries, statuses }: Phase): void {
  console.log(`${name}: insert ${line(insert)}`);
  console.log(`${name}: fetch ${line(fetched)}`);
  console.log(`${name}: ${queries} queries, statuses ${JSON.stringify([...statuses])}`);
}

function verdict(what: string, reached: number, bound: number): void {
  console.log(`${reached <= bound ? 'met' : 'missed'}: ${what} ${reached.toFixed(1)} of ${bound}`);
}

async function run(server: ServerProcess): Promise<void> {
  const client = clientOf(server);
  const id = await createProject(server);
  const logs = `/v1/project_logs/${id}`;
  for (let first = 0; first < Number(values.events); first += batch) {
    const events = Array.from({ length: batch }, (_, n) => event(first + n));
    await client.post(`${logs}/insert`, { events });
  }
  const query = await slowQuery(client, `project_logs('${id}')`);
  await measure(client, logs, 3, null);
  const idle = await measure(client, logs, Number(values.idleSeconds), null);
  report('idle', idle);
  const busy = await measure(client, logs, Number(values.seconds), query);
  report('busy', busy);
  verdict('insert p50, times idle', median(busy.insert) / median(idle.insert), 5);
  verdict('insert p99, ms', quantile(busy.insert, 0.99), 250);
  verdict('fetch p50, times idle', median(busy.fetch) / median(idle.fetch), 5);
  const errors = [...busy.statuses].filter(([status]) => status !== 200 && status !== 429);
  verdict('errors other than 429', errors.length, 0);
}

const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-contention-'));
const server = await startProcess(path.join(root, 'dist/server/evalstore.cjs'), {
  EVALSTORE_PORT: '0',
  EVALSTORE_DATA_DIR: directory,
  EVALSTORE_API_KEY: key,
  EVALSTORE_LOG_LEVEL: 'error',
});
try {
  await run(server);
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
