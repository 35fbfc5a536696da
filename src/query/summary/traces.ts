// SQL for one row per trace of an experiment, with the value of every measure.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { createBranchColumns } from '../sql/branch-columns.js';
import type { ValueForm } from '../value/value.js';
import type { StoredMeasures } from './measures.js';
import {
  manyRows,
  manyRowsOneRoot,
  oneRow,
  spanFacts,
  type RowsOfTrace,
} from '../sql/trace-metrics.js';
import { traceHash, type TraceShape } from './trace-shape.js';

/** SELECT of the rows of both experiments with the columns that the summary needs. */
export function spans(relation: EventRelation, numbers: StoredMeasures): Sql {
  const { field, order, from } = createBranchColumns(relation);
  const form = (of: string, steps: readonly string[], name: ValueForm) =>
    field(of, steps).form(name);
  const facts = spanFacts({
    attribute: (name) => form('span_attributes', [name], 'string'),
    metric: (name) => form('metrics', [name], 'number'),
  });
  const list = [
    sql`${order('object')} AS object_id`,
    sql`${order('trace')} AS root_span_id`,
    sql`${order('transaction')} AS _xact_id`,
    sql`${order('position')} AS _position`,
    sql`${order('inputHash')} AS _input_hash`,
    sql`${form('created', [], 'timestamp')} AS created`,
    sql`${form('is_root', [], 'boolean')} AS is_root`,
    sql`${form('error', [], 'raw')} AS error`,
    ...facts,
    ...numbers.map(({ of, number, measure }) => {
      const value = form(of, [measure.name], 'number');
      return sql`CASE WHEN isfinite(${value}) THEN ${value} END AS ${number}`;
    }),
  ];
  return sql`SELECT ${join(list)} FROM ${from()}`;
}

/** The input hash of the earliest root, even if its input is null. Rows other than roots have no `_input_hash`. */
const bucketOf = ({ hasSingleRoots }: TraceShape): Sql =>
  hasSingleRoots
    ? sql`any_value(_input_hash)`
    : sql`arg_min_null(_input_hash, (created, _xact_id, _position)) FILTER (is_root)`;

export function traces(span: Sql, values: readonly Sql[], shape: TraceShape): Sql {
  if (shape.hasSingleRows)
    return sql`SELECT ${join([sql`object_id, _input_hash AS bucket`, ...values])} FROM (${span})`;
  const key = shape.hasUniqueHashes ? traceHash : sql`object_id, root_span_id`;
  const own = sql`any_value(object_id) AS object_id, ${bucketOf(shape)} AS bucket`;
  return sql`SELECT ${join([own, ...values])} FROM (${span}) GROUP BY ${key}`;
}

export const rowsOfTrace = ({ hasSingleRows, hasSingleRoots }: TraceShape): RowsOfTrace => {
  if (hasSingleRows) return oneRow;
  return hasSingleRoots ? manyRowsOneRoot : manyRows;
};
