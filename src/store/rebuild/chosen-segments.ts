// Chooses the segments of a rebuilt manifest. The directory may hold a merged segment and its inputs at the same time.
import type { Segment } from '../segment/segment.js';

export interface ChosenSegments {
  /** In the order of their transactions within each project; they do not overlap. */
  readonly chosen: readonly Segment[];
  /** Segments whose transactions are all in a chosen one. */
  readonly covered: readonly { readonly segment: Segment; readonly by: Segment }[];
}

/** Sorts by the first transaction, then by the last one, descending, then by source, descending. */
function before(a: Segment, b: Segment): number {
  if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1;
  if (a.firstXactId !== b.firstXactId) return a.firstXactId < b.firstXactId ? -1 : 1;
  if (a.lastXactId !== b.lastXactId) return a.lastXactId > b.lastXactId ? -1 : 1;
  return b.source - a.source;
}

/** @throws Error for overlapping segments of which neither contains the other */
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
