// Reads the rows of a sealed generation from the log and writes, for each project, a sorted file of rows and the paths of
// their JSON. Runs in the thread of an engine instance.
import { listedColumns, selectLeaves, type LeafSelection } from '../segment/leaf-selection.js';
import { addObject, emptyTree, pathsIn, type PathTree } from '../segment/path-tree.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { booleanOf, recordBytes, textBytes, textColumns, textsStart } from '../log/record.js';
import type { RecordRef } from '../log/record.js';
import {
  endsByRow,
  openRowsFile,
  readRecords,
  type LoggedRow,
  type RowsFileRequest,
} from '../log/rows-file.js';
import { inSegmentOrder, type ProjectRows } from './row-order.js';

export interface FlushRequest extends RowsFileRequest {
  /** Paths per segment that get leaf columns. */
  readonly leafPathsMax: number;
}

export interface FlushedRows {
  readonly projects: readonly FlushedProject[];
  /** The number of each requested row among the rows of all files, in the order of `projects`. */
  readonly newRows: Int32Array;
}

export interface FlushedProject extends LeafSelection {
  readonly projectId: string;
  /** `RowsFileRequest.file` with a suffix for the project. Has `_row`, the event columns and `_superseded_by`, in the order of a segment. */
  readonly file: string;
  readonly rows: number;
  /** The size of the largest row in the log. */
  readonly largestBytes: number;
  /** The number of the first row of `file` in `FlushedRows.newRows`. */
  readonly firstNewRow: number;
}

/** The module that threads of the engine load, and its entry. */
export const flushRowsModule = new URL(import.meta.url);
export const run = (request: unknown): Promise<FlushedRows> =>
  writeFlushedRows(request as FlushRequest);

/** @throws DamagedLog, or an error of the file system; some of the files may exist then */
export async function writeFlushedRows(request: FlushRequest): Promise<FlushedRows> {
  const rows: LoggedRow[] = [];
  for await (const read of readRecords(request)) for (const row of read) rows.push(row);
  const ordered = inSegmentOrder(rows);
  const supersededBy = endsByRow(request.superseded);
  const projects: FlushedProject[] = [];
  let firstNewRow = 0;
  for (const project of ordered) {
    const file = `${request.file}-${projects.length}.parquet`;
    const written = await writeProject(project, file, supersededBy, request.leafPathsMax);
    projects.push({ ...written, firstNewRow });
    firstNewRow += written.rows;
  }
  return { projects, newRows: newRowsOf(request, ordered) };
}

function newRowsOf(
  { firstRow, endRow }: FlushRequest,
  projects: readonly ProjectRows[],
): Int32Array {
  const newRows = new Int32Array(endRow - firstRow).fill(-1);
  let next = 0;
  for (const { rows } of projects) for (const { row } of rows) newRows[row - firstRow] = next++;
  return newRows;
}

async function writeProject(
  { projectId, rows }: ProjectRows,
  file: string,
  supersededBy: ReadonlyMap<number, bigint>,
  leafPathsMax: number,
): Promise<Omit<FlushedProject, 'firstNewRow'>> {
  const output = await openRowsFile(file, true);
  const trees = new Map<JsonColumn, PathTree>();
  let largestBytes = 0;
  try {
    for (const [newRow, { row, frame, start }] of rows.entries()) {
      addPaths(trees, { frame, start });
      largestBytes = Math.max(largestBytes, recordBytes(frame, start));
      output.add({ row: newRow, frame, start, supersededBy: supersededBy.get(row) ?? null });
      if (output.isFull()) await output.write();
    }
    await output.finish();
  } finally {
    await output.close();
  }
  const found = new Map(Array.from(trees, ([column, tree]) => [column, pathsIn(tree)]));
  const selection = selectLeaves(found, rows.length, leafPathsMax);
  return { ...selection, projectId, file, rows: rows.length, largestBytes };
}

/** The listed columns by their index in `textColumns`. */
const listed = textColumns.map((name) => listedColumns.find((column) => column === name));

const openBrace = 0x7b;

function addPaths(trees: Map<JsonColumn, PathTree>, place: RecordRef): void {
  const { frame, start } = place;
  const isLossless = booleanOf(place, '_lossless');
  let at = textsStart(frame, start);
  for (const [index, column] of listed.entries()) {
    const from = at;
    at += Math.max(0, textBytes(frame, start, index));
    if (column === undefined || at === from || frame[from] !== openBrace) continue;
    const tree = trees.get(column) ?? emptyTree();
    trees.set(column, tree);
    addObject(tree, frame, from, isLossless);
  }
}
