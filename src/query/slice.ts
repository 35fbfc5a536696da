// Restricts a relation to a range of transactions.
import { join, sql } from '../duckdb/sql.js';
import type { EventRelation } from '../schema/event-relation.js';

/** Bounds are inclusive; null is the open end. */
export function withinTransactions(
  relation: EventRelation,
  { from, to }: { readonly from: bigint | null; readonly to: bigint | null },
): EventRelation {
  const bounds = [
    ...(from === null ? [] : [sql`_xact_id >= ${from}`]),
    ...(to === null ? [] : [sql`_xact_id <= ${to}`]),
  ];
  if (bounds.length === 0) return relation;
  const arms = relation.arms.map((arm) => ({
    ...arm,
    rowCount: null,
    rows: sql`(SELECT * FROM ${arm.rows} WHERE ${join(bounds, ' AND ')})`,
  }));
  return { ...relation, arms };
}
