// Properties of the traces of two experiments that allow simpler statements, found by counting.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { createBranchColumns } from '../sql/branch-columns.js';

export interface TraceShape {
  /** Whether every trace has one row. */
  readonly hasSingleRows: boolean;
  /** Whether every trace has at most one root. */
  readonly hasSingleRoots: boolean;
  /** Whether the inputs of roots are distinct within each experiment. */
  readonly hasSingleTrials: boolean;
  /** Whether the `traceHash` of traces are distinct. */
  readonly hasUniqueHashes: boolean;
  /** Whether some rows have an `error`. */
  readonly hasErrors: boolean;
}

/** A hash of 64 bits over (object_id, root_span_id). */
export const traceHash = sql`hash(object_id, root_span_id)`;

/** SELECT of one row for `traceShape`. A hash collision can only make the shape more general than necessary. */
export function traceShapeQuery(relation: EventRelation): Sql {
  const { field, order, from } = createBranchColumns(relation);
  const isRoot = field('is_root', []).form('boolean');
  const error = field('error', []).form('raw');
  const rows = sql`SELECT ${order('object')} AS object_id, ${order('trace')} AS root_span_id,
    ${order('inputHash')} AS _input_hash, ${isRoot} AS is_root, ${error} AS error`;
  return sql`
    WITH trace AS (
      SELECT object_id, root_span_id, count(*) AS "rows", count(CASE WHEN is_root THEN 1 END) AS roots
      FROM (${rows} FROM ${from()}) GROUP BY ALL),
    input AS (${rows} FROM ${from()})
    SELECT sum("rows") AS "rows", count(DISTINCT ${traceHash}) AS hashes, count(*) AS traces,
      sum(roots) AS roots, count(CASE WHEN roots > 0 THEN 1 END) AS rooted,
      (SELECT count(_input_hash) FROM input) AS inputs,
      (SELECT count(DISTINCT hash(object_id, _input_hash)) FROM input WHERE _input_hash IS NOT NULL) AS different,
      (SELECT count(error) FROM input) AS errors
    FROM trace`;
}

export function traceShape(row: readonly unknown[]): TraceShape {
  const [rows, hashes, traces, roots, rooted, inputs, different, errors] = row.map((count) =>
    Number(count ?? 0),
  );
  return {
    hasSingleRows: rows === traces,
    hasSingleRoots: roots === rooted,
    hasSingleTrials: inputs === different,
    hasUniqueHashes: hashes === traces,
    hasErrors: errors !== 0,
  };
}
