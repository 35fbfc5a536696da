// Two experiments -> SQL for how the first one did, and how far it is from the second: values of each trace,
// then means over traces, and differences between traces that have the same input.
import { join, sql, type Sql } from '../duckdb/sql.js';
import type { EventRelation } from '../schema/event-relation.js';
import { createArmColumns } from './arm-columns.js';
import { countedApart } from './counted-arms.js';
import {
  computedMetrics,
  knownMetrics,
  manyRows,
  manyRowsOneRoot,
  oneRow,
  spanFacts,
  type RowsOfTrace,
} from './trace-metrics.js';
import { traceHash, type TraceShape } from './trace-shape.js';
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
  /** DOUBLE over the rows of a trace; null when it is 0 of every trace. */
  readonly value: Sql | null;
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

/** Metrics that no row can have a value for are left out. */
function computed(relation: EventRelation, rows: RowsOfTrace, { hasErrors }: TraceShape) {
  const { field } = createArmColumns(relation);
  const isStored = (name: string) => field('metrics', [name]).kinds.includes('number');
  const hasTypes = field('span_attributes', ['type']).kinds.includes('string');
  const isMade: Readonly<Record<string, boolean>> = {
    duration: isStored('start') && isStored('end'),
    prompt_tokens: isStored('prompt_tokens'),
    completion_tokens: isStored('completion_tokens'),
    total_tokens: ['total_tokens', 'tokens', 'prompt_tokens'].some(isStored),
  };
  const isCounted: Readonly<Record<string, boolean>> = {
    llm_calls: hasTypes,
    tool_calls: hasTypes,
    errors: hasErrors,
  };
  return Object.entries(computedMetrics(rows))
    .filter(([name]) => isMade[name] !== false)
    .map(([name, value]): MeasuredTrace => ({
      kind: 'metric',
      name,
      unit: units[name] ?? '',
      value: isCounted[name] === false ? null : value,
    }));
}

/** A number of each row, and the measure of the traces that is its mean. */
function stored(members: readonly MemberName[], rows: RowsOfTrace) {
  const own = members.filter(
    ({ column: of, name }) => of === 'scores' || !knownMetrics.includes(name),
  );
  return own.map(({ column: of, name }, index) => {
    const kind: Measure['kind'] = of === 'scores' ? 'score' : 'metric';
    const number = column('n', index);
    const value = rows.mean(of === 'scores' ? number : sql`CASE WHEN _counted THEN ${number} END`);
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
    sql`CASE WHEN count(${squarable}) = count(${value}) THEN stddev_samp(${squarable}) END`,
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

/** `_input_hash` is that of roots alone. Of several roots the earliest counts, also when its input is null. */
const bucketOf = ({ hasSingleRoots }: TraceShape): Sql =>
  hasSingleRoots
    ? sql`any_value(_input_hash)`
    : sql`arg_min_null(_input_hash, (created, _xact_id, _position)) FILTER (is_root)`;

function traces(span: Sql, values: readonly Sql[], shape: TraceShape): Sql {
  if (shape.hasSingleRows)
    return sql`SELECT ${join([sql`object_id, _input_hash AS bucket`, ...values])} FROM (${span})`;
  const key = shape.hasTellingHashes ? traceHash : sql`object_id, root_span_id`;
  const own = sql`any_value(object_id) AS object_id, ${bucketOf(shape)} AS bucket`;
  return sql`SELECT ${join([own, ...values])} FROM (${span}) GROUP BY ${key}`;
}

const rowsOfTrace = ({ hasSingleRows, hasSingleRoots }: TraceShape): RowsOfTrace => {
  if (hasSingleRows) return oneRow;
  return hasSingleRoots ? manyRowsOneRoot : manyRows;
};

/** Every trace of ours with its differences from the one of theirs that has the same input. */
const besideEachOther = (columns: Columns, ours: string, theirs: string | null): Sql => sql`
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

/** The means over the traces of each bucket, and their differences; apart from the means over all traces. */
function byBucket(columns: Columns, ours: string, theirs: string | null): Sql {
  const means = columns.values.map((value) => sql`avg(${value}) AS ${value}`);
  const buckets = (id: string) =>
    sql`(SELECT ${join([sql`bucket`, ...means])} FROM trace WHERE object_id = ${id} AND bucket IS NOT NULL GROUP BY bucket)`;
  return sql`
    SELECT * FROM (SELECT ${join([sql`count(*) AS traces`, ...columns.sums])} FROM trace WHERE object_id = ${ours}),
      (SELECT ${join([...columns.gaps, sql`count(*) AS matched`])} FROM (
        SELECT ${join([sql`bucket`, ...columns.diffs])}
        FROM ${buckets(ours)} ours JOIN ${buckets(theirs ?? '')} theirs USING (bucket)))`;
}

/** What is computed for each measure that has values; `values` are the names. */
interface Columns {
  readonly values: readonly Sql[];
  readonly diffs: readonly Sql[];
  readonly sums: readonly Sql[];
  readonly gaps: readonly Sql[];
}

function columnsOf(measures: readonly MeasuredTrace[]): Columns {
  const made = measures.flatMap(({ kind, value }, index) =>
    value === null ? [] : [{ kind, index }],
  );
  const names = made.map(({ index }) => column('v', index));
  return {
    values: names,
    diffs: made.map(({ index }) => {
      const value = column('v', index);
      return sql`${difference(sql`ours.${value}`, sql`theirs.${value}`)} AS ${column('d', index)}`;
    }),
    sums: made.flatMap(({ kind, index }) =>
      named(overTraces(kind, column('v', index)), `t${index}_`),
    ),
    gaps: made.flatMap(({ kind, index }) =>
      named(overBuckets(kind, column('d', index)), `b${index}_`),
    ),
  };
}

/** Of a measure that is 0 of every trace; the mean of no traces is the caller's. */
const zeros: readonly Sql[] = [
  'NULL',
  'NULL',
  'NULL',
  'CASE WHEN matched > 0 THEN 0 END',
  'NULL',
  'NULL',
  '0',
  '0',
].map((text) => ({ parts: [text] }));

const shownOf = (measures: readonly MeasuredTrace[]): readonly Sql[] =>
  measures.flatMap(({ value }, index) =>
    value === null
      ? named(zeros, `z${index}_`)
      : [
          ...[0, 1, 2].map((part) => column(`t${index}_`, part)),
          ...[0, 1, 2, 3, 4].map((part) => column(`b${index}_`, part)),
        ],
  );

/**
 * @param members what the rows may carry
 * @param shape of the traces of both experiments
 * @param ours id of the experiment that is summed up
 * @param theirs id of the one that it is compared with, null for none; it may be the same
 */
export function summaryQuery(
  relation: EventRelation,
  members: readonly MemberName[],
  shape: TraceShape,
  ours: string,
  theirs: string | null,
): SummaryQuery {
  const rows = rowsOfTrace(shape);
  const numbers = stored(members, rows);
  const measures: readonly MeasuredTrace[] = [
    ...numbers.map(({ measure }) => measure),
    ...computed(relation, rows, shape),
  ];
  const values = measures.flatMap(({ value }, index) =>
    value === null ? [] : [sql`${value} AS ${column('v', index)}`],
  );
  const trace = traces(spans(relation, numbers), values, shape);
  const columns = columnsOf(measures);
  // What is grouped is not to be grouped twice.
  const withTrace = sql`WITH trace AS ${shape.hasSingleRows ? sql`` : sql`MATERIALIZED`} (${trace})`;
  const compared = shape.hasSingleTrials ? besideEachOther : byBucket;
  const row = sql`${withTrace} SELECT ${join(shownOf(measures))} FROM (${compared(columns, ours, theirs)})`;
  return { measures, row };
}

/** One row with the number of records. */
export function recordCount(relation: EventRelation): Sql {
  const { relation: uncounted, rows } = countedApart(relation);
  return sql`SELECT count(*) + ${BigInt(rows)} FROM ${createArmColumns(uncounted).from()}`;
}
