// Divides a generation into parts, one segment each, so that the memory for writing a segment is bounded.
import type { RowRange } from '../row/row-range.js';

/** Smaller rows are not heavy: the 2,048 rows that the engine processes at a time have 64 MB then. */
const heavyBytesMin = 32 * 2 ** 10;

/** A part may have this many times as many bytes as its heavy rows may have. All of its rows are in memory together while they are sorted. */
export const allToHeavy = 4;

/**
 * Divides `rows` into parts. A part has one row, or heavy rows of at most `heavyBytesMax` bytes and rows of at most `allToHeavy`
 * times as many.
 */
export function flushParts(
  rows: RowRange,
  bytesOf: (row: number) => number,
  heavyBytesMax: number,
): readonly RowRange[] {
  const allBytesMax = allToHeavy * heavyBytesMax;
  const parts: RowRange[] = [];
  let { firstRow } = rows;
  let all = 0;
  let heavy = 0;
  for (let row = firstRow; row < rows.endRow; row++) {
    const added = bytesOf(row);
    const heavyAdded = added < heavyBytesMin ? 0 : added;
    const isFull = heavyAdded > 0 && heavy > 0 && heavy + heavyAdded > heavyBytesMax;
    if (isFull || (row > firstRow && all + added > allBytesMax)) {
      parts.push({ firstRow, endRow: row });
      firstRow = row;
      all = 0;
      heavy = 0;
    }
    all += added;
    heavy += heavyAdded;
  }
  return firstRow < rows.endRow ? [...parts, { firstRow, endRow: rows.endRow }] : parts;
}
