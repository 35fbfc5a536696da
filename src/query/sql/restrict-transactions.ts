// Restricts a relation to some transactions.
import { join, sql, within, type Sql } from '../../duckdb/sql.js';
import type { EventRelation, BranchScan } from '../../schema/event-relation.js';

function where(relation: EventRelation, conditions: readonly Sql[]): EventRelation {
  const branches = relation.branches.map((branch) => {
    const rows = sql`(SELECT * FROM ${branch.rows} WHERE ${join(conditions, ' AND ')})`;
    const parts =
      branch.parts?.rows === branch.rows ? withConditions(branch.parts, rows, conditions) : null;
    return { ...branch, rowCount: null, rows, ...(parts && { parts }) };
  });
  return { ...relation, identity: null, branches };
}

const withConditions = (parts: BranchScan, rows: Sql, conditions: readonly Sql[]): BranchScan => ({
  ...parts,
  rows,
  conditions: [...parts.conditions, ...conditions],
});

/** @param range inclusive; null leaves that end open */
export function withinTransactions(
  relation: EventRelation,
  range: { readonly from: bigint | null; readonly to: bigint | null },
): EventRelation {
  const bounds = within(sql`_xact_id`, range);
  return bounds.length === 0 ? relation : where(relation, bounds);
}

/** Restricts the relation to rows that one of these transactions wrote. */
export const ofTransactions = (
  relation: EventRelation,
  xactIds: readonly bigint[],
): EventRelation =>
  where(relation, [
    xactIds.length === 0 ? sql`FALSE` : sql`_xact_id IN (${join(xactIds.map((id) => sql`${id}`))})`,
  ]);
