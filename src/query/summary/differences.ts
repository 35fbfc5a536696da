// SQL that compares two experiments: means over traces, and differences between traces with equal inputs.
import { join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import { squarable } from '../value/aggregates.js';
import type { Measure, MeasuredTrace } from './measures.js';

/** The columns of each measure in the row of a summary. Numbers that do not exist are NULL. */
export const summaryColumns = [
  'mean',
  'stddev',
  'count',
  'diff',
  'diff_stddev',
  'diff_count',
  'greater',
  'less',
] as const;

export type SummaryColumn = (typeof summaryColumns)[number];

// Above the relative rounding error between compensated sums of equal numbers in different orders, which is some 1e-16, and below the
// differences that 15 digits show.
const noise = 1e-14;

/** The difference between the means of a bucket's traces on both sides. */
function difference(ours: Sql, theirs: Sql): Sql {
  const isNoise = sql`abs(${ours} - ${theirs}) <= ${noise} * greatest(abs(${ours}), abs(${theirs}))`;
  return sql`CASE WHEN ${isNoise} THEN 0 ELSE ${ours} - ${theirs} END`;
}

/** The standard deviation and the number of values; NULL for metrics. */
function spread(kind: Measure['kind'], value: Sql): readonly Sql[] {
  if (kind === 'metric') return [sql`NULL`, sql`NULL`];
  const squared = squarable(value);
  return [
    sql`CASE WHEN count(${squared}) = count(${value}) THEN stddev_samp(${squared}) END`,
    sql`count(${value})`,
  ];
}

// Compensated sums, because the rounding errors of many traces would show in the mean.
const overTraces = (kind: Measure['kind'], value: Sql): readonly Sql[] => [
  sql`favg(${value})`,
  ...spread(kind, value),
];

const overBuckets = (kind: Measure['kind'], diff: Sql): readonly Sql[] => [
  sql`favg(${diff})`,
  ...spread(kind, diff),
  sql`count(CASE WHEN ${diff} > 0 THEN 1 END)`,
  sql`count(CASE WHEN ${diff} < 0 THEN 1 END)`,
];

/** @param prefix makes the column names unique in the statement */
const named = (list: readonly Sql[], prefix: string): readonly Sql[] =>
  list.map((item, index) => sql`${item} AS ${numbered(prefix, index)}`);

/** The SQL for all measures that have values; `values` are the names of these. */
export interface Columns {
  readonly values: readonly Sql[];
  readonly diffs: readonly Sql[];
  readonly sums: readonly Sql[];
  readonly gaps: readonly Sql[];
}

export function columnsOf(measures: readonly MeasuredTrace[]): Columns {
  const made = measures.flatMap(({ kind, value }, index) =>
    value === null ? [] : [{ kind, index }],
  );
  const names = made.map(({ index }) => numbered('v', index));
  return {
    values: names,
    diffs: made.map(({ index }) => {
      const value = numbered('v', index);
      return sql`${difference(sql`ours.${value}`, sql`theirs.${value}`)} AS ${numbered('d', index)}`;
    }),
    sums: made.flatMap(({ kind, index }) =>
      named(overTraces(kind, numbered('v', index)), `t${index}_`),
    ),
    gaps: made.flatMap(({ kind, index }) =>
      named(overBuckets(kind, numbered('d', index)), `b${index}_`),
    ),
  };
}

/** The columns of a measure that is 0 for every trace. The caller adds the mean, which is 0 only if there are traces. */
const zeros: readonly Sql[] = [
  sql`NULL`,
  sql`NULL`,
  sql`NULL`,
  sql`CASE WHEN matched > 0 THEN 0 END`,
  sql`NULL`,
  sql`NULL`,
  sql`0`,
  sql`0`,
];

export const resultColumns = (measures: readonly MeasuredTrace[]): readonly Sql[] =>
  measures.flatMap(({ value }, index) =>
    value === null
      ? named(zeros, `z${index}_`)
      : [
          ...[0, 1, 2].map((part) => numbered(`t${index}_`, part)),
          ...[0, 1, 2, 3, 4].map((part) => numbered(`b${index}_`, part)),
        ],
  );

/** Compares each trace of `ours` with the one of `theirs` that has the same input. Inputs must be unique on each side. */
export const compareTraces = (columns: Columns, ours: string, theirs: string | null): Sql => sql`
  SELECT ${join([...columns.sums, ...columns.gaps, sql`count(matched) AS matched`])}
  FROM (
    SELECT ${join([
      ...columns.values.map((value) => sql`ours.${value} AS ${value}`),
      ...columns.diffs,
      sql`theirs.bucket AS matched`,
    ])}
    FROM (SELECT * FROM trace WHERE object_id = ${ours}) ours
    LEFT JOIN (SELECT * FROM trace WHERE object_id = ${theirs ?? ''} AND bucket IS NOT NULL) theirs
      ON ours.bucket = theirs.bucket)`;

/** Compares the means over the traces of each bucket. Computes the means over all traces separately. */
export function compareBuckets(columns: Columns, ours: string, theirs: string | null): Sql {
  const means = columns.values.map((value) => sql`favg(${value}) AS ${value}`);
  const buckets = (id: string) =>
    sql`(SELECT ${join([sql`bucket`, ...means])} FROM trace WHERE object_id = ${id} AND bucket IS NOT NULL GROUP BY bucket)`;
  return sql`
    SELECT * FROM (SELECT ${join([sql`count(*) AS traces`, ...columns.sums])} FROM trace WHERE object_id = ${ours}),
      (SELECT ${join([...columns.gaps, sql`count(*) AS matched`])} FROM (
        SELECT ${join([sql`bucket`, ...columns.diffs])}
        FROM ${buckets(ours)} ours JOIN ${buckets(theirs ?? '')} theirs USING (bucket)))`;
}
