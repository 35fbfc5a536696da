// A page of sorted rows begins after the values of the row at its cursor. Without this row, the page would be empty.
import type { Sql } from '../../duckdb/sql.js';
import { lostRow } from '../../query/cursor/query-cursor.js';
import type { QueryRun } from './run.js';

/**
 * @param read reads the rows of a query. A caller that has a turn in a queue must not wait for another one.
 * @throws QueryError if the page is empty because the row at its cursor is no longer in the result
 */
export async function checkCursor(
  { compiled: { cursorRow }, prepared }: QueryRun,
  rowCount: number,
  read: (query: Sql) => Promise<readonly unknown[]>,
): Promise<void> {
  const { cursor } = prepared.ast;
  if (rowCount > 0 || cursor === null || cursorRow === null) return;
  if ((await read(cursorRow())).length === 0) throw lostRow(cursor);
}
