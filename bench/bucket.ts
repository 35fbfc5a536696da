// npm run bench -- bucket: inserts without a bucket, with one, and with one that refuses connections or never answers, and reads of an
// event whose segment is only in the bucket. The servers take turns, and those whose turn it is not are stopped.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { counting, credentials, hanging, refusing, startService } from './bucket/services.js';
import type { EvalstoreClient } from './contenders/evalstore-client.js';
import { median } from './measure.js';
import { table } from './report/markdown.js';
import { startStore, type StoreServer } from './store/server.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const inserters = 4;
const insertedAtOnce = 20;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '10' },
    events: { type: 'string', default: '100000' },
    reads: { type: 'string', default: '20' },
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
  },
});
const rounds = Number(values.rounds);

const eventAt = (index: number): object => ({
  id: `event-${index}`,
  input: { question: `What is ${index} times ${index % 77}? `.repeat(8), index },
  output: `It is ${index * 7_919}. `.repeat(5),
  scores: { exact: (index % 10) / 10 },
  metadata: { model: `model-${index % 5}`, user: `user-${index % 500}` },
});

const bodyOf = (first: number, count: number): string =>
  JSON.stringify({ events: Array.from({ length: count }, (_, index) => eventAt(first + index)) });

interface Contestant {
  readonly name: string;
  readonly server: StoreServer;
  readonly client: EvalstoreClient;
  inserted: number;
  /** Events per second, of each round. */
  readonly rates: number[];
}

/** The server works for this time alone. */
async function insertFor(contestant: Contestant, ms: number): Promise<void> {
  const { server, client, rates } = contestant;
  process.kill(server.pid, 'SIGCONT');
  const begin = performance.now();
  const before = contestant.inserted;
  const insert = async () => {
    while (performance.now() - begin < ms) {
      const first = (contestant.inserted += insertedAtOnce) - insertedAtOnce;
      const body = bodyOf(first, insertedAtOnce);
      await client.post(`/v1/project_logs/${server.projectId}/insert`, body);
    }
  };
  await Promise.all(Array.from({ length: inserters }, insert));
  rates.push(((contestant.inserted - before) * 1000) / (performance.now() - begin));
  process.kill(server.pid, 'SIGSTOP');
}

const mean = (rates: readonly number[]) =>
  rates.reduce((sum, rate) => sum + rate, 0) / rates.length;

async function compareInserts(
  directory: string,
  endpoints: Readonly<Record<string, string | null>>,
) {
  const contestants: Contestant[] = [];
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const bucket = `s3://evals/inserts-${contestants.length}`;
    const variables =
      endpoint === null
        ? {}
        : { ...credentials, EVALSTORE_BUCKET: bucket, EVALSTORE_BUCKET_ENDPOINT: endpoint };
    const server = await startStore(root, path.join(directory, name), variables);
    const client = server.connectClient(inserters);
    const contestant = { name, server, client, inserted: 0, rates: [] };
    contestants.push(contestant);
    await insertFor(contestant, 3_000);
    contestant.rates.length = 0;
  }
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < contestants.length; turn++) {
      // In the other direction every second time.
      const place = round % 2 === 0 ? turn : contestants.length - 1 - turn;
      await insertFor(contestants[place]!, Number(values.seconds) * 1000);
    }
  for (const { server, client } of contestants) {
    process.kill(server.pid, 'SIGCONT');
    await client.close();
    await server.kill();
  }
  const plain = contestants[0]!.rates;
  return contestants.map(({ name, rates }): (string | number)[] => [
    name,
    Math.round(mean(rates)),
    Math.round(Math.min(...rates)),
    Math.round(Math.max(...rates)),
    Number((mean(rates) / mean(plain)).toFixed(3)),
  ]);
}

/** Of one event by its id: the median, and what each moves. */
async function comparePointReads(directory: string, service: string) {
  const door = await counting(service);
  const variables = {
    ...credentials,
    EVALSTORE_BUCKET: 's3://evals/reads',
    EVALSTORE_BUCKET_ENDPOINT: door.url,
    EVALSTORE_TABLES: 'off',
    EVALSTORE_FLUSH_SECONDS: '1',
  };
  const evicting = path.join(root, 'bench/dist/bucket/evicting-server.js');
  const found: (string | number)[][] = [];
  let project = '';
  for (const [name, module] of [
    ['only in the bucket', evicting],
    ['on the disk', undefined],
  ] as const) {
    const server = await startStore(root, directory, variables, undefined, module);
    if (project === '') {
      project = server.projectId;
      for (let first = 0; first < Number(values.events); first += 2_000)
        await server.client.post(`/v1/project_logs/${project}/insert`, bodyOf(first, 2_000));
      const isDone = async () => {
        const { bucket, buffered } = (await server.client.get('/status')) as Status;
        return bucket.pending_segments === 0 && buffered.rows === 0;
      };
      while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const read = (index: number) =>
      server.client.post(
        '/query',
        JSON.stringify({
          query: `select: * | from: project_logs('${project}') | filter: id = 'event-${index}'`,
        }),
      );
    const times: number[] = [];
    if (name === 'on the disk')
      await server.client.post(
        '/query',
        JSON.stringify({
          query: `measures: max(len(input)) as n | from: project_logs('${project}')`,
        }),
      );
    door.taken();
    for (let each = 0; each < Number(values.reads); each++) {
      const begin = performance.now();
      await read((each * 7_919 + 13) % Number(values.events));
      times.push(performance.now() - begin);
    }
    const { requests, bytes } = door.taken();
    const reads = Number(values.reads);
    found.push([
      name,
      Math.round(median(times) * 10) / 10,
      requests / reads,
      Math.round(bytes / reads),
    ]);
    await server.stop();
  }
  door.close();
  return found;
}

interface Status {
  readonly bucket: { readonly pending_segments: number };
  readonly buffered: { readonly rows: number };
}

await mkdir(values.dir, { recursive: true });
const directory = await mkdtemp(path.join(path.resolve(values.dir), 'bucket-'));
const [service, refuses, hangs] = [
  await startService(root, path.join(directory, 's3')),
  await refusing(),
  await hanging(),
];
try {
  const endpoints = {
    'no bucket': null,
    'a bucket': service.url,
    refuses: refuses.url,
    hangs: hangs.url,
  };
  const inserts = await compareInserts(directory, endpoints);
  console.log(table(['bucket', 'inserts, events/s', 'least', 'most', 'ratio'], inserts));
  const reads = await comparePointReads(path.join(directory, 'reads'), service.url);
  console.log(table(['an event by its id', 'median, ms', 'requests', 'bytes'], reads));
} finally {
  for (const place of [service, refuses, hangs]) place.close();
  await rm(directory, { recursive: true, force: true });
}
