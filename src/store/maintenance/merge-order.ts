// The order of rows in a merged segment, computed from the statistics of its inputs without sorting.
import type { RowsBetween } from '../row/row-range.js';
import type { ObjectStats } from '../segment/segment.js';
import type { Segment } from '../segment/segment.js';

/** A range of rows of one segment that stay consecutive in the merged segment. */
export interface RowRun extends RowsBetween {
  readonly source: number;
  /** The number of its first row in the merged segment. */
  readonly newRow: number;
}

/** Each run may be a file of its own. */
const runsMax = 256;

type Ordered = Pick<Segment, 'source' | 'objects'>;

/**
 * Computes the runs of a merge. `segments` are in the order of their transaction ids; each is sorted by object, and then by
 * transaction id. Returns null if there are too many runs, or if the statistics of an object do not determine its order.
 */
export function mergeOrder(segments: readonly Ordered[]): readonly RowRun[] | null {
  const runs: RowRun[] = [];
  let newRow = 0;
  for (const objectId of sortedObjects(segments)) {
    let before: ObjectStats | undefined;
    for (const { source, objects } of segments) {
      const stats = objects.get(objectId);
      if (stats === undefined) continue;
      if (!isTogether(stats) || (before !== undefined && before.maxXactId >= stats.minXactId))
        return null;
      append(runs, { source, firstRow: stats.firstRow, lastRow: stats.lastRow, newRow });
      if (runs.length > runsMax) return null;
      newRow += stats.rows;
      before = stats;
    }
  }
  return runs;
}

/** The new row numbers of all rows, segment by segment. */
export function newRowsOf(
  segments: readonly Pick<Segment, 'source' | 'rows'>[],
  runs: readonly RowRun[],
): Int32Array {
  const starts = new Map<number, number>();
  let rows = 0;
  for (const segment of segments) {
    starts.set(segment.source, rows);
    rows += segment.rows;
  }
  const newRows = new Int32Array(rows).fill(-1);
  for (const { source, firstRow, lastRow, newRow } of runs) {
    const start = starts.get(source)!;
    for (let row = firstRow; row <= lastRow; row++) newRows[start + row] = newRow + row - firstRow;
  }
  return newRows;
}

// The engine compares text by its bytes, JavaScript by UTF-16 units.
function sortedObjects(segments: readonly Ordered[]): readonly string[] {
  const ids = new Set(segments.flatMap(({ objects }) => [...objects.keys()]));
  return [...ids]
    .map((id) => ({ id, bytes: Buffer.from(id) }))
    .sort((a, b) => a.bytes.compare(b.bytes))
    .map(({ id }) => id);
}

const isTogether = ({ rows, firstRow, lastRow }: ObjectStats): boolean =>
  lastRow - firstRow + 1 === rows;

function append(runs: RowRun[], run: RowRun): void {
  const last = runs.at(-1);
  if (last?.source === run.source && last.lastRow + 1 === run.firstRow)
    runs[runs.length - 1] = { ...last, lastRow: run.lastRow };
  else runs.push(run);
}
