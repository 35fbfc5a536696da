// Neighbouring segments of a project -> one segment with the same row versions.
import { mkdir, rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import type { Sql } from '../../duckdb/sql.js';
import { mergePaths } from '../segment/merged-paths.js';
import { isOrderVerified, type Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { haveLargeRows } from '../segment/segment-writer.js';
import { SegmentOrderError } from '../segment/segment-order.js';
import {
  cutRuns,
  mergeOrder,
  placesOf,
  runsMax,
  type RowRange,
  type RowRun,
} from './merge-order.js';
import { rowsInOrder, sortedPlaces, sortedRows, type MergeSources } from './merged-rows.js';
import { rangesOf, writeRunFiles } from './run-files.js';
import type { SegmentInput, SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import { withEnded } from '../ended-table.js';
import type { Supersession } from '../event-table.js';

export interface CompactionParts {
  readonly files: SegmentFiles;
  readonly outputs: SegmentOutputs;
  /** Made for the merge, and removed with all that is in it. */
  readonly temporaryDirectory: string;
  /** Called with what was wrong with the merged segment when it is written a second time, sorted. */
  readonly failed: (error: unknown) => void;
}

/**
 * The merged segment of `segments`, which are in the order of their transaction ids, with `ended`, what superseded their rows; it
 * is not published yet.
 * @throws EngineError, or SegmentOrderError when even sorting did not give the order of a segment
 */
export async function mergeSegments(
  connection: Connection,
  segments: readonly Segment[],
  ended: readonly Supersession[],
  parts: CompactionParts,
): Promise<SegmentOutput> {
  const { temporaryDirectory } = parts;
  try {
    await mkdir(temporaryDirectory, { recursive: true });
    return await withEnded(connection, ended, (supersessions) =>
      merge(connection, segments, supersessions, parts),
    );
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

async function merge(
  connection: Connection,
  segments: readonly Segment[],
  supersessions: Sql,
  { files, outputs, temporaryDirectory, failed }: CompactionParts,
): Promise<SegmentOutput> {
  const inputs = inputsOf(segments);
  const merged = mergePaths(segments, outputs.leafPathsMax);
  const sources = { segments, inputs, files, supersessions, merged };
  const order = {
    projectId: segments[0]!.projectId,
    inputs,
    rowCount: segments.reduce((sum, { rows }) => sum + rows, 0),
    paths: merged.paths,
    hasLargeRows: await haveLargeRows(
      connection,
      segments.map((segment) => files.rows(segment)),
    ),
  };
  const runs = await runsOf(connection, sources);
  if (runs !== null)
    try {
      const runFiles = await writeRunFiles(connection, sources, runs, temporaryDirectory);
      const rows = rowsInOrder(sources, runFiles);
      return await outputs.write(connection, { ...order, rows, places: placesOf(segments, runs) });
    } catch (error) {
      if (!(error instanceof SegmentOrderError)) throw error;
      failed(error);
    }
  const places = await sortedPlaces(connection, sources);
  return outputs.write(connection, { ...order, rows: sortedRows(sources), places });
}

// The rows of segments of older versions may be out of order in their files, though their numbers are right.
async function runsOf(
  connection: Connection,
  { segments, files }: MergeSources,
): Promise<readonly RowRun[] | null> {
  const runs = mergeOrder(segments);
  if (runs === null) return null;
  const ranges = new Map<number, readonly RowRange[]>();
  for (const segment of segments.filter((each) => !isOrderVerified(each))) {
    const found = await rangesOf(connection, files.rows(segment), segment.rows);
    if (found === null) return null;
    ranges.set(segment.source, found);
  }
  const cut = cutRuns(runs, ranges);
  return cut.length > runsMax ? null : cut;
}

function inputsOf(segments: readonly Segment[]): readonly SegmentInput[] {
  let next = 0;
  return segments.map(({ source, rows }) => {
    const firstRow = next;
    next += rows;
    return { source, firstRow };
  });
}
