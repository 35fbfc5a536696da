// The tables of loading, single events, pages and the process.
import type { Results } from '../results.js';
import type { WorkloadName } from '../ingest/workloads.js';
import { median } from '../measure.js';
import { table, type Cell } from './markdown.js';

const megabyte = 1e6;

export function loadTable(results: Results): string {
  const { events, datasetBytes, contenders, bareInserts } = results;
  const row = (title: string, seconds: number, ...rest: readonly Cell[]): readonly Cell[] => [
    title,
    events / seconds,
    datasetBytes / megabyte / seconds,
    ...rest,
  ];
  const rows = contenders.map(({ title, insertSeconds, settleSeconds, bytesOnDisk }) =>
    row(title, insertSeconds, Math.round(settleSeconds * 10) / 10, bytesOnDisk / events),
  );
  if (bareInserts.length > 0)
    rows.push(row('bare store: parse, append, commit', median(bareInserts), null, null));
  return table(
    ['Loading', 'events/s', 'MB/s of JSON', 'settling, s', 'bytes on disk per event'],
    rows,
  );
}

const workloads = {
  single: 'single events',
  sdk: 'start of a span and its later merge',
} as const satisfies Record<WorkloadName, string>;

export function ingestTable({ ingest, contenders }: Results): string | null {
  if (ingest.length === 0) return null;
  const titles = new Map(contenders.map(({ name, title }) => [name, title]));
  return table(
    ['Requests', 'Connections', 'requests/s', 'p50, ms', 'p99, ms', 'longest, ms'],
    ingest.map((each) => [
      `${workloads[each.workload]}: ${titles.get(each.contender) ?? each.contender}`,
      each.connections,
      each.requestsPerSecond,
      each.p50Ms,
      each.p99Ms,
      each.maxMs,
    ]),
  );
}

export const pageTable = ({ pages }: Results): string | null =>
  pages.length === 0
    ? null
    : table(
        ['Page of 100 traces', 'ms'],
        pages.map(({ tracesBefore, median: time }) => [
          `after ${tracesBefore.toLocaleString('en-US')} traces`,
          time,
        ]),
      );

export function processTable({ process }: Results): string | null {
  if (process === null) return null;
  return table(
    ['Process', ''],
    [
      ['seconds until ready', process.startSeconds],
      ['seconds until ready after SIGKILL under load', process.startAfterKillSeconds],
      [`memory ${process.idleSeconds} s after the start, MB`, process.idleMemoryMb],
      ['peak memory of the run, MB', process.peakMemoryMb],
    ],
  );
}
