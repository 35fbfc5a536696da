// Conditions and files of the rows of one source, put together to what a query reads.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { RowParts } from '../../schema/event-relation.js';

export type Parts = Omit<RowParts, 'rows'>;

/** `version`: null for the latest state, which nothing that a segment knows came after. */
export const notEndedBefore = (version: bigint | null): Sql =>
  version === null
    ? sql`_superseded_by IS NULL`
    : sql`(_superseded_by IS NULL OR _superseded_by > ${version})`;

/** For a few rows the smaller row groups are read. */
export const fromWide = ({ from, conditions, metByNarrow = [] }: Parts): Parts => ({
  from,
  narrow: from,
  files: null,
  conditions: [...conditions, ...metByNarrow],
});

export function select(
  columns: Sql,
  { from, conditions }: Pick<Parts, 'from' | 'conditions'>,
): Sql {
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${join(conditions, ' AND ')}`;
  return sql`SELECT ${columns} FROM ${from} ${where}`;
}
