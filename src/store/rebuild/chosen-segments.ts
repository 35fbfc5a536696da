// Which of the segments on disk are the store: a merged one and those that it was merged from may all be there.
import type { Segment } from '../segment/segment.js';

export interface ChosenSegments {
  /** In the order of their transactions within each project; they do not overlap. */
  readonly chosen: readonly Segment[];
  /** Segments whose transactions are all in a chosen one. */
  readonly covered: readonly { readonly segment: Segment; readonly by: Segment }[];
}

/** Those that begin first, then those that end last, then those that were written last. */
function before(a: Segment, b: Segment): number {
  if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1;
  if (a.firstXactId !== b.firstXactId) return a.firstXactId < b.firstXactId ? -1 : 1;
  if (a.lastXactId !== b.lastXactId) return a.lastXactId > b.lastXactId ? -1 : 1;
  return b.source - a.source;
}

/** @throws Error for segments of which neither has all transactions of the other */
export function chooseSegments(segments: readonly Segment[]): ChosenSegments {
  const chosen: Segment[] = [];
  const covered: { segment: Segment; by: Segment }[] = [];
  for (const segment of segments.toSorted(before)) {
    const last = chosen.at(-1);
    if (last?.projectId !== segment.projectId || last.lastXactId < segment.firstXactId)
      chosen.push(segment);
    else if (segment.lastXactId <= last.lastXactId) covered.push({ segment, by: last });
    else throw unlike(last, segment);
  }
  return { chosen, covered };
}

export const unlike = (a: Segment, b: Segment): Error =>
  new Error(
    `segments ${a.source} and ${b.source} of project ${a.projectId} hold different rows of the same transactions: move the files of one of them out of the directory`,
  );
