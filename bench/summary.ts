// npm run bench -- summary: the summary of two experiments beside the plain averages of both, over HTTP.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, secondsOf } from './measure.js';
import { startStore, untilSettled, type StoreServer } from './store/server.js';
import { fillPair, pairOf, shapes, type Pair, type ShapeName } from './summary/experiments.js';

const root = path.join(fileURLToPath(new URL('..', import.meta.url)), '..');

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '9' },
    dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
  },
});

interface Work {
  readonly milliseconds: number;
  /** Processor time of the server. */
  readonly cpuMilliseconds: number;
}

async function workOf(server: StoreServer, ask: () => Promise<unknown>): Promise<Work> {
  const before = await server.cpuSeconds();
  const milliseconds = 1000 * (await secondsOf(ask));
  return { milliseconds, cpuMilliseconds: 1000 * ((await server.cpuSeconds()) - before) };
}

const averages = async ({ client }: StoreServer, { ours, theirs }: Pair): Promise<void> => {
  for (const id of [ours, theirs]) {
    const query = `from: experiment('${id}') | measures: avg(scores.factuality) as factuality`;
    await client.post('/query', JSON.stringify({ query }));
  }
};

const summary = ({ client }: StoreServer, { ours, theirs }: Pair): Promise<unknown> =>
  client.get(
    `/v1/experiment/${ours}/summarize?summarize_scores=true&comparison_experiment_id=${theirs}`,
  );

const rounded = (value: number): number => Math.round(value * 10) / 10;

const mean = (works: readonly Work[]): number =>
  works.reduce((sum, { cpuMilliseconds }) => sum + cpuMilliseconds, 0) / works.length;

async function measure(server: StoreServer, shape: ShapeName): Promise<void> {
  const pair = await pairOf(server, shape);
  const first = await workOf(server, () => summary(server, pair));
  await averages(server, pair);
  const plain: Work[] = [];
  const summed: Work[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    plain.push(await workOf(server, () => averages(server, pair)));
    summed.push(await workOf(server, () => summary(server, pair)));
  }
  const [plainMs, summedMs] = [plain, summed].map((works) =>
    median(works.map(({ milliseconds }) => milliseconds)),
  ) as [number, number];
  console.log(
    JSON.stringify({
      shape,
      firstSummaryMs: rounded(first.milliseconds),
      averagesMs: rounded(plainMs),
      summaryMs: rounded(summedMs),
      ratio: rounded(summedMs / plainMs),
      averagesCpuMs: rounded(mean(plain)),
      summaryCpuMs: rounded(mean(summed)),
      cpuRatio: rounded(mean(summed) / mean(plain)),
    }),
  );
}

const names = Object.keys(shapes) as ShapeName[];
const directory = path.join(values.dir, `summary-${values.traces}`);
const isFilled = existsSync(directory);
const server = await startStore(root, directory, { EVALSTORE_FLUSH_SECONDS: '5' });
try {
  if (!isFilled) {
    for (const shape of names)
      await fillPair(server, shape, await pairOf(server, shape), Number(values.traces));
    await untilSettled(directory);
  }
  for (const shape of names) await measure(server, shape);
} finally {
  await server.stop();
}
