// Rewrites a segment, under a new number, with corrected ends of its row versions.
import path from 'node:path';
import { rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import type { Segment } from '../segment/segment.js';
import { toSegment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { mergePaths } from '../segment/merged-paths.js';
import { defaultSegmentSettings, haveLargeRows, writeSegment } from '../segment/segment-writer.js';
import { compressionLevels } from '../segment/segment-table.js';
import { exportEnds, rowsWithEnds } from './versions.js';

export interface RewriteDeps {
  /** Has the rows that differ, see `compareVersions`. */
  readonly tables: Connection;
  /** An instance with one thread and the functions of `row/scalar-functions`. */
  readonly engine: Connection;
  readonly files: SegmentFiles;
  readonly temporaryDirectory: string;
}

/** Writes the segment to the directory of its project and returns it. */
export async function rewriteSegment(
  { tables, engine, files, temporaryDirectory }: RewriteDeps,
  segment: Segment,
  source: number,
): Promise<Segment> {
  const ends = path.join(temporaryDirectory, `ends-${segment.source}.parquet`);
  const name = { projectId: segment.projectId, source };
  await exportEnds(tables, segment.source, ends);
  const file = files.rows(segment);
  const merged = mergePaths([segment], defaultSegmentSettings.leafPathsMax);
  const { stats } = await writeSegment(engine, {
    rows: rowsWithEnds(file, segment.rows, ends, merged),
    rowCount: segment.rows,
    paths: merged.paths,
    hasLargeRows: await haveLargeRows(engine, [file]),
    compressionLevel: compressionLevels.merge,
    files: files.unpublished,
    name,
  });
  await files.moveToProject(name);
  await rm(ends);
  return toSegment(source, segment.projectId, stats, {});
}
