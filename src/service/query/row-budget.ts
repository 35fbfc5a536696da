// The row budget of an answer.
import { badRequest } from '../../errors.js';
import { asTable, limitedRows, kindCounts, textRows } from '../../query/sql/output.js';
import type { TextResult } from '../../store/event-store.js';
import { allRows } from './read-rows.js';
import { checkCursor } from './cursor-row.js';
import type { QueryRun } from './run.js';

/** @throws RequestError 400 if there are more than `rowsMax` rows */
export function checkRows(rows: number, rowsMax: number): void {
  if (rows > rowsMax)
    throw badRequest(
      `the answer exceeded the budget of ${rowsMax} rows: narrow the query with a filter, fewer sources or a limit`,
    );
}

/**
 * Collects the text of the rows of a query.
 * @throws RequestError 400 for an exceeded budget or a lost row at the cursor, 429 if too many queries wait
 */
export async function collectRows(run: QueryRun, separator: string): Promise<TextResult> {
  const { snapshot, compiled, queue, signal, rowsMax } = run;
  const shownMax = compiled.page?.size ?? Infinity;
  const result = await (run.chunks.length > 1
    ? writeRows(run, separator)
    : collectFew(run, separator, shownMax));
  try {
    checkRows(Math.min(result.rowCount, shownMax), rowsMax);
    await checkCursor(run, result.rowCount, (query) =>
      allRows(snapshot.stream(query, { queue, signal })),
    );
    return result;
  } catch (error) {
    await result.text.remove();
    throw error;
  }
}

const collectFew = (
  { snapshot, compiled, queue, signal, rowsMax }: QueryRun,
  separator: string,
  shownMax: number,
): Promise<TextResult> =>
  snapshot.collectText(compiled.page?.valueRows ?? compiled.valueRows, {
    queue,
    signal,
    separator,
    columns: compiled.columns,
    rowsMax: Math.min(shownMax, rowsMax),
  });

function writeRows(
  { snapshot, compiled: { columns, unordered }, chunks, signal, rowsMax }: QueryRun,
  separator: string,
): Promise<TextResult> {
  const rows = chunks.map((chunk) => () => textRows(columns, chunk().rows));
  const counts = kindCounts(columns, asTable(limitedRows(unordered, rowsMax + 1)));
  return snapshot.writeText({ rows, counts, rowsMax }, { queue: 'heavy', signal, separator });
}
