// The runs of all sizes -> how the cost of each thing grows with the number of events.
import { isGenerated, type Results } from '../results.js';
import { section, table, titled, type Cell } from './markdown.js';
import { medianOf } from './ratios.js';

type Figure = (run: Results) => number | null;

const microsecondsPerEvent =
  (milliseconds: Figure): Figure =>
  (run) => {
    const time = milliseconds(run);
    return time === null ? null : (time / run.events) * 1000;
  };

const own = (run: Results) => run.contenders.find(({ name }) => name === 'evalstore');

/** What should not grow with the number of events. */
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

/** What grows with the number of events at best in proportion. */
function shares(runs: readonly Results[]): readonly (readonly Cell[])[] {
  const questions = new Map(
    runs
      .flatMap((run) => run.questions)
      .filter(({ group }) => group !== 'lookup')
      .map(({ name, title }) => [name, title]),
  );
  const rows = [...questions].map(([name, title]) =>
    titled(title, runs.map(microsecondsPerEvent((run) => medianOf(run, 'evalstore', name)))),
  );
  const bulk = microsecondsPerEvent((run) => (own(run)?.insertSeconds ?? NaN) * 1000);
  return [['bulk insert', ...runs.map(bulk)], ...rows];
}

/** Null unless there are several runs of generated events. */
export function scalingSection(all: readonly Results[]): string | null {
  const runs = all.filter(isGenerated);
  if (runs.length < 2) return null;
  const header = runs.map(({ events, profile }) => `${events.toLocaleString('en-US')}, ${profile}`);
  return section(
    'Scaling',
    'Evalstore at each size. A cost per event that stays or falls as the events grow is linear or better.',
    table(['µs per event', ...header], shares(runs)),
    table(
      ['', ...header],
      Object.entries(whole).map(([title, figure]) => titled(title, runs.map(figure))),
    ),
  );
}
