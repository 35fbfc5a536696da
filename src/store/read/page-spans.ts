// Sources of rows -> ranges of transaction ids that hold few rows each, newest first: what a page is read from.
import type { RowGroup } from '../segment/row-groups.js';
import type { XactRange } from './slices.js';

/** Rows that are newer than those of the pieces after it. */
export interface Piece {
  readonly firstXactId: bigint;
  /** At least so many of its rows are live, about. */
  readonly rows: number;
}

/** The rows of some objects in a segment. */
export interface SegmentPart extends Piece {
  readonly firstRow: number;
  readonly lastRow: number;
}

/**
 * The part in pieces along the row groups, newest first. Those of one object are sorted by transaction; where others share
 * a group, or several objects are asked for, the pieces are larger or smaller than they could be.
 */
export function piecesOf(part: SegmentPart, groups: readonly RowGroup[]): readonly Piece[] {
  const { firstXactId, firstRow, lastRow } = part;
  const share = part.rows / (lastRow - firstRow + 1);
  const pieces: Piece[] = [];
  let first = firstXactId;
  for (const { firstRow: from, rows, lastXactId } of groups) {
    const [low, high] = [Math.max(from, firstRow), Math.min(from + rows - 1, lastRow)];
    if (low > high) continue;
    pieces.push({ firstXactId: first, rows: share * (high - low + 1) });
    if (lastXactId > first) first = lastXactId;
  }
  return pieces.length === 0 ? [part] : pieces.toReversed();
}

/**
 * Ranges that hold all rows up to `before`, newest first; each but the last has about `rowsMin` rows or more. `pieces` are
 * asked for as they are needed.
 */
export async function* spansOf(
  pieces: AsyncIterable<Piece>,
  before: bigint,
  rowsMin: number,
): AsyncGenerator<XactRange, void, void> {
  let to = before;
  let rows = 0;
  for await (const { firstXactId, rows: more } of pieces) {
    if (firstXactId > to) continue;
    rows += more;
    if (rows < rowsMin) continue;
    yield { from: firstXactId, to };
    to = firstXactId - 1n;
    rows = 0;
  }
  yield { from: null, to };
}
