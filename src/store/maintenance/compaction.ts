// Merges neighbouring segments of a project into one segment with the same row versions, or without those that are removed.
import { mkdir, rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import type { Sql } from '../../duckdb/sql.js';
import { mergePaths } from '../segment/merged-paths.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { haveLargeRows } from '../segment/segment-writer.js';
import { compressionLevels } from '../segment/segment-table.js';
import { SegmentOrderError } from '../segment/segment-order.js';
import { mergeOrder, newRowsOf } from './merge-order.js';
import { rowsInOrder, sortedNewRows, sortedRows } from './merged-rows.js';
import { writeRunFiles } from './run-files.js';
import type { SegmentInput, SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import { noneRemoved, withoutRemoved, withRemovedRows, type RemovedRows } from './removed-rows.js';
import { withSupersessionTable } from '../row/supersession-table.js';
import type { Supersession } from '../row/event-table.js';
import type { RemovedKind } from './publish.js';

export interface CompactionDeps {
  readonly files: SegmentFiles;
  readonly outputs: SegmentOutputs;
  /** A directory for this merge alone, which removes it at its end. */
  readonly temporaryDirectory: string;
  /** Called with the error when the merged rows were not in order. They are then sorted and written again. */
  readonly failed: (error: unknown) => void;
}

/** Returns a SELECT of the numbers ("row") of those rows of a segment that a merge leaves out; `supersessions` as in `MergeSources`. */
type LeaveOut = (
  connection: Connection,
  segment: Segment,
  supersessions: Sql,
) => Sql | Promise<Sql>;

/** What a merge leaves out. */
export interface Leaving {
  readonly leaveOut: LeaveOut;
  /** Nothing is merged if fewer rows would be left out. */
  readonly rowsMin: number;
  readonly removed: RemovedKind;
}

/** A merged segment; null if all rows are left out. */
export interface Merged {
  readonly output: SegmentOutput | null;
  /** The number of rows that are left out. */
  readonly removed: number;
}

/**
 * Merges `segments`, which are in the order of their transaction ids, with the supersessions `superseded` of their rows, and without
 * the rows of `leaving`. Does not publish the result. Returns null if too few rows would be left out.
 * @throws EngineError, or SegmentOrderError when the rows are not in order even after sorting
 */
export async function mergeSegments(
  connection: Connection,
  segments: readonly Segment[],
  superseded: readonly Supersession[],
  parts: CompactionDeps,
  leaving?: Leaving,
): Promise<Merged | null> {
  const { temporaryDirectory } = parts;
  try {
    await mkdir(temporaryDirectory, { recursive: true });
    return await withSupersessionTable(connection, superseded, (supersessions) => {
      const write = async (removed: RemovedRows): Promise<Merged> => ({
        output:
          removed.count === rowsIn(segments)
            ? null
            : await merge(connection, segments, supersessions, removed, parts),
        removed: removed.count,
      });
      if (leaving === undefined) return write(noneRemoved);
      const { leaveOut, rowsMin } = leaving;
      const rowsOf = (segment: Segment) => leaveOut(connection, segment, supersessions);
      return withRemovedRows(connection, segments, rowsOf, (removed) =>
        removed.count < rowsMin ? Promise.resolve(null) : write(removed),
      );
    });
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

const rowsIn = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { rows }) => sum + rows, 0);

async function merge(
  connection: Connection,
  segments: readonly Segment[],
  supersessions: Sql,
  removed: RemovedRows,
  { files, outputs, temporaryDirectory, failed }: CompactionDeps,
): Promise<SegmentOutput> {
  const inputs = inputsOf(segments);
  const merged = mergePaths(segments, outputs.leafPathsMax);
  const sources = { segments, inputs, files, supersessions, removed, merged };
  const firstRows = new Map(inputs.map(({ source, firstRow }) => [source, firstRow]));
  const kept = (newRows: Int32Array) =>
    removed.count === 0 ? newRows : withoutRemoved(newRows, firstRows, removed);
  const order = {
    projectId: segments[0]!.projectId,
    inputs,
    firstNewRow: 0,
    rowCount: rowsIn(segments) - removed.count,
    paths: merged.paths,
    hasLargeRows: await haveLargeRows(
      connection,
      segments.map((segment) => files.rows(segment)),
    ),
    compressionLevel: compressionLevels.merge,
  };
  const runs = mergeOrder(segments);
  if (runs !== null)
    try {
      const runFiles = await writeRunFiles(connection, sources, runs, temporaryDirectory);
      const rows = rowsInOrder(sources, runFiles);
      const newRows = kept(newRowsOf(segments, runs));
      return await outputs.write(connection, { ...order, rows, newRows });
    } catch (error) {
      if (!(error instanceof SegmentOrderError)) throw error;
      failed(error);
    }
  const newRows = kept(await sortedNewRows(connection, sources));
  return outputs.write(connection, { ...order, rows: sortedRows(sources), newRows });
}

function inputsOf(segments: readonly Segment[]): readonly SegmentInput[] {
  let next = 0;
  return segments.map(({ source, rows }) => {
    const firstRow = next;
    next += rows;
    return { source, firstRow };
  });
}
