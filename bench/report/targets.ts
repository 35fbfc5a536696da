// The table of targets: bound, result, and whether it is met.
import { median } from '../measure.js';
import { bareName } from '../ingest/workloads.js';
import type { Results } from '../results.js';
import { table, type Cell } from './markdown.js';
import { analyticMean, analyticNames, limitRatio, meanRatio, medianOf, ratioTo } from './ratios.js';

interface Target {
  readonly what: string;
  readonly bound: number;
  readonly atLeast?: boolean;
  readonly reached: (results: Results) => number | null;
}

const inverse = (value: number | null): number | null => (value === null ? null : 1 / value);

const contender = (results: Results, name: string) =>
  results.contenders.find((each) => each.name === name) ?? null;

function quotient(
  results: Results,
  name: string,
  field: 'bytesOnDisk' | 'insertSeconds',
): number | null {
  const [own, other] = [contender(results, 'evalstore'), contender(results, name)];
  return own === null || other === null ? null : own[field] / other[field];
}

function bulkShare(results: Results): number | null {
  const own = contender(results, 'evalstore');
  if (own === null || results.bareInserts.length === 0) return null;
  return median(results.bareInserts) / own.insertSeconds;
}

const workload = (results: Results, name: string) =>
  results.ingest.find((each) => each.contender === name && each.workload === 'single') ?? null;

function singleShare(results: Results): number | null {
  const [own, bare] = [workload(results, 'evalstore'), workload(results, bareName)];
  return own === null || bare === null ? null : own.requestsPerSecond / bare.requestsPerSecond;
}

function singleTail(results: Results): number | null {
  const own = workload(results, 'evalstore');
  return own === null ? null : own.p99Ms / own.p50Ms;
}

function pageRatio({ pages: [first, deep] }: Results): number | null {
  return first === undefined || deep === undefined ? null : deep.median / first.median;
}

const lookup = (question: string) => (results: Results) => medianOf(results, 'evalstore', question);

function worstLimitRatio(results: Results): number | null {
  const ratios = analyticNames(results)
    .map((question) => limitRatio(results, question))
    .filter((ratio) => ratio !== null);
  return ratios.length === 0 ? null : Math.max(...ratios);
}

const targets: readonly Target[] = [
  {
    what: 'analytic questions, time relative to the limit, geometric mean',
    bound: 1.3,
    reached: (r) => analyticMean(r, (question) => limitRatio(r, question)),
  },
  {
    what: 'analytic questions, time relative to the limit, worst',
    bound: 2,
    reached: worstLimitRatio,
  },
  {
    what: 'analytic questions, speed relative to ClickHouse with native JSON',
    bound: 1.5,
    atLeast: true,
    reached: (r) => inverse(meanRatio(r, 'clickhouse')),
  },
  {
    what: 'analytic questions, speed relative to DuckDB over JSON text',
    bound: 10,
    atLeast: true,
    reached: (r) => inverse(meanRatio(r, 'duckdb-json')),
  },
  {
    what: 'bulk load, events per second relative to PostgreSQL',
    bound: 1,
    atLeast: true,
    reached: (r) => inverse(quotient(r, 'postgres', 'insertSeconds')),
  },
  {
    what: 'bulk load, events per second relative to the bare store',
    bound: 0.4,
    atLeast: true,
    reached: bulkShare,
  },
  {
    what: 'single events, requests per second relative to a bare handler',
    bound: 0.25,
    atLeast: true,
    reached: singleShare,
  },
  { what: 'single events, p99 relative to median', bound: 10, reached: singleTail },
  { what: 'deep page relative to page 1', bound: 1.2, reached: pageRatio },
  { what: 'one row by id, ms', bound: 25, reached: lookup('row-by-id') },
  { what: 'one trace, ms', bound: 25, reached: lookup('trace') },
  {
    what: 'rare word, speed relative to ILIKE in DuckDB',
    bound: 2.5,
    atLeast: true,
    reached: (r) => inverse(ratioTo(r, 'limit', 'search-rare')),
  },
  {
    what: "export, time to DuckDB's own COPY",
    bound: 1.3,
    reached: (r) => ratioTo(r, 'limit', 'export'),
  },
  { what: 'seconds until ready', bound: 2, reached: (r) => r.process?.startSeconds ?? null },
  {
    what: 'seconds until ready after SIGKILL under load',
    bound: 2,
    reached: (r) => r.process?.startAfterKillSeconds ?? null,
  },
  {
    what: 'idle memory after a start, MB',
    bound: 250,
    reached: (r) => r.process?.idleMemoryMb ?? null,
  },
  {
    what: 'bytes on disk relative to the ideal file',
    bound: 1.3,
    reached: (r) => quotient(r, 'limit', 'bytesOnDisk'),
  },
];

function row(target: Target, results: Results): readonly Cell[] {
  const reached = target.reached(results);
  const isMet =
    reached !== null &&
    (target.atLeast === true ? reached >= target.bound : reached <= target.bound);
  const verdict = reached === null ? 'not measured' : isMet ? 'met' : 'missed';
  return [
    target.what,
    `${target.atLeast === true ? 'at least' : 'at most'} ${target.bound}`,
    reached,
    verdict,
  ];
}

export const targetTable = (results: Results): string =>
  table(
    ['Target', 'Bound', 'Reached', ''],
    targets.map((target) => row(target, results)),
  );
