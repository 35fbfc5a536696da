// Cuts rows into batches, each of which fits into one request.
import type { RawRow } from '../json/scan.js';

/** The maximum number of rows of a batch. */
const rowsMax = 1_000;

/** The maximum length of the texts of a batch of several rows. As UTF-8 they have at most 12 MB, and bodies may have 16 MB. */
const lengthMax = 4_000_000;

/** The length of the values. */
export const rowLength = (row: RawRow): number =>
  [...row.values()].reduce((sum, raw) => sum + raw.length, 0);

export function batchesOf<T>(
  all: readonly T[],
  lengthOf: (one: T) => number,
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let length = 0;
  for (const one of all) {
    const own = lengthOf(one);
    if (batch.length === 0 || batch.length === rowsMax || length + own > lengthMax) {
      batch = [];
      length = 0;
      batches.push(batch);
    }
    batch.push(one);
    length += own;
  }
  return batches;
}
