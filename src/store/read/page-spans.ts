// Sources of rows -> ranges of transaction ids that hold few rows each, newest first: what a page is read from.
import type { RowGroup } from '../segment/row-groups.js';
import type { XactRange } from './slices.js';

/** Some rows of a source. Pieces follow one another, newest first. */
export interface Piece {
  readonly firstXactId: bigint;
  /** Those of its rows are not later. */
  readonly lastXactId: bigint;
  /** At least so many of its rows are live, about. */
  readonly rows: number;
  /** At most so much text is in its rows, about. */
  readonly bytes: number;
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
  const { firstRow, lastRow } = part;
  const share = part.rows / (lastRow - firstRow + 1);
  const pieces: Piece[] = [];
  let firstXactId = part.firstXactId;
  for (const { firstRow: from, rows, bytes, ...group } of groups) {
    const [low, high] = [Math.max(from, firstRow), Math.min(from + rows - 1, lastRow)];
    if (low > high) continue;
    // The transactions of a group that is shared may be those of others.
    const isOwn = rows === high - low + 1;
    if (isOwn) ({ firstXactId } = group);
    const lastXactId = isOwn ? group.lastXactId : part.lastXactId;
    pieces.push({ firstXactId, lastXactId, rows: share * (high - low + 1), bytes });
    if (isOwn) firstXactId = lastXactId;
  }
  return pieces.length === 0 ? [part] : endingInOrder(pieces).toReversed();
}

/** None goes on beyond the beginning of the one after it. */
const endingInOrder = (oldestFirst: readonly Piece[]): readonly Piece[] =>
  oldestFirst.map((piece, index) => {
    const next = oldestFirst[index + 1]?.firstXactId ?? piece.lastXactId;
    return next < piece.lastXactId ? { ...piece, lastXactId: next } : piece;
  });

/**
 * Ranges that hold all rows up to `before`, newest first; each but the last has about `rowsMin` rows or more. `pieces` are
 * asked for as they are needed.
 */
export async function* spansOf(
  pieces: AsyncIterable<Pick<Piece, 'firstXactId' | 'rows'>>,
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
