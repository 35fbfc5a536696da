// A page of sorted rows begins after the values of the row at its cursor. Without this row, the page would be empty.
import { lostRow } from '../../query/cursor/query-cursor.js';
import type { QueryRun } from './run.js';

/** @throws QueryError if the page is empty because the row at its cursor is no longer in the result */
export async function checkCursor(
  { snapshot, compiled, prepared, lane, signal }: QueryRun,
  rowCount: number,
): Promise<void> {
  const { cursor } = prepared.ast;
  if (rowCount > 0 || cursor === null || compiled.cursorRow === null) return;
  for await (const [row] of snapshot.stream(compiled.cursorRow(), { lane, signal }))
    if (row !== undefined) return;
  throw lostRow(cursor);
}
