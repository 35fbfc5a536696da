// Pieces of sources -> ranges of transaction ids whose rows are little text each, newest first: what a page is made of.
import type { Piece } from './page-spans.js';
import type { XactRange } from './slices.js';

export interface Portion {
  readonly range: XactRange;
  /** At most so much text is in its rows, about. */
  readonly bytes: number;
}

interface Open {
  readonly from: bigint;
  readonly to: bigint | null;
  readonly bytes: number;
}

/**
 * Ranges that together are `range`, newest first; each has `bytesMax` or less where that takes no more than leaving
 * pieces apart, and transactions are not divided. `pieces` are asked for as they are needed.
 */
export async function* portionsOf(
  pieces: AsyncIterable<Piece>,
  range: XactRange,
  bytesMax: number,
): AsyncGenerator<Portion, void, void> {
  let open = null as Open | null;
  for await (const { firstXactId, lastXactId, bytes } of pieces) {
    if (range.to !== null && firstXactId > range.to) continue;
    if (range.from !== null && lastXactId < range.from) continue;
    if (open === null) open = { from: firstXactId, to: range.to, bytes };
    else if (open.bytes + bytes <= bytesMax || firstXactId >= open.from)
      open = { ...open, from: least(firstXactId, open.from), bytes: open.bytes + bytes };
    else {
      // A transaction may begin in the next piece.
      const shared = lastXactId >= open.from ? bytes : 0;
      yield { range: { from: open.from, to: open.to }, bytes: open.bytes + shared };
      open = { from: firstXactId, to: open.from - 1n, bytes };
    }
  }
  yield {
    range: { from: range.from, to: open === null ? range.to : open.to },
    bytes: open?.bytes ?? 0,
  };
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
