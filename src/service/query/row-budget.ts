// The row budget of an answer.
import { badRequest } from '../../errors.js';
import { kindCounts, textRows } from '../../query/sql/output.js';
import type { TextResult } from '../../store/event-store.js';
import type { QueryRun } from './run.js';

/** @throws RequestError 400 if there are more than `rowsMax` rows */
export function checkRows(rows: number, rowsMax: number): void {
  if (rows > rowsMax)
    throw badRequest(
      `the answer exceeded the budget of ${rowsMax} rows: narrow the query with a filter, fewer sources or a limit`,
    );
}

/** Collects the text of the rows of a query. @throws RequestError 400 for an exceeded budget, 429 if too many queries wait */
export async function collectRows(run: QueryRun, separator: string): Promise<TextResult> {
  const { compiled, slices, lane, rowsMax } = run;
  if (slices.length > 1 && rowsMax === Infinity) return writeRows(run, separator);
  const shownMax = compiled.page?.size ?? Infinity;
  const queries = slices.map((slice) => slice.page?.valueRows ?? slice.valueRows);
  const result = await run.snapshot.collectText(queries, {
    lane,
    signal: run.signal,
    separator,
    columns: compiled.columns,
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

function writeRows(
  { snapshot, compiled: { columns, unordered }, slices, signal }: QueryRun,
  separator: string,
): Promise<TextResult> {
  const rows = slices.map((slice) => textRows(columns, slice.rows));
  const counts = kindCounts(columns, unordered);
  return snapshot.writeText({ rows, counts }, { lane: 'query', signal, separator });
}
