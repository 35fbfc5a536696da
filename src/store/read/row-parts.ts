// SELECTs of the rows of one source, from their files and conditions.
import { emptySql, join, sql, type Sql } from '../../duckdb/sql.js';
import type { RowParts } from '../../schema/event-relation.js';

export type Parts = Omit<RowParts, 'rows'>;

/** The condition for rows that were live at `version`, as far as their segment records it; null for the latest version. */
export const notSupersededAt = (version: bigint | null): Sql =>
  version === null
    ? sql`_superseded_by IS NULL`
    : sql`(_superseded_by IS NULL OR _superseded_by > ${version})`;

/** Replaces the narrow file by the row file, whose smaller row groups are faster for a few rows. */
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
  const where = conditions.length === 0 ? emptySql : sql`WHERE ${join(conditions, ' AND ')}`;
  return sql`SELECT ${columns} FROM ${from} ${where}`;
}
