// SQL for the metrics of a trace, as aggregates over its rows. The shape `summary` and the summaries of experiments share
// them.
import { sql, type Sql } from '../../duckdb/sql.js';

/** SQL for members of a row's JSON columns; NULL where there is no value of the type. */
export interface SpanReader {
  /** VARCHAR: a member of `span_attributes`. */
  readonly attribute: (name: string) => Sql;
  /** DOUBLE: a member of `metrics`. */
  readonly metric: (name: string) => Sql;
}

/** The columns that `computedMetrics` and the means of other metrics are made of, beside those of the row. */
export function spanFacts({ attribute, metric }: SpanReader): readonly Sql[] {
  // Rows of scorers are in none of the metrics.
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

/** Stored metrics that are not averaged under their own names. */
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
  /** Of the rows where it is not NULL. */
  readonly count: (value: Sql) => Sql;
  /** Of the earliest root where it is not NULL. */
  readonly ofRoot: (value: Sql) => Sql;
}

export const manyRows: RowsOfTrace = {
  sum: (value) => sql`sum(${value})`,
  mean: (value) => sql`avg(${value})`,
  least: (value) => sql`min(${value})`,
  greatest: (value) => sql`max(${value})`,
  count: (value) => sql`count(${value})`,
  ofRoot: (value) => sql`arg_min(${value}, (created, _xact_id, _position)) FILTER (is_root)`,
};

/** Of traces that have one root at most. */
export const manyRowsOneRoot: RowsOfTrace = {
  ...manyRows,
  ofRoot: (value) => sql`any_value(CASE WHEN is_root THEN ${value} END)`,
};

/** Of traces that are one row: no aggregates. */
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

/** DOUBLE by name, NULL for none, over `spanFacts` and the columns of a row. */
export function computedMetrics({
  sum,
  least,
  greatest,
  count,
  ofRoot,
}: RowsOfTrace): Readonly<Record<string, Sql>> {
  // In a group with many others a filter of an aggregate costs more than a CASE in its argument.
  const callsOf = (type: Sql): Sql => count(sql`CASE WHEN _type = ${type} THEN 1 END`);
  /** Over the rows of model calls when there are any, else over all rows. */
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
