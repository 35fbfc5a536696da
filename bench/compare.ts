// npm run bench -- compare <rev>: the checkout and another revision, in turn, on the same events.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { attemptInto } from './attempt.js';
import { openEvalstore, type Evalstore } from './contenders/evalstore.js';
import { excerpt } from './generator/excerpt.js';
import { prepareDataset, type Dataset } from './generator/dataset.js';
import { ingestAll } from './ingest/workloads.js';
import { median, secondsOf } from './measure.js';
import { readOptions, type Options } from './options.js';
import { ask } from './questions/ask.js';
import { questions } from './questions/questions.js';
import { table, type Cell } from './report/markdown.js';

const run = promisify(execFile);

const usage = 'npm run bench -- compare <rev> [--events N] [--rounds N]';
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = 'checkout';

/** One of each kind: more would take longer than anybody waits before a merge. */
const subset = new Set([
  'score-by-model',
  'hourly-p95',
  'rare-key',
  'cost-by-tier',
  'search-rare',
  'row-by-id',
  'trace',
]);
const loads = 5;

/** By the name of the side. */
type Sides<T> = ReadonlyMap<string, T>;

type Figures = Map<string, Map<string, number[]>>;

function note(figures: Figures, what: string, side: string, value: number): void {
  const sides = figures.get(what) ?? new Map<string, number[]>();
  sides.set(side, [...(sides.get(side) ?? []), value]);
  figures.set(what, sides);
}

/** A built work tree of the revision. */
async function checkOut(revision: string, directory: string): Promise<void> {
  await run('git', ['worktree', 'add', '--detach', directory, revision], { cwd: root });
  await run('npm', ['ci'], { cwd: directory });
  await run('npm', ['run', 'build'], { cwd: directory });
}

async function openSide(name: string, sideRoot: string, options: Options): Promise<Evalstore> {
  const directory = await mkdtemp(path.join(options.directory, `compare-`));
  const { threads, memoryMb } = options;
  const evalstore = await openEvalstore({
    directory,
    root: sideRoot,
    threads,
    memoryMb: memoryMb >> 1,
    leaves: [],
  });
  const close = async () => {
    await evalstore.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { ...evalstore, name, close };
}

async function closeAll(sides: Sides<Evalstore>): Promise<void> {
  for (const side of sides.values()) await side.close();
}

async function loadSides(
  roots: Sides<string>,
  dataset: Dataset,
  options: Options,
  figures: Figures,
): Promise<Sides<Evalstore>> {
  const sides = new Map<string, Evalstore>();
  for (const [name, sideRoot] of roots) {
    const side = await openSide(name, sideRoot, options);
    sides.set(name, side);
    note(figures, 'bulk load, ms', name, 1000 * (await secondsOf(() => side.insert(dataset))));
    // The flushes of one side would slow the load of the next.
    await side.settle();
  }
  return sides;
}

async function compareSides(
  roots: Sides<string>,
  dataset: Dataset,
  options: Options,
): Promise<Figures> {
  const figures: Figures = new Map();
  for (let load = 1; load < loads; load++) {
    const inTurn = load % 2 === 1 ? roots : new Map([...roots].reverse());
    await closeAll(await loadSides(inTurn, dataset, options, figures));
  }
  const sides = await loadSides(roots, dataset, options, figures);
  try {
    const attempt = attemptInto([], console.error);
    const { samples, first } = await excerpt(dataset);
    for (const question of questions.filter(({ name }) => subset.has(name))) {
      for (const outcome of await ask([...sides.values()], question, samples, options.rounds)) {
        if (outcome.reason !== undefined)
          console.error(`${question.name}, ${outcome.contender}: ${outcome.reason}`);
        for (const milliseconds of outcome.milliseconds)
          note(figures, `${question.name}, ms`, outcome.contender, milliseconds);
      }
    }
    for (const { contender, workload, p50Ms } of await ingestAll(
      [...sides.values()],
      first,
      loads,
      attempt,
    ))
      note(figures, `${workload} insert, ms`, contender, p50Ms);
  } finally {
    await closeAll(sides);
  }
  return figures;
}

function printFigures(figures: Figures, revision: string): void {
  const rows = [...figures].map(([what, sides]): readonly Cell[] => {
    const [before, after] = [revision, here].map((side) => median(sides.get(side) ?? []));
    return [what, before ?? null, after ?? null, (after ?? NaN) / (before ?? NaN)];
  });
  console.log(table(['Median', revision, here, 'ratio'], rows));
}

async function main(): Promise<void> {
  const [revision, ...args] = process.argv.slice(2);
  if (revision === undefined || revision.startsWith('-')) throw new Error('expected a revision');
  const options = readOptions(['--events', '20000', ...args]);
  await mkdir(options.directory, { recursive: true });
  const dataset = await prepareDataset(
    options.directory,
    options.seed,
    options.events,
    options.profile,
  );
  const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-revision-'));
  try {
    await checkOut(revision, directory);
    const roots = new Map([
      [revision, directory],
      [here, root],
    ]);
    printFigures(await compareSides(roots, dataset, options), revision);
  } finally {
    await run('git', ['worktree', 'remove', '--force', directory], { cwd: root });
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(usage);
  process.exitCode = 1;
}
