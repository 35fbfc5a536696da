// Summaries of traces as a relation with the columns of events: the fields of the root, the mean of each score, and the metrics of
// the trace.
import { emptySql, identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumns } from '../../schema/event-columns.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { computedMetrics, knownMetrics, manyRows, spanFacts } from './trace-metrics.js';
import { numberText, stringJson } from '../value/value.js';
import { repeatable } from '../value/repeatable.js';

const names = Object.keys(eventColumns);

/** @param wanted a SELECT of (object_id, root_span_id), or null for all traces */
export function summaryRelation(relation: EventRelation, wanted: Sql | null): EventRelation {
  const { branches } = relation;
  if (branches.length === 0) return relation;
  const all = join(
    branches.map((branch) => sql`SELECT ${join(names.map(identifier))} FROM ${branch.rows}`),
    ' UNION ALL ',
  );
  const some =
    wanted === null ? emptySql : sql` SEMI JOIN ${wanted} USING (object_id, root_span_id)`;
  const rows = sql`(WITH span AS MATERIALIZED (SELECT *, ${join(spanFacts({ attribute, metric: metricOf }))} FROM (${all})${some}), ${score}, ${metric}, ${trace} SELECT ${join(names.map(summaryColumn))} FROM trace LEFT JOIN score USING (object_id, root_span_id) LEFT JOIN metric USING (object_id, root_span_id))`;
  const hasLossless = branches.some((branch) => branch.hasLossless);
  return { ...relation, branches: [{ name: 'traces', rows, hasLossless, paths: null }] };
}

const number = (text: Sql): Sql => sql`TRY_CAST(CAST(${text} AS VARCHAR) AS DOUBLE)`;

const metricOf = (name: string): Sql => number(sql`json_extract(metrics, ${`$."${name}"`})`);

const attribute = (name: string): Sql =>
  sql`json_extract_string(span_attributes, ${`$."${name}"`})`;

/** SELECT of the members of an object column, one row per member. */
const members = (object: string): Sql =>
  sql`SELECT _counted, object_id, root_span_id, unnest(json_keys(${identifier(object)})) AS name, unnest(json_extract(${identifier(object)}, '$.*')) AS value FROM span WHERE starts_with(${identifier(object)}, '{')`;

const means = (object: string, where: Sql): Sql =>
  sql`SELECT object_id, root_span_id, name, favg(${number(sql`value`)}) AS mean FROM (${members(object)}) WHERE ${where} GROUP BY ALL`;

const numberMember = (mean: Sql): Sql =>
  sql`${stringJson(sql`name`)} || ':' || ${numberText(repeatable(mean))}`;

const object = (rows: Sql): Sql =>
  sql`SELECT object_id, root_span_id, '{' || string_agg(${numberMember(sql`mean`)}, ',' ORDER BY name) || '}' AS members FROM (${rows}) WHERE mean IS NOT NULL GROUP BY ALL`;

const score = sql`score AS (${object(means('scores', sql`true`))})`;

const otherMetrics = means(
  'metrics',
  sql`_counted AND NOT list_contains(${JSON.stringify(knownMetrics)}::VARCHAR[], name)`,
);

const computed = join(
  Object.entries(computedMetrics(manyRows)).map(
    ([name, value]) => sql`struct_pack(name := ${name}, mean := ${value})`,
  ),
);

const metric = sql`metric AS (${object(sql`SELECT object_id, root_span_id, unnest(facts, recursive := true) FROM (SELECT object_id, root_span_id, [${computed}] AS facts FROM span GROUP BY 1, 2) UNION ALL ${otherMetrics}`)})`;

/** The columns of the earliest root of a trace, or of its earliest row if it has no root, as a struct. */
export const rootOf = (columns: readonly string[]): Sql =>
  sql`arg_min(struct_pack(${join(columns.map((name) => sql`${identifier(name)} := ${identifier(name)}`))}), (NOT is_root, created, _xact_id, _position))`;

const trace = sql`trace AS (SELECT object_id, root_span_id, max((_xact_id, _position)) AS _newest, ${rootOf(names)} AS _root FROM span GROUP BY ALL)`;

function summaryColumn(name: string): Sql {
  switch (name) {
    case 'object_id':
    case 'root_span_id':
      return identifier(name);
    case '_xact_id':
      return sql`_newest[1] AS _xact_id`;
    case '_position':
      return sql`_newest[2] AS _position`;
    case 'scores':
      return sql`score.members AS scores`;
    case 'metrics':
      return sql`metric.members AS metrics`;
    default:
      return sql`struct_extract(_root, '${word(name)}') AS ${identifier(name)}`;
  }
}
