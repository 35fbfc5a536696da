// Neighbouring segments of a project -> one segment with the same row versions.
import { rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { mergeOrder, placesOf } from './merge-order.js';
import { eventsOf, rowsInOrder, unorderedRows } from './merged-rows.js';
import type { SegmentInput, SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import type { WriteBuffer } from '../commit/write-buffer.js';

export interface CompactionParts {
  readonly buffer: WriteBuffer;
  readonly files: SegmentFiles;
  readonly outputs: SegmentOutputs;
  /** For the supersessions, on their way between the two instances. */
  readonly temporaryFile: string;
}

/**
 * The merged segment of `segments`, which are in the order of their transaction ids, with what was superseded up to `upTo`; it is
 * not published yet.
 */
export async function mergeSegments(
  connection: Connection,
  segments: readonly Segment[],
  upTo: bigint,
  { buffer, files, outputs, temporaryFile }: CompactionParts,
): Promise<SegmentOutput> {
  const inputs = inputsOf(segments);
  const sources = { segments, inputs, files, supersessions: temporaryFile };
  const runs = mergeOrder(segments);
  try {
    await buffer.exportSupersessions(
      segments.map(({ source }) => source),
      upTo,
      temporaryFile,
    );
    return await outputs.write(connection, {
      projectId: segments[0]!.projectId,
      rows: runs === null ? unorderedRows(sources) : eventsOf(sources),
      inputs,
      hasInputHash: true,
      alike: segments,
      ...(runs && { ordered: { rows: rowsInOrder(sources, runs), map: placesOf(segments, runs) } }),
    });
  } finally {
    await rm(temporaryFile, { force: true });
  }
}

function inputsOf(segments: readonly Segment[]): readonly SegmentInput[] {
  let next = 0;
  return segments.map(({ source, rows }) => {
    const firstRow = next;
    next += rows;
    return { source, firstRow };
  });
}
