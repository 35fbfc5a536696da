// Converts the computed row of a summary to the scores and metrics of the answer.
import { summaryColumns, type SummaryColumn } from '../../query/summary/differences.js';
import type { Measure } from '../../query/summary/measures.js';
import type { MetricSummary, ScoreStatistics, ScoreSummary } from '../../schema/summary.js';
import { tInterval } from './t-interval.js';

type Numbers = Readonly<Record<SummaryColumn, number | null>>;

/** Rounds to 15 digits, since the engine adds in any order. Integers that a double represents exactly stay as they are. */
function numberOf(value: unknown): number | null {
  const number = value === null ? NaN : Number(value);
  if (!Number.isFinite(number)) return null;
  if (Number.isSafeInteger(number)) return number;
  const rounded = Number(number.toPrecision(15));
  return Number.isFinite(rounded) ? rounded : number;
}

const numbersOf = (row: readonly unknown[], measure: number): Numbers =>
  Object.fromEntries(
    summaryColumns.map((name, index) => [
      name,
      numberOf(row[measure * summaryColumns.length + index]),
    ]),
  ) as Numbers;

/** Omits members that are null. */
const present = <K extends string>(fields: Readonly<Record<K, number | null>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<
    Record<K, number>
  >;

const scoreSummary = (
  { name }: Measure,
  score: number,
  { diff, greater, less }: Numbers,
): ScoreSummary => ({
  name,
  score,
  ...present({ diff }),
  improvements: greater ?? 0,
  regressions: less ?? 0,
});

function scoreStatistics(_measure: Measure, _mean: number, of: Numbers): ScoreStatistics {
  const { diff, count, stddev } = of;
  const diffCount = of.diff_count ?? 0;
  const interval = diff === null ? null : tInterval(diff, of.diff_stddev, diffCount);
  return {
    count: count ?? 0,
    ...present({ stddev }),
    diff_count: diffCount,
    ...present({ diff_low: interval?.low ?? null, diff_high: interval?.high ?? null }),
  };
}

/** A lower value of a metric is an improvement. */
const metricSummary = (
  { name, unit }: Measure,
  metric: number,
  { diff, greater, less }: Numbers,
): MetricSummary => ({
  name,
  metric,
  unit,
  ...present({ diff }),
  improvements: less ?? 0,
  regressions: greater ?? 0,
});

const counting = new Set(['llm_calls', 'tool_calls', 'errors']);

/** The mean of a measure. For an experiment without traces, metrics that count are 0 and others null. */
const meanOf = ({ kind, name }: Measure, { mean }: Numbers): number | null =>
  mean ?? (kind === 'metric' && counting.has(name) ? 0 : null);

export function summaryOf(measures: readonly Measure[], row: readonly unknown[]) {
  const found = measures.flatMap((measure, index) => {
    const numbers = numbersOf(row, index);
    const mean = meanOf(measure, numbers);
    return mean === null ? [] : [{ measure, numbers, mean }];
  });
  const entries = <T>(
    kind: Measure['kind'],
    entry: (measure: Measure, mean: number, numbers: Numbers) => T,
  ): Record<string, T> =>
    Object.fromEntries(
      found
        .filter(({ measure }) => measure.kind === kind)
        .map(({ measure, mean, numbers }) => [measure.name, entry(measure, mean, numbers)]),
    );
  return {
    scores: entries('score', scoreSummary),
    score_stats: entries('score', scoreStatistics),
    metrics: entries('metric', metricSummary),
  };
}
