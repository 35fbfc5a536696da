// Ranges of row numbers. Work on a range that runs out of memory is split in halves and tried again.
import { isEngineError } from '../../duckdb/engine-error.js';

/** A range of row numbers. Both ends are inclusive. */
export interface RowsBetween {
  readonly firstRow: number;
  readonly lastRow: number;
}

/** Rows that follow one another: from `firstRow` up to `endRow`, which is not included. */
export interface RowRange {
  readonly firstRow: number;
  readonly endRow: number;
}

/**
 * Calls `read` for `rows`. If it runs out of memory, calls it for each half in turn, and so on; for a single row that is too
 * large, calls `tooLarge`.
 */
export async function splitOnMemoryError(
  rows: RowRange,
  read: (part: RowRange) => Promise<void>,
  tooLarge: (row: number, error: unknown) => Promise<void>,
): Promise<void> {
  try {
    await read(rows);
  } catch (error) {
    const { firstRow, endRow } = rows;
    if (!isEngineError(error, 'memory')) throw error;
    if (endRow - firstRow <= 1) return tooLarge(firstRow, error);
    const middle = Math.floor((firstRow + endRow) / 2);
    await splitOnMemoryError({ firstRow, endRow: middle }, read, tooLarge);
    await splitOnMemoryError({ firstRow: middle, endRow }, read, tooLarge);
  }
}
