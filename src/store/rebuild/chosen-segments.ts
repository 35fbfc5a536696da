// Chooses the segments of a rebuilt manifest. The directory may hold a merged segment and its inputs at the same time.
import type { Segment } from '../segment/segment.js';

/** How many of the rows of a segment others have. */
export type Share = 'all' | 'some' | 'none';

export type ShareOf = (segment: Segment, others: readonly Segment[]) => Promise<Share>;

/** Sorts by the first transaction, then by the last one, descending, then by source, descending: a merged segment before its inputs. */
function before(a: Segment, b: Segment): number {
  if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1;
  if (a.firstXactId !== b.firstXactId) return a.firstXactId < b.firstXactId ? -1 : 1;
  if (a.lastXactId !== b.lastXactId) return a.lastXactId > b.lastXactId ? -1 : 1;
  return b.source - a.source;
}

/** Whether `earlier` has a transaction of `later`, which sorts after it. */
const overlaps = (earlier: Segment, later: Segment): boolean =>
  earlier.projectId === later.projectId && earlier.lastXactId >= later.firstXactId;

/** Whether they share at most one transaction. A flush in parts can divide one between segments. */
const isNeighbour = (earlier: Segment, later: Segment): boolean =>
  earlier.lastXactId === later.firstXactId || earlier.firstXactId === later.lastXactId;

/**
 * Chooses segments that have each row once, in the order of their transactions within each project.
 * @throws Error for segments that overlap, of which one does not have all rows of the other
 */
export async function chooseSegments(
  segments: readonly Segment[],
  shareOf: ShareOf,
): Promise<readonly Segment[]> {
  const chosen: Segment[] = [];
  for (const segment of segments.toSorted(before)) {
    const others = chosen.filter((other) => overlaps(other, segment));
    const share = others.length === 0 ? 'none' : await shareOf(segment, others);
    if (share === 'all') continue;
    const unlike = others.find((other) => share === 'some' || !isNeighbour(other, segment));
    if (unlike !== undefined)
      throw new Error(
        `segments ${unlike.source} and ${segment.source} of project ${segment.projectId} hold different rows of the same transactions: move the files of one of them out of the directory`,
      );
    chosen.push(segment);
  }
  return chosen;
}
