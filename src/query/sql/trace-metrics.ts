// SQL for the metrics of a trace, as aggregates over its rows. The shape `summary` and the summaries of experiments share
// them.
import { sql, type Sql } from '../../duckdb/sql.js';

/** SQL for members of a row's JSON columns; NULL if the value is absent or of another type. */
export interface SpanReader {
  /** VARCHAR: a member of `span_attributes`. */
  readonly attribute: (name: string) => Sql;
  /** DOUBLE: a member of `metrics`. */
  readonly metric: (name: string) => Sql;
}

/** SELECT list of the columns, beside those of the row, that metrics are computed from. */
export function spanFacts({ attribute, metric }: SpanReader): readonly Sql[] {
  // Metrics exclude rows of scorers.
  const isCounted = sql`${attribute('purpose')} IS DISTINCT FROM 'scorer'`;
  const counted = (fact: Sql) => sql`CASE WHEN ${isCounted} THEN ${fact} END`;
  const prompt = metric('prompt_tokens');
  const completion = metric('completion_tokens');
  const total = sql`coalesce(${metric('total_tokens')}, ${metric('tokens')}, ${prompt} + ${completion})`;
  return [
    sql`${isCounted} AS _counted`,
    sql`${counted(attribute('type'))} AS _type`,
    sql`${counted(metric('start'))} AS _start`,
    sql`${counted(metric('end'))} AS _end`,
    sql`${counted(prompt)} AS _prompt`,
    sql`${counted(completion)} AS _completion`,
    sql`${counted(total)} AS _total`,
  ];
}

/** Names of metrics that are not averaged: they are computed, or used to compute others. */
export const knownMetrics: readonly string[] = [
  'start',
  'end',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'tokens',
  'duration',
  'llm_calls',
  'tool_calls',
  'errors',
];

/** Aggregates over the rows of a trace. Arguments and results are SQL over `spanFacts`. */
export interface RowsOfTrace {
  readonly sum: (value: Sql) => Sql;
  readonly mean: (value: Sql) => Sql;
  readonly least: (value: Sql) => Sql;
  readonly greatest: (value: Sql) => Sql;
  /** The number of rows in which the value is not NULL. */
  readonly count: (value: Sql) => Sql;
  /** The value in the earliest root in which it is not NULL. */
  readonly ofRoot: (value: Sql) => Sql;
}

export const manyRows: RowsOfTrace = {
  sum: (value) => sql`fsum(${value})`,
  mean: (value) => sql`favg(${value})`,
  least: (value) => sql`min(${value})`,
  greatest: (value) => sql`max(${value})`,
  count: (value) => sql`count(${value})`,
  ofRoot: (value) => sql`arg_min(${value}, (created, _xact_id, _position)) FILTER (is_root)`,
};

/** For traces with at most one root. */
export const manyRowsOneRoot: RowsOfTrace = {
  ...manyRows,
  ofRoot: (value) => sql`any_value(CASE WHEN is_root THEN ${value} END)`,
};

/** For traces of one row: no aggregates. */
export const oneRow: RowsOfTrace = {
  sum: (value) => value,
  mean: (value) => value,
  least: (value) => value,
  greatest: (value) => value,
  count: (value) => sql`CASE WHEN ${value} IS NULL THEN 0 ELSE 1 END`,
  ofRoot: (value) => sql`CASE WHEN is_root THEN ${value} END`,
};

const inTimedTask = (fact: Sql): Sql =>
  sql`CASE WHEN _type = 'task' AND _start IS NOT NULL AND _end IS NOT NULL THEN ${fact} END`;

/** Metrics by name, over `spanFacts` and the columns of a row: DOUBLE, NULL if the trace lacks the metric. */
export function computedMetrics({
  sum,
  least,
  greatest,
  count,
  ofRoot,
}: RowsOfTrace): Readonly<Record<string, Sql>> {
  // Among many aggregates, a FILTER costs more than a CASE in the argument.
  const callsOf = (type: Sql): Sql => count(sql`CASE WHEN _type = ${type} THEN 1 END`);
  /** Sums over the rows of model calls, or over all rows if there are no such rows. */
  const tokens = (fact: Sql): Sql =>
    sql`CASE WHEN ${callsOf(sql`'llm'`)} > 0 THEN ${sum(sql`CASE WHEN _type = 'llm' THEN ${fact} END`)} ELSE ${sum(fact)} END`;
  return {
    duration: sql`coalesce(${greatest(inTimedTask(sql`_end`))} - ${least(inTimedTask(sql`_start`))}, ${ofRoot(sql`_end - _start`)})`,
    prompt_tokens: tokens(sql`_prompt`),
    completion_tokens: tokens(sql`_completion`),
    total_tokens: tokens(sql`_total`),
    llm_calls: sql`CAST(${callsOf(sql`'llm'`)} AS DOUBLE)`,
    tool_calls: sql`CAST(${callsOf(sql`'tool'`)} AS DOUBLE)`,
    errors: sql`CAST(${count(sql`CASE WHEN _counted THEN error END`)} AS DOUBLE)`,
  };
}
