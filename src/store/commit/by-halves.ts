// Reads rows of the write buffer whose size is not known yet: the engine takes up thousands at once, which may be too large.
import { isEngineError } from '../../duckdb/engine-error.js';
import type { RowRange } from '../upkeep/flush-parts.js';

/** The results for parts of `rows` in their order: a part for which `read` runs out of memory is halved, down to single rows. */
export async function byHalves<T>(
  rows: RowRange,
  read: (part: RowRange) => Promise<T>,
): Promise<readonly T[]> {
  try {
    return [await read(rows)];
  } catch (error) {
    const { firstRow, endRow } = rows;
    if (!isEngineError(error, 'memory') || endRow - firstRow <= 1) throw error;
    const middle = Math.floor((firstRow + endRow) / 2);
    const before = await byHalves({ firstRow, endRow: middle }, read);
    return [...before, ...(await byHalves({ firstRow: middle, endRow }, read))];
  }
}
