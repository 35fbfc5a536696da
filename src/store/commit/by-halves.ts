// Hands rows to the engine that may be too large for its memory together: it takes up thousands at once.
import { isEngineError } from '../../duckdb/engine-error.js';
import type { RowRange } from '../upkeep/flush-parts.js';

/**
 * The results for parts of `rows` in their order: a part for which `read` runs out of memory is halved, down to single rows,
 * which `tooLarge` is asked for then.
 */
export async function byHalves<T>(
  rows: RowRange,
  read: (part: RowRange) => Promise<T>,
  tooLarge: (row: number, error: unknown) => T | Promise<T>,
): Promise<readonly T[]> {
  try {
    return [await read(rows)];
  } catch (error) {
    const { firstRow, endRow } = rows;
    if (!isEngineError(error, 'memory')) throw error;
    if (endRow - firstRow <= 1) return [await tooLarge(firstRow, error)];
    const middle = Math.floor((firstRow + endRow) / 2);
    const before = await byHalves({ firstRow, endRow: middle }, read, tooLarge);
    return [...before, ...(await byHalves({ firstRow: middle, endRow }, read, tooLarge))];
  }
}
