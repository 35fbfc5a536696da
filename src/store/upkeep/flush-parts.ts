// How a generation is cut into segments, so that writing one takes a bounded amount of memory however large its rows are.

/** Rows that follow one another, without `endRow`. */
export interface RowRange {
  readonly firstRow: number;
  readonly endRow: number;
}

/** What the engine works on at once is 2,048 rows: rows below this size are no more than 64 MB together. */
const heavyBytesMin = 32 * 2 ** 10;

/**
 * Each of `rows` is in exactly one part. The heavy rows of one part have `bytesMax` together at most, unless it is only one.
 */
export function flushParts(
  rows: RowRange,
  bytesOf: (row: number) => number,
  bytesMax: number,
): readonly RowRange[] {
  const parts: RowRange[] = [];
  let { firstRow } = rows;
  let bytes = 0;
  for (let row = firstRow; row < rows.endRow; row++) {
    const added = bytesOf(row);
    if (added < heavyBytesMin) continue;
    if (bytes > 0 && bytes + added > bytesMax) {
      parts.push({ firstRow, endRow: row });
      firstRow = row;
      bytes = 0;
    }
    bytes += added;
  }
  return firstRow < rows.endRow ? [...parts, { firstRow, endRow: rows.endRow }] : parts;
}
