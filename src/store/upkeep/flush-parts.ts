// How a generation is cut into segments, so that writing one takes a bounded amount of memory however large its rows are.

/** A row that is large on its own. */
export interface HeavyRow {
  readonly row: number;
  readonly bytes: number;
}

/** Rows that follow one another, without `endRow`. */
export interface RowRange {
  readonly firstRow: number;
  readonly endRow: number;
}

/** What the engine works on at once is 2,048 rows: rows below this size are no more than 64 MB together. */
export const heavyBytesMin = 32 * 2 ** 10;

/**
 * `heavy`, in the order of their numbers, are among `rows`, each of which is in exactly one part. Those of one part have
 * `bytesMax` together at most, unless it is only one.
 */
export function flushParts(
  rows: RowRange,
  heavy: readonly HeavyRow[],
  bytesMax: number,
): readonly RowRange[] {
  const parts: RowRange[] = [];
  let { firstRow } = rows;
  let bytes = 0;
  for (const { row, bytes: added } of heavy) {
    if (bytes > 0 && bytes + added > bytesMax) {
      parts.push({ firstRow, endRow: row });
      firstRow = row;
      bytes = 0;
    }
    bytes += added;
  }
  return firstRow < rows.endRow ? [...parts, { firstRow, endRow: rows.endRow }] : parts;
}
