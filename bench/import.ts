// npm run bench -- import: `evalstore import` of a file of JSON Lines beside the bulk load of the same events, each into a new server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from './contenders/evalstore-client.js';
import { residentMb, startProcess, type ServerProcess } from './contenders/server-process.js';
import { prepareDataset, type Dataset } from './generator/dataset.js';
import { bulkConnections, insertInBulk } from './ingest/bulk.js';
import { median, secondsOf } from './measure.js';
import { table } from './report/markdown.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');
const key = 'bench-key-of-imports';
const wantedRatio = 0.75;
const pollMilliseconds = 100;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string', default: 'full' },
    seed: { type: 'string', default: '1' },
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
  },
});

interface Loaded {
  readonly seconds: number;
  /** Peak resident memory of the process that sends the events; null of the benchmark itself. */
  readonly memoryMb: number | null;
}

/** Each load has a server and a directory of its own. */
async function withServer(load: (server: ServerProcess) => Promise<Loaded>): Promise<Loaded> {
  const directory = await mkdtemp(path.join(path.resolve(values.dir), 'import-'));
  const server = await startProcess(path.join(root, 'dist/server/evalstore.cjs'), {
    EVALSTORE_PORT: '0',
    EVALSTORE_DATA_DIR: directory,
    EVALSTORE_API_KEY: key,
    EVALSTORE_LOG_LEVEL: 'error',
  });
  try {
    return await load(server);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** @throws Error if the server has not each event once */
async function expectEvents({ url }: ServerProcess, events: number): Promise<void> {
  const client = connect(url, key, 1);
  const projects = (await client.get('/v1/project')) as { objects: readonly { id: string }[] };
  const query = `from: project_logs('${projects.objects[0]?.id}') | measures: count(*) as n`;
  const { data } = (await client.post('/query', JSON.stringify({ query }))) as {
    data: readonly [{ n: number }];
  };
  await client.close();
  if (data[0].n !== events) throw new Error(`${data[0].n} of ${events} events were stored`);
}

const loadInBulk = (dataset: Dataset) =>
  withServer(async (server) => {
    const client = connect(server.url, key, bulkConnections);
    const { id } = (await client.post('/v1/project', '{"name":"bulk"}')) as { id: string };
    const seconds = await secondsOf(() =>
      insertInBulk(dataset, (body) => client.post(`/v1/project_logs/${id}/insert`, body)),
    );
    await client.close();
    await expectEvents(server, dataset.events);
    return { seconds, memoryMb: null };
  });

/** The command of the build, which is that of the package, with its start. */
const importFile = (dataset: Dataset) =>
  withServer(async (server) => {
    let memoryMb = 0;
    const seconds = await secondsOf(async () => {
      const words = ['import', dataset.path, '--project', 'imported', '--logs'];
      const child = spawn(path.join(root, 'dist/evalstore'), words, {
        env: { ...process.env, EVALSTORE_URL: server.url, EVALSTORE_KEY: key },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const poll = setInterval(() => {
        residentMb(child.pid!, 'peak').then(
          (peak) => (memoryMb = Number.isNaN(peak) ? memoryMb : peak),
          () => {},
        );
      }, pollMilliseconds);
      const ended = once(child, 'close');
      const errors = await text(child.stderr);
      const [status] = (await ended) as [number];
      clearInterval(poll);
      if (status !== 0) throw new Error(errors);
    });
    await expectEvents(server, dataset.events);
    return { seconds, memoryMb };
  });

const profile = values.profile === 'lean' ? 'lean' : 'full';
const dataset = await prepareDataset(
  path.resolve(values.dir),
  Number(values.seed),
  Number(values.events),
  profile,
);
const bulk: Loaded[] = [];
const imported: Loaded[] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  bulk.push(await loadInBulk(dataset));
  imported.push(await importFile(dataset));
}

const rowOf = (title: string, loads: readonly Loaded[]) => {
  const seconds = median(loads.map((load) => load.seconds));
  const peaks = loads.flatMap(({ memoryMb }) => memoryMb ?? []);
  return [
    title,
    dataset.events / seconds,
    dataset.bytes / 1e6 / seconds,
    peaks.length === 0 ? null : Math.max(...peaks),
  ];
};
const ratio =
  median(bulk.map(({ seconds }) => seconds)) / median(imported.map(({ seconds }) => seconds));
console.log(
  table(
    [`${dataset.events} events`, 'events/s', 'MB/s of JSON', 'peak memory, MB'],
    [rowOf('bulk load', bulk), rowOf('evalstore import', imported)],
  ),
);
console.log(
  `${ratio >= wantedRatio ? 'met' : 'missed'}: import has ${ratio.toFixed(2)} of the events/s of the bulk load, wanted ${wantedRatio}`,
);
