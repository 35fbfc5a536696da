// How many rows the answer to a query may have.
import { badRequest } from '../../errors.js';
import { kindCounts } from '../../query/sql/output.js';
import type { TextResult } from '../../store/event-store.js';
import type { QueryRun } from './run.js';

/** @throws RequestError 400 when there are more rows than the budget allows */
export function checkRows(rows: number, rowsMax: number): void {
  if (rows > rowsMax)
    throw badRequest(
      `the answer exceeded the budget of ${rowsMax} rows: narrow the query with a filter, fewer sources or a limit`,
    );
}

/** The rows of a query as text; no more of them are taken than the budget allows. */
export async function collectRows(
  { snapshot, compiled, slices, signal, rowsMax }: QueryRun,
  separator: string,
): Promise<TextResult> {
  const queries = slices.map((slice) => slice.page?.jsonRows ?? slice.jsonRows);
  const shownMax = compiled.page?.size ?? Infinity;
  const result = await snapshot.collectText(queries, {
    lane: 'query',
    signal,
    separator,
    ...(slices.length === 1 ? {} : { counts: kindCounts(compiled.columns, compiled.unordered) }),
    rowsMax: Math.min(shownMax, rowsMax),
  });
  try {
    checkRows(Math.min(result.rowCount, shownMax), rowsMax);
    return result;
  } catch (error) {
    await result.text.remove();
    throw error;
  }
}
