// Merges neighbouring segments of a project into one segment with the same row versions.
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
import { withSupersessionTable } from '../row/supersession-table.js';
import type { Supersession } from '../row/event-table.js';

export interface CompactionDeps {
  readonly files: SegmentFiles;
  readonly outputs: SegmentOutputs;
  /** A directory for this merge alone, which removes it at its end. */
  readonly temporaryDirectory: string;
  /** Called with the error when the merged rows were not in order. They are then sorted and written again. */
  readonly failed: (error: unknown) => void;
}

/**
 * Merges `segments`, which are in the order of their transaction ids, with the supersessions `superseded` of their rows. Does not publish
 * the result.
 * @throws EngineError, or SegmentOrderError when the rows are not in order even after sorting
 */
export async function mergeSegments(
  connection: Connection,
  segments: readonly Segment[],
  superseded: readonly Supersession[],
  parts: CompactionDeps,
): Promise<SegmentOutput> {
  const { temporaryDirectory } = parts;
  try {
    await mkdir(temporaryDirectory, { recursive: true });
    return await withSupersessionTable(connection, superseded, (supersessions) =>
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
  { files, outputs, temporaryDirectory, failed }: CompactionDeps,
): Promise<SegmentOutput> {
  const inputs = inputsOf(segments);
  const merged = mergePaths(segments, outputs.leafPathsMax);
  const sources = { segments, inputs, files, supersessions, merged };
  const order = {
    projectId: segments[0]!.projectId,
    inputs,
    firstNewRow: 0,
    rowCount: segments.reduce((sum, { rows }) => sum + rows, 0),
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
      return await outputs.write(connection, {
        ...order,
        rows,
        newRows: newRowsOf(segments, runs),
      });
    } catch (error) {
      if (!(error instanceof SegmentOrderError)) throw error;
      failed(error);
    }
  const newRows = await sortedNewRows(connection, sources);
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
