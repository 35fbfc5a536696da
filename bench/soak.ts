// npm run bench -- soak: twenty minutes of mixed load, with bounds. Exits with 1 when one of them is missed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkData } from './check-data.js';
import { describeMachine } from './machine.js';
import { newTally, openClient, type SoakClient } from './soak/client.js';
import {
  deleteInALoop,
  fetchInALoop,
  insertInALoop,
  queryInALoop,
  type Acknowledged,
} from './soak/load.js';
import { boundsOf, reportOf, type SoakResult } from './soak/report.js';
import { sampleOf, type Sample } from './soak/watch.js';
import { startStore, type StoreServer } from './store/server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const reportFile = path.join(root, 'bench/results/soak.md');

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1200' },
    every: { type: 'string', default: '5' },
  },
});
const seconds = Number(values.seconds);
const everyMs = Number(values.every) * 1000;

const inserting = 32;
const fetching = 8;
const querying = 4;

const environment = {
  // Segments are written every few seconds, so that they are merged all the time.
  EVALSTORE_FLUSH_ROWS: '4000',
  // Garbage is collected before it hides what stays in use.
  NODE_OPTIONS: '--max-old-space-size=512',
};

async function samplesUntil(server: StoreServer, isOver: () => boolean): Promise<Sample[]> {
  const start = performance.now();
  const samples: Sample[] = [];
  while (!isOver()) {
    samples.push(await sampleOf(server, (performance.now() - start) / 1000));
    await sleep(everyMs);
  }
  return samples;
}

/** What the rows of each inserting client say, beside what was acknowledged to it. */
async function countsOf(
  client: SoakClient,
  source: string,
  acknowledged: readonly Acknowledged[],
): Promise<SoakResult['counts']> {
  const query = `dimensions: metadata.client as client | measures: count(*) as rows, count(scores.merged) as merged | from: ${source}`;
  const answer = await client.ask('count', 'POST', '/query', { query });
  const { data } = answer as { readonly data: readonly Readonly<Record<string, number>>[] };
  const rows = new Map(data.map((row) => [row['client'], row]));
  const wrong = acknowledged.filter(
    ({ inserted, deleted, merged }, number) =>
      rows.get(number)?.['rows'] !== inserted - deleted || rows.get(number)?.['merged'] !== merged,
  );
  const total = (of: (done: Acknowledged) => number) =>
    acknowledged.reduce((sum, done) => sum + of(done), 0);
  const found = (column: string) => data.reduce((sum, row) => sum + (row[column] ?? 0), 0);
  return [
    {
      what: 'rows',
      wanted: total(({ inserted, deleted }) => inserted - deleted),
      found: found('rows'),
    },
    { what: 'merges', wanted: total(({ merged }) => merged), found: found('merged') },
    {
      what: 'clients whose rows and merges are all there',
      wanted: acknowledged.length,
      found: acknowledged.length - wrong.length,
    },
  ];
}

const times = (count: number) => Array.from({ length: count }, (_, number) => number);

async function soak(server: StoreServer): Promise<Omit<SoakResult, 'problems' | 'machine'>> {
  const tally = newTally();
  const client = openClient(server.url, server.key, inserting + fetching + querying + 1, tally);
  const logs = `/v1/project_logs/${server.projectId}`;
  const source = `project_logs('${server.projectId}')`;
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() > end;
  const [samples, acknowledged] = await Promise.all([
    samplesUntil(server, isOver),
    Promise.all(times(inserting).map((number) => insertInALoop(client, logs, number, isOver))),
    ...times(fetching).map(() => fetchInALoop(client, logs, isOver)),
    ...times(querying).map((number) => queryInALoop(client, source, number, isOver)),
    deleteInALoop(client, server.projectId, isOver),
  ]);
  const counts = await countsOf(client, source, acknowledged);
  await client.close();
  return { seconds, tally, samples, counts };
}

const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-soak-'));
try {
  const machine = await describeMachine(root);
  const server = await startStore(root, directory, environment);
  const result = await soak(server).finally(() => server.stop());
  const { problems } = await checkData(root, directory);
  const whole = { ...result, machine, problems };
  await writeFile(reportFile, reportOf(whole));
  for (const { what, reached, isMet } of boundsOf(whole))
    console.log(`${isMet ? 'met' : 'missed'}: ${what}: ${reached}`);
  process.exitCode = boundsOf(whole).every(({ isMet }) => isMet) ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
