// Two experiments -> SQL for how the first one did, and how far it is from the second: values of each trace,
// then means over traces, and differences between traces that have the same input.
import { join, sql, type Sql } from '../duckdb/sql.js';
import type { EventRelation } from '../schema/event-relation.js';
import { createArmColumns } from './arm-columns.js';
import { countedApart } from './counted-arms.js';
import { computedMetrics, knownMetrics, spanFacts } from './trace-metrics.js';
import type { Facet } from './value.js';

/** What a summary has one entry for. */
export interface Measure {
  readonly kind: 'score' | 'metric';
  readonly name: string;
  /** Of its values: seconds, tokens, or none. */
  readonly unit: 's' | 'tok' | '';
}

export interface MemberName {
  readonly column: 'scores' | 'metrics';
  readonly name: string;
}

/** The columns of the summary's row, for each measure in turn; numbers that do not exist are NULL. */
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

interface MeasuredTrace extends Measure {
  /** DOUBLE: an aggregate over the rows of a trace. */
  readonly value: Sql;
}

export interface SummaryQuery {
  readonly measures: readonly Measure[];
  /** One row: `summaryColumns` of the first measure, then those of the second, and so on. */
  readonly row: Sql;
}

const units: Readonly<Record<string, Measure['unit']>> = {
  duration: 's',
  prompt_tokens: 'tok',
  completion_tokens: 'tok',
  total_tokens: 'tok',
};

const column = (prefix: string, index: number): Sql => ({ parts: [`${prefix}${index}`] });

const computed: readonly MeasuredTrace[] = Object.entries(computedMetrics).map(([name, value]) => ({
  kind: 'metric',
  name,
  unit: units[name] ?? '',
  value,
}));

/** A number of each row, and the measure of the traces that is its mean. */
function stored(members: readonly MemberName[]) {
  const own = members.filter(
    ({ column: of, name }) => of === 'scores' || !knownMetrics.includes(name),
  );
  return own.map(({ column: of, name }, index) => {
    const kind: Measure['kind'] = of === 'scores' ? 'score' : 'metric';
    const number = column('n', index);
    const value = sql`avg(${of === 'scores' ? number : sql`CASE WHEN _counted THEN ${number} END`})`;
    return { of, number, measure: { kind, name, unit: '', value } as const };
  });
}

type Stored = ReturnType<typeof stored>;

/** The rows of both experiments with what is asked of them, and nothing else. */
function spans(relation: EventRelation, numbers: Stored): Sql {
  const { field, order, from } = createArmColumns(relation);
  const facet = (of: string, steps: readonly string[], name: Facet) => field(of, steps).facet(name);
  const facts = spanFacts({
    attribute: (name) => facet('span_attributes', [name], 'string'),
    metric: (name) => facet('metrics', [name], 'number'),
  });
  const list = [
    sql`${order('object')} AS object_id`,
    sql`${order('trace')} AS root_span_id`,
    sql`${order('transaction')} AS _xact_id`,
    sql`${order('position')} AS _position`,
    sql`${order('inputHash')} AS _input_hash`,
    sql`${facet('created', [], 'timestamp')} AS created`,
    sql`${facet('is_root', [], 'boolean')} AS is_root`,
    sql`${facet('error', [], 'raw')} AS error`,
    ...facts,
    ...numbers.map(({ of, number, measure }) => {
      const value = facet(of, [measure.name], 'number');
      return sql`CASE WHEN isfinite(${value}) THEN ${value} END AS ${number}`;
    }),
  ];
  return sql`SELECT ${join(list)} FROM ${from()}`;
}

/** Of several roots the earliest counts, also when its input is null: its trace is then not matched. */
const bucket = sql`arg_min_null(_input_hash, (created, _xact_id, _position)) FILTER (is_root)`;

// Differences of equal numbers that were added up in another order.
const noise = 1e-12;

/** Between the means of a bucket's traces on both sides. */
function difference(ours: Sql, theirs: Sql): Sql {
  const isNoise = sql`abs(${ours} - ${theirs}) <= ${noise} * greatest(abs(${ours}), abs(${theirs}))`;
  return sql`CASE WHEN ${isNoise} THEN 0 ELSE ${ours} - ${theirs} END`;
}

// The engine refuses to square what is greater.
const squareMax = 1e100;

/** The standard deviation and the count of values; of metrics nobody is told. */
function spread(kind: Measure['kind'], value: Sql): readonly Sql[] {
  if (kind === 'metric') return [sql`NULL`, sql`NULL`];
  const squarable = sql`CASE WHEN abs(${value}) < ${squareMax} THEN ${value} END`;
  return [
    sql`CASE WHEN max(abs(${value})) < ${squareMax} THEN stddev_samp(${squarable}) END`,
    sql`count(${value})`,
  ];
}

// Compensated sums: the rounding of many traces would show in the mean.
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

/** `place` makes the names of a statement's columns different ones. */
const named = (list: readonly Sql[], place: string): readonly Sql[] =>
  list.map((item, index) => sql`${item} AS ${column(place, index)}`);

/**
 * @param members what the rows may carry
 * @param ours id of the experiment that is summed up
 * @param theirs id of the one that it is compared with, null for none; it may be the same
 */
export function summaryQuery(
  relation: EventRelation,
  members: readonly MemberName[],
  ours: string,
  theirs: string | null,
): SummaryQuery {
  const numbers = stored(members);
  const measures = [...numbers.map(({ measure }) => measure), ...computed];
  const values = measures.map(({ value }, index) => sql`${value} AS ${column('v', index)}`);
  const means = measures.map(
    (_, index) => sql`avg(${column('v', index)}) AS ${column('v', index)}`,
  );
  const diffs = measures.map((_, index) => {
    const value = column('v', index);
    return sql`${difference(sql`ours.${value}`, sql`theirs.${value}`)} AS ${column('d', index)}`;
  });
  const sums = measures.flatMap(({ kind }, index) =>
    named(overTraces(kind, column('v', index)), `t${index}_`),
  );
  const gaps = measures.flatMap(({ kind }, index) =>
    named(overBuckets(kind, column('d', index)), `b${index}_`),
  );
  const buckets = (side: Sql) =>
    sql`(SELECT bucket, ${join(means)} FROM trace WHERE ${side} AND bucket IS NOT NULL GROUP BY bucket)`;
  const shown = measures.flatMap((_, index) => [
    ...[0, 1, 2].map((part) => column(`t${index}_`, part)),
    ...[0, 1, 2, 3, 4].map((part) => column(`b${index}_`, part)),
  ]);
  const row = sql`
    WITH span AS (${spans(relation, numbers)}),
    trace AS MATERIALIZED (
      SELECT object_id = ${ours} AS is_ours, object_id = ${theirs ?? ''} AS is_theirs,
        ${bucket} AS bucket, ${join(values)}
      FROM span GROUP BY object_id, root_span_id),
    bucket AS (
      SELECT ${join(diffs)}
      FROM ${buckets(sql`is_ours`)} ours JOIN ${buckets(sql`is_theirs`)} theirs USING (bucket))
    SELECT ${join(shown)}
    FROM (SELECT ${join(sums)} FROM trace WHERE is_ours), (SELECT ${join(gaps)} FROM bucket)`;
  return { measures, row };
}

/** One row with the number of records. */
export function recordCount(relation: EventRelation): Sql {
  const { relation: uncounted, rows } = countedApart(relation);
  return sql`SELECT count(*) + ${BigInt(rows)} FROM ${createArmColumns(uncounted).from()}`;
}
