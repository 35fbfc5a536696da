// Sorts rows of the log, by project, in the order of segments (`segment/segment-order`).
import { groupBy } from '../row/group-by.js';
import { compareTexts, compareXactIds, positionOf, textRange, textsAcross } from '../log/record.js';
import type { LoggedRow } from '../log/rows-file.js';

export interface ProjectRows {
  readonly projectId: string;
  readonly rows: readonly LoggedRow[];
}

interface ObjectRows {
  readonly projectId: string;
  readonly objectId: Buffer;
  readonly rows: LoggedRow[];
}

/** Projects in the order of their ids. */
export function inSegmentOrder(rows: readonly LoggedRow[]): readonly ProjectRows[] {
  const projects = groupBy(byObject(rows), ({ projectId }) => projectId);
  return [...projects]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([projectId, objects]) => ({
      projectId,
      rows: objects
        .toSorted((one, other) => one.objectId.compare(other.objectId))
        .flatMap(({ rows: own }) => sorted(own)),
    }));
}

/** Groups rows by object. Most rows have the same object as the row before them, which is checked first. */
function byObject(rows: readonly LoggedRow[]): Iterable<ObjectRows> {
  const objects = new Map<string, ObjectRows>();
  let last: { readonly key: Buffer; readonly rows: LoggedRow[] } | undefined;
  for (const row of rows) {
    const { frame, start } = row;
    const { from, to } = textsAcross(frame, start, 'object_id', 'project_id');
    if (last === undefined || last.key.compare(frame, from, to) !== 0) {
      const key = frame.subarray(from, to);
      const name = key.toString('latin1');
      const object = objects.get(name) ?? objectOf(row);
      objects.set(name, object);
      last = { key, rows: object.rows };
    }
    last.rows.push(row);
  }
  return objects.values();
}

function objectOf({ frame, start }: LoggedRow): ObjectRows {
  const project = textRange(frame, start, 'project_id');
  const object = textRange(frame, start, 'object_id');
  return {
    projectId: frame.toString('utf8', project.from, project.to),
    objectId: frame.subarray(object.from, object.to),
    rows: [],
  };
}

interface Keyed {
  readonly row: LoggedRow;
  /** With a character for each byte: the engine compares bytes, too. */
  readonly trace: string;
}

const sorted = (rows: readonly LoggedRow[]): readonly LoggedRow[] =>
  rows
    .map((row): Keyed => {
      const { from, to } = textRange(row.frame, row.start, 'root_span_id');
      return { row, trace: row.frame.toString('latin1', from, to) };
    })
    .sort(compareRows)
    .map(({ row }) => row);

const compareRows = ({ row: one, trace }: Keyed, { row: other, trace: otherTrace }: Keyed) =>
  compareXactIds(one, other) ||
  (trace < otherTrace ? -1 : Number(trace > otherTrace)) ||
  positionOf(one) - positionOf(other) ||
  compareTexts(one, other, 'id');
