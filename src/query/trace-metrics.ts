// The metrics of a trace as aggregates over its rows: one meaning for the shape `summary` of queries and
// for the summary of an experiment.
import { sql, type Sql } from '../duckdb/sql.js';

/** How the columns of a row are read; NULL where there is no value of the type. */
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

// In a group with many others a filter of an aggregate costs more than a CASE in its argument.
const callsOf = (type: Sql): Sql => sql`count(CASE WHEN _type = ${type} THEN 1 END)`;

/** Over the rows of model calls when there are any, else over all rows. */
const tokens = (fact: Sql): Sql =>
  sql`CASE WHEN ${callsOf(sql`'llm'`)} > 0 THEN sum(CASE WHEN _type = 'llm' THEN ${fact} END) ELSE sum(${fact}) END`;

const inTimedTask = (fact: Sql): Sql =>
  sql`CASE WHEN _type = 'task' AND _start IS NOT NULL AND _end IS NOT NULL THEN ${fact} END`;

/** DOUBLE by name, NULL for none, over `spanFacts` and the columns of a row. */
export const computedMetrics: Readonly<Record<string, Sql>> = {
  duration: sql`coalesce(max(${inTimedTask(sql`_end`)}) - min(${inTimedTask(sql`_start`)}), arg_min(_end - _start, (created, _xact_id, _position)) FILTER (is_root))`,
  prompt_tokens: tokens(sql`_prompt`),
  completion_tokens: tokens(sql`_completion`),
  total_tokens: tokens(sql`_total`),
  llm_calls: sql`CAST(${callsOf(sql`'llm'`)} AS DOUBLE)`,
  tool_calls: sql`CAST(${callsOf(sql`'tool'`)} AS DOUBLE)`,
  errors: sql`CAST(count(CASE WHEN _counted THEN error END) AS DOUBLE)`,
};
