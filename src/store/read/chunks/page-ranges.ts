// Divides sources into pieces along row groups, and the pieces into ranges of transaction ids with few rows each, newest first.
import type { RowGroup } from '../../segment/row-groups.js';
import type { XactRange } from './slices.js';

/** Some rows of a source. The pieces of a source are ordered newest first. */
export interface Piece {
  readonly firstXactId: bigint;
  /** An upper bound on the transaction ids. */
  readonly lastXactId: bigint;
  /** A lower estimate of the live rows. */
  readonly rows: number;
  /** An upper estimate of the JSON text. */
  readonly bytes: number;
}

/** The rows of some objects in a segment. */
export interface SegmentPart extends Piece {
  readonly firstRow: number;
  readonly lastRow: number;
}

/**
 * Divides the part into one piece per row group, newest first. The rows of one object are sorted by transaction. If row groups have
 * rows of other objects, or the part has several objects, the bounds of the pieces are less tight.
 */
export function piecesOf(part: SegmentPart, groups: readonly RowGroup[]): readonly Piece[] {
  const { firstRow, lastRow } = part;
  const share = part.rows / (lastRow - firstRow + 1);
  const pieces: Piece[] = [];
  let firstXactId = part.firstXactId;
  for (const { firstRow: from, rows, bytes, ...group } of groups) {
    const [low, high] = [Math.max(from, firstRow), Math.min(from + rows - 1, lastRow)];
    if (low > high) continue;
    // The statistics of a shared row group include rows of other objects.
    const isOwn = rows === high - low + 1;
    if (isOwn) ({ firstXactId } = group);
    const lastXactId = isOwn ? group.lastXactId : part.lastXactId;
    pieces.push({ firstXactId, lastXactId, rows: share * (high - low + 1), bytes });
    if (isOwn) firstXactId = lastXactId;
  }
  return pieces.length === 0 ? [part] : endingInOrder(pieces).toReversed();
}

/** Ends each piece where the next one begins. */
const endingInOrder = (oldestFirst: readonly Piece[]): readonly Piece[] =>
  oldestFirst.map((piece, index) => {
    const next = oldestFirst[index + 1]?.firstXactId ?? piece.lastXactId;
    return next < piece.lastXactId ? { ...piece, lastXactId: next } : piece;
  });

/** The most rows that a range is made to have because the ranges before it were not enough. */
export const grownRowsMax = 2 ** 17;

/**
 * Yields ranges that together hold all rows up to `before` (included), newest first. The first has at least about `rowsMin` rows;
 * each next one twice as many as the one before it, up to `grownRowsMax`; the last may have fewer. Pulls `pieces` lazily.
 */
export async function* growingRanges(
  pieces: AsyncIterable<Pick<Piece, 'firstXactId' | 'rows'>>,
  before: bigint,
  rowsMin: number,
): AsyncGenerator<XactRange, void, void> {
  let to = before;
  let rows = 0;
  let wanted = rowsMin;
  for await (const { firstXactId, rows: more } of pieces) {
    if (firstXactId > to) continue;
    rows += more;
    if (rows < wanted) continue;
    yield { from: firstXactId, to };
    to = firstXactId - 1n;
    rows = 0;
    wanted = Math.max(rowsMin, Math.min(wanted * 2, grownRowsMax));
  }
  yield { from: null, to };
}
