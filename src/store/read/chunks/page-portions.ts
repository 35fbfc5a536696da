// Divides a range of transactions into portions with a limited amount of JSON text, newest first. Pages are read by portion.
import { least } from '../../../schema/xact-id.js';
import type { Piece } from './page-ranges.js';
import type { XactRange } from './slices.js';

export interface Portion {
  readonly range: XactRange;
  /** An upper estimate of the JSON text of its rows. */
  readonly bytes: number;
}

interface Open {
  readonly from: bigint;
  readonly to: bigint | null;
  readonly bytes: number;
}

/**
 * Yields portions that together are `range`, newest first. Each has at most `bytesMax` if it consists of several pieces that share
 * no transactions. Transactions are not divided. Pulls `pieces` lazily.
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
      // This piece may have rows of the earliest transaction of the portion.
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
