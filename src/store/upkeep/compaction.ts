// Neighbouring segments of a project -> one segment with the same row versions.
import { rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { eventColumnList } from '../event-table.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import { readSegment } from '../segment/segment-table.js';
import type { WriteBuffer } from '../commit/write-buffer.js';

export interface CompactionParts {
  readonly buffer: WriteBuffer;
  readonly files: SegmentFiles;
  readonly outputs: SegmentOutputs;
  /** For the supersessions, on their way between the two instances. */
  readonly temporaryFile: string;
}

/** The merged segment, with what was superseded up to `upTo`; it is not published yet. */
export async function mergeSegments(
  connection: Connection,
  segments: readonly Segment[],
  upTo: bigint,
  { buffer, files, outputs, temporaryFile }: CompactionParts,
): Promise<SegmentOutput> {
  const sources = segments.map(({ source }) => source);
  const firstRows = startsOf(segments);
  const inputs = segments.map((segment, index) => ({
    source: segment.source,
    firstRow: firstRows[index]!,
  }));
  const arms = segments.map((segment, index) =>
    inputRows(files.rows(segment), segment.source, firstRows[index]!, temporaryFile),
  );
  try {
    await buffer.exportSupersessions(sources, upTo, temporaryFile);
    return await outputs.write(connection, {
      projectId: segments[0]!.projectId,
      rows: sql`(${join(arms, ' UNION ALL ')})`,
      inputs,
      hasInputHash: true,
    });
  } finally {
    await rm(temporaryFile, { force: true });
  }
}

function startsOf(segments: readonly Segment[]): readonly number[] {
  let next = 0;
  return segments.map(({ rows }) => {
    const start = next;
    next += rows;
    return start;
  });
}

const inputRows = (
  file: string,
  source: number,
  firstRow: number,
  supersessions: string,
): Sql => sql`
  SELECT ${eventColumnList}, _input_hash, (_row + ${BigInt(firstRow)})::INTEGER AS _source_row,
    coalesce(_superseded_by, by_xact_id) AS _superseded_by
  FROM ${readSegment(file)}
  LEFT JOIN (
    SELECT "row" AS _row, by_xact_id FROM read_parquet(${supersessions})
    WHERE source = ${BigInt(source)}
  ) s USING (_row)`;
