// The section on scaling: costs by number of events.
import { isGenerated, type Results } from '../results.js';
import { section, table, titled } from './markdown.js';
import { medianOf } from './ratios.js';

type Figure = (run: Results) => number | null;

const microsecondsPerEvent =
  (milliseconds: Figure): Figure =>
  (run) => {
    const time = milliseconds(run);
    return time === null ? null : (time / run.events) * 1000;
  };

/** The ratio of the largest run to the smallest. */
function growth(values: readonly (number | null)[]): number | null {
  const [first, last] = [values[0] ?? null, values.at(-1) ?? null];
  return first === null || last === null ? null : last / first;
}

const own = (run: Results) => run.contenders.find(({ name }) => name === 'evalstore');

/** Figures that should not grow with the number of events. */
const whole: Readonly<Record<string, Figure>> = {
  'one row by its id, ms': (run) => medianOf(run, 'evalstore', 'row-by-id'),
  'one trace, ms': (run) => medianOf(run, 'evalstore', 'trace'),
  'page 1, ms': ({ pages }) => pages[0]?.median ?? null,
  'deep page, ms': ({ pages }) => pages[1]?.median ?? null,
  'seconds until ready': ({ process }) => process?.startSeconds ?? null,
  'seconds until ready after SIGKILL': ({ process }) => process?.startAfterKillSeconds ?? null,
  'memory at rest, MB': ({ process }) => process?.idleMemoryMb ?? null,
  'peak memory, MB': ({ process }) => process?.peakMemoryMb ?? null,
  'single events, requests/s': ({ ingest }) =>
    ingest.find(({ contender, workload }) => contender === 'evalstore' && workload === 'single')
      ?.requestsPerSecond ?? null,
  'bytes on disk per event': (run) => {
    const bytes = own(run)?.bytesOnDisk;
    return bytes === undefined ? null : bytes / run.events;
  },
};

/** Figures that grow at least in proportion to the number of events. */
function shares(runs: readonly Results[]): Readonly<Record<string, Figure>> {
  const questions = runs
    .flatMap((run) => run.questions)
    .filter(({ group }) => group !== 'lookup')
    .map(({ name, title }): [string, Figure] => [
      title,
      microsecondsPerEvent((run) => medianOf(run, 'evalstore', name)),
    ]);
  const bulk = microsecondsPerEvent((run) => (own(run)?.insertSeconds ?? NaN) * 1000);
  return { 'bulk insert': bulk, ...Object.fromEntries(questions) };
}

function figureTable(
  title: string,
  runs: readonly Results[],
  figures: Readonly<Record<string, Figure>>,
): string {
  const sizes = runs.map(({ events, profile }) => `${events.toLocaleString('en-US')}, ${profile}`);
  const rows = Object.entries(figures).map(([what, figure]) => {
    const values = runs.map(figure);
    return titled(what, [...values, growth(values)]);
  });
  return table([title, ...sizes, 'last to first'], rows);
}

/** Returns null unless there are several runs of generated events. */
export function scalingSection(all: readonly Results[]): string | null {
  const runs = all.filter(isGenerated);
  if (runs.length < 2) return null;
  return section(
    'Scaling',
    'Evalstore at each size. A constant or falling cost per event means linear growth or better.',
    figureTable('µs per event', runs, shares(runs)),
    figureTable('', runs, whole),
  );
}
