// Results of a run -> its tables.
import { questions } from '../questions/questions.js';
import type { Results } from '../results.js';
import { table, type Cell } from './markdown.js';
import { meanRatio, medianOf, ratioTo } from './ratios.js';

const megabyte = 1e6;

const titles = new Map([
  ...questions.map(({ name, title }) => [name, title] as const),
  ['export', 'all rows to Parquet'],
  ['experiment-comparison', 'summary of an experiment of 20,000 rows against another'],
]);

const rivals = (results: Results) => results.contenders.filter(({ name }) => name !== 'evalstore');

/** A row that begins with what the question asks. */
function titled<T>(
  question: string,
  items: readonly T[],
  cell: (item: T) => Cell,
): readonly Cell[] {
  const title: Cell = titles.get(question) ?? question;
  return [title, ...items.map(cell)];
}

/** A time, or why there is none. */
function timeCell(results: Results, contender: string, question: string): Cell {
  const outcome = results.outcomes.find(
    (each) => each.contender === contender && each.question === question,
  );
  return outcome?.median ?? outcome?.status ?? null;
}

const askedIn = (results: Results): readonly string[] => [
  ...new Set(results.outcomes.map(({ question }) => question)),
];

/** Medians in milliseconds. */
export const timeTable = (results: Results): string =>
  table(
    ['Question, ms', 'Evalstore', ...rivals(results).map(({ title }) => title)],
    askedIn(results).map((question) =>
      titled(question, ['evalstore', ...rivals(results).map(({ name }) => name)], (name) =>
        timeCell(results, name, question),
      ),
    ),
  );

/** Evalstore's time as a multiple of each other one's: below 1 it is faster. */
export function ratioTable(results: Results): string {
  const others = rivals(results);
  const rows = askedIn(results).map((question) =>
    titled(question, others, ({ name }) => ratioTo(results, name, question)),
  );
  const means = [
    '**geometric mean of the analytic questions**',
    ...others.map(({ name }) => meanRatio(results, name)),
  ];
  return table(['Evalstore to', ...others.map(({ title }) => title)], [...rows, means]);
}

const loadRow = (results: Results, title: string, seconds: number): readonly Cell[] => [
  title,
  results.events / seconds,
  results.datasetBytes / megabyte / seconds,
];

export function loadTable(results: Results): string {
  const rows = results.contenders.map(({ title, insertSeconds, settleSeconds, bytesOnDisk }) =>
    loadRow(results, title, insertSeconds).concat(settleSeconds, bytesOnDisk / results.events),
  );
  const { bareLoadSeconds } = results;
  const bare =
    bareLoadSeconds === null
      ? []
      : [loadRow(results, 'bare store: parse, append, commit', bareLoadSeconds).concat(null, null)];
  return table(
    ['Loading', 'events/s', 'MB/s of JSON', 'settling, s', 'bytes on disk per event'],
    [...rows, ...bare],
  );
}

const workloads = { single: 'single events', sdk: 'start of a span, later its merge' } as const;

export const ingestTable = (results: Results): string =>
  table(
    ['Requests', 'Connections', 'requests/s', 'p50, ms', 'p99, ms', 'longest, ms'],
    results.ingest.map((each) => [
      `${workloads[each.workload]}: ${each.contender}`,
      each.connections,
      each.requestsPerSecond,
      each.p50Ms,
      each.p99Ms,
      each.maxMs,
    ]),
  );

export const pageTable = ({ pages }: Results): string =>
  table(
    ['Page of 100 traces', 'ms'],
    pages.map(({ tracesBefore, median }) => [
      `after ${tracesBefore.toLocaleString('en-US')} traces`,
      median,
    ]),
  );

export function processTable({ process, processFailure }: Results): string | null {
  if (process === null)
    return processFailure === null ? null : `The server did not start again: ${processFailure}.`;
  return table(
    ['Process', ''],
    [
      ['seconds until ready', process.startSeconds],
      ['seconds until ready after SIGKILL', process.startAfterKillSeconds],
      [`memory ${process.idleSeconds} s after the start, MB`, process.idleMemoryMb],
      ['peak memory of the run, MB', process.peakMemoryMb],
    ],
  );
}

/** What has no time, and why. */
export function refusals(results: Results): string | null {
  const lines = results.outcomes
    .filter(({ status }) => status !== 'answered')
    .map(
      ({ contender, question, status, reason }) =>
        `- ${contender}, ${question}: ${status}: ${reason ?? ''}`,
    );
  const absent = Object.entries(results.absent).map(
    ([name, reason]) => `- ${name}: absent: ${reason}`,
  );
  return lines.length + absent.length === 0
    ? null
    : ['Without a time:', '', ...lines, ...absent].join('\n');
}

function costOf(run: Results, question: string): number | null {
  const time = medianOf(run, 'evalstore', question);
  return time === null ? null : (time / run.events) * 1e6;
}

/** Evalstore's cost of each question per million events, as their number grows. */
export function scalingTable(runs: readonly Results[]): string {
  const names = [...new Set(runs.flatMap(askedIn))];
  const rows = names.map((question) => titled(question, runs, (run) => costOf(run, question)));
  return table(['ms per million events', ...runs.map(({ name }) => name)], rows);
}
