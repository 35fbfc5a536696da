// How a generation is cut into segments, so that writing one takes a bounded amount of memory however large its rows are.

/** Rows that follow one another, without `endRow`. */
export interface RowRange {
  readonly firstRow: number;
  readonly endRow: number;
}

/** What the engine works on at once is 2,048 rows: rows below this size are no more than 64 MB together. */
const heavyBytesMin = 32 * 2 ** 10;

/** All rows of a part are in memory together, in the order of the segment: so many times what heavy ones may take up. */
export const allToHeavy = 4;

/**
 * Each of `rows` is in exactly one part. Unless it is only one, the heavy rows of a part have `heavyBytesMax` together at most, and all
 * of its rows `allToHeavy` times as much.
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
