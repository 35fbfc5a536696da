// npm run bench -- store: what the store itself promises of merges, lookups, pages and a steady load.
import { cp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { expectSound } from './check-data.js';
import { prepareDataset, type Dataset } from './generator/dataset.js';
import { excerpt } from './generator/excerpt.js';
import type { ProfileName } from './generator/profile.js';
import { leaveWhileMade, leaveWhileSent, measureAnswer, oneQuery } from './store/answers.js';
import { measurePages } from './pages.js';
import { loadStore } from './store/load.js';
import { measureLookups } from './store/lookups.js';
import { measureMerges } from './store/merges.js';
import { directoryMb, startStore, type StoreServer } from './store/server.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const rows = path.join('store', 'loaded');

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'load,lookups,pages,merges' },
    events: { type: 'string', default: '200000' },
    profile: { type: 'string', default: 'full' },
    seed: { type: 'string', default: '1' },
    merges: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '4' },
    formats: { type: 'string', default: 'json,jsonl,csv,parquet,arrow' },
    kill: { type: 'boolean', default: false },
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
  },
});

const print = (name: string, result: unknown) =>
  console.log(
    JSON.stringify({ [name]: result }, (_key, value: unknown) =>
      typeof value === 'number' ? Math.round(value * 100) / 100 : value,
    ),
  );

const loaded = path.join(values.dir, rows);
/** Flushes what is left soon after the load. */
const environment = { EVALSTORE_FLUSH_SECONDS: '5' };

const pageRounds = 20;

/** Of the merges: longer than they should be waited for. */
const flushSeconds = 30;

async function load(dataset: Dataset): Promise<void> {
  await rm(loaded, { recursive: true, force: true });
  const options = { root, dataDirectory: loaded, environment, kill: values.kill };
  const { server, result } = await loadStore(dataset, options);
  print('load', { ...result, segmentsMb: await directoryMb(path.join(loaded, 'segments')) });
  await server.stop();
  print('check', await expectSound(root, loaded));
}

async function lookups(dataset: Dataset): Promise<void> {
  const { samples } = await excerpt(dataset);
  const server = await startStore(root, loaded);
  print('lookups', await measureLookups(server, samples));
  await server.stop();
}

async function pages(): Promise<void> {
  const server = await startStore(root, loaded);
  const { projectId, client } = server;
  const found = await measurePages({ projectId, client: () => client }, pageRounds);
  print(
    'pages',
    found.map(({ tracesBefore, median }) => ({ tracesBefore, median })),
  );
  await server.stop();
}

/** A copy of the loaded directory, so that it can be used again. */
async function copied(name: string): Promise<string> {
  const copy = path.join(values.dir, 'store', name);
  await rm(copy, { recursive: true, force: true });
  await cp(loaded, copy, { recursive: true });
  return copy;
}

/** Each on a server that was just started: memory that is taken up once is used again. */
async function answers(): Promise<void> {
  const copy = await copied('answered');
  const serve = async (what: string, work: (server: StoreServer) => Promise<unknown>) => {
    const server = await startStore(root, copy, { ...oneQuery });
    try {
      print(what, await work(server));
    } finally {
      await server.stop();
    }
  };
  for (const fmt of values.formats.split(',')) {
    await serve(`answer as ${fmt}`, (server) => measureAnswer(server, fmt));
    await serve(`left while made as ${fmt}`, (server) => leaveWhileMade(server, fmt));
    await serve(`left after the first bytes of ${fmt}`, (server) => leaveWhileSent(server, fmt, 0));
    await serve(`left in the middle of ${fmt}`, (server) => leaveWhileSent(server, fmt, 0.5));
  }
  await rm(copy, { recursive: true, force: true });
}

async function merges(dataset: Dataset): Promise<void> {
  const copy = await copied('merged');
  const server = await startStore(root, copy, { EVALSTORE_FLUSH_SECONDS: String(flushSeconds) });
  const options = {
    merges: Number(values.merges),
    connections: Number(values.connections),
    seed: Number(values.seed),
    flushSeconds,
  };
  print('merges', await measureMerges(server, dataset, options));
  await server.stop();
  await rm(copy, { recursive: true, force: true });
}

const dataset = await prepareDataset(
  values.dir,
  Number(values.seed),
  Number(values.events),
  values.profile as ProfileName,
);
const wanted = values.only.split(',');
if (wanted.includes('load') || !existsSync(loaded)) await load(dataset);
if (wanted.includes('lookups')) await lookups(dataset);
if (wanted.includes('pages')) await pages();
if (wanted.includes('merges')) await merges(dataset);
if (wanted.includes('answers')) await answers();
