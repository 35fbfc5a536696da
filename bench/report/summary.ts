// The summary table of a run.
import type { Results } from '../results.js';
import { table, titled } from './markdown.js';
import { analyticMean, medianOf } from './ratios.js';

interface Line {
  readonly title: string;
  readonly figure: (results: Results, contender: string) => number | null;
}

const timeOf =
  (question: string): Line['figure'] =>
  (results, contender) =>
    medianOf(results, contender, question);

const requestsOf =
  (wanted: string): Line['figure'] =>
  ({ ingest }, name) =>
    ingest.find(({ contender, workload }) => contender === name && workload === wanted)
      ?.requestsPerSecond ?? null;

const contenderOf = ({ contenders }: Results, wanted: string) =>
  contenders.find(({ name }) => name === wanted)!;

const lines: readonly Line[] = [
  {
    title: 'analytic questions, geometric mean, ms',
    figure: (results, name) =>
      analyticMean(results, (question) => medianOf(results, name, question)),
  },
  { title: 'substring, frequent, ms', figure: timeOf('search-frequent') },
  { title: 'substring, rare, ms', figure: timeOf('search-rare') },
  { title: 'one row by its id, ms', figure: timeOf('row-by-id') },
  { title: 'one trace, ms', figure: timeOf('trace') },
  {
    title: 'summary of an experiment against another, ms',
    figure: timeOf('experiment-comparison'),
  },
  { title: 'all rows to Parquet, ms', figure: timeOf('export') },
  {
    title: 'bulk load, events/s',
    figure: (results, name) => results.events / contenderOf(results, name).insertSeconds,
  },
  { title: 'single events, requests/s', figure: requestsOf('single') },
  { title: 'start of a span and its later merge, requests/s', figure: requestsOf('sdk') },
  {
    title: 'bytes on disk per event',
    figure: (results, name) => contenderOf(results, name).bytesOnDisk / results.events,
  },
];

export function summaryTable(results: Results): string {
  const names = results.contenders.map(({ name }) => name);
  const ordered = ['evalstore', ...names.filter((name) => name !== 'evalstore')].filter((name) =>
    names.includes(name),
  );
  return table(
    ['', ...ordered.map((name) => contenderOf(results, name).title)],
    lines.map(({ title, figure }) =>
      titled(
        title,
        ordered.map((name) => figure(results, name)),
      ),
    ),
  );
}
