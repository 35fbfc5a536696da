// In which order the rows of neighbouring segments follow one another once they are merged: known without sorting.
import type { ObjectFacts } from '../segment/segment-facts.js';
import type { Segment } from '../segment/segment.js';

/** Numbers of rows of one segment, both included. */
export interface RowRange {
  readonly firstRow: number;
  readonly lastRow: number;
}

/** Rows of one segment that follow one another in the merged segment, too. */
export interface RowRun extends RowRange {
  readonly source: number;
  /** The number that the first of them gets. */
  readonly place: number;
}

/** Each run may be a file of its own. */
export const runsMax = 256;

type Ordered = Pick<Segment, 'source' | 'objects'>;

/**
 * `segments` are ordered by their transaction ids; each is sorted by object, and within it by transaction id. Null when
 * there are too many runs, or when the facts of an object do not tell its order.
 */
export function mergeOrder(segments: readonly Ordered[]): readonly RowRun[] | null {
  const runs: RowRun[] = [];
  let place = 0;
  for (const objectId of sortedObjects(segments)) {
    let before: ObjectFacts | undefined;
    for (const { source, objects } of segments) {
      const facts = objects.get(objectId);
      if (facts === undefined) continue;
      if (!isTogether(facts) || (before !== undefined && before.maxXactId >= facts.minXactId))
        return null;
      append(runs, { source, firstRow: facts.firstRow, lastRow: facts.lastRow, place });
      if (runs.length > runsMax) return null;
      place += facts.rows;
      before = facts;
    }
  }
  return runs;
}

/** `runs`, cut where the rows of a file do not follow one another: `ranges` by source, for files that are not in order. */
export const cutRuns = (
  runs: readonly RowRun[],
  ranges: ReadonlyMap<number, readonly RowRange[]>,
): readonly RowRun[] =>
  runs.flatMap((run) =>
    (ranges.get(run.source) ?? [run]).flatMap((range) => {
      const firstRow = Math.max(range.firstRow, run.firstRow);
      const lastRow = Math.min(range.lastRow, run.lastRow);
      const place = run.place + firstRow - run.firstRow;
      return firstRow > lastRow ? [] : [{ ...run, firstRow, lastRow, place }];
    }),
  );

/** For each segment, in their order, the new numbers of its rows. */
export function placesOf(
  segments: readonly Pick<Segment, 'source' | 'rows'>[],
  runs: readonly RowRun[],
): Int32Array {
  const starts = new Map<number, number>();
  let rows = 0;
  for (const segment of segments) {
    starts.set(segment.source, rows);
    rows += segment.rows;
  }
  const places = new Int32Array(rows).fill(-1);
  for (const { source, firstRow, lastRow, place } of runs) {
    const start = starts.get(source)!;
    for (let row = firstRow; row <= lastRow; row++) places[start + row] = place + row - firstRow;
  }
  return places;
}

// The engine compares text by its bytes, JavaScript by UTF-16 units.
function sortedObjects(segments: readonly Ordered[]): readonly string[] {
  const ids = new Set(segments.flatMap(({ objects }) => [...objects.keys()]));
  return [...ids]
    .map((id) => ({ id, bytes: Buffer.from(id) }))
    .sort((a, b) => a.bytes.compare(b.bytes))
    .map(({ id }) => id);
}

const isTogether = ({ rows, firstRow, lastRow }: ObjectFacts): boolean =>
  lastRow - firstRow + 1 === rows;

function append(runs: RowRun[], run: RowRun): void {
  const last = runs.at(-1);
  if (last?.source === run.source && last.lastRow + 1 === run.firstRow)
    runs[runs.length - 1] = { ...last, lastRow: run.lastRow };
  else runs.push(run);
}
