// Sealed generation -> segments of each project: exported from the writer, split, sorted and written.
import { rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import type { RowRange } from './flush-parts.js';
import type { SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import type { Generation, StoreState } from '../store-state.js';
import type { WriteBuffer } from '../commit/write-buffer.js';

export interface FlushParts {
  readonly buffer: WriteBuffer;
  readonly outputs: SegmentOutputs;
  /** For the export between the two instances. */
  readonly temporaryFile: string;
}

/** The segments of the generation's rows, with what was superseded up to now; they are not published yet. */
export async function flushGeneration(
  connection: Connection,
  generation: Generation,
  state: StoreState,
  parts: FlushParts,
): Promise<readonly SegmentOutput[]> {
  const written: SegmentOutput[] = [];
  try {
    const { source, rowCount } = generation;
    for (const rows of await parts.buffer.parts(source, { firstRow: 0, endRow: rowCount }))
      await flushRows(connection, { generation, rows, state, written }, parts);
    return written;
  } catch (error) {
    await parts.outputs.remove(written.map(({ segment }) => segment));
    throw error;
  }
}

interface FlushedRows {
  readonly generation: Generation;
  readonly rows: RowRange;
  readonly state: StoreState;
  /** Takes up the segments, one for each project. */
  readonly written: SegmentOutput[];
}

async function flushRows(
  connection: Connection,
  { generation, rows, state, written }: FlushedRows,
  { buffer, outputs, temporaryFile }: FlushParts,
): Promise<void> {
  try {
    await buffer.exportSealed(generation, rows, state.lastXactId, temporaryFile);
    const exported = sql`SELECT *, _row AS _source_row FROM read_parquet(${temporaryFile})`;
    const projects = await connection.read(
      sql`SELECT DISTINCT project_id FROM (${exported}) ORDER BY project_id`,
    );
    for (const { project_id: projectId } of projects)
      written.push(
        await outputs.write(connection, {
          projectId: projectId as string,
          rows: sql`(${exported} WHERE project_id = ${projectId as string})`,
          inputs: [{ source: generation.source, firstRow: 0 }],
          alike: state.segments.filter((segment) => segment.projectId === projectId).slice(-1),
        }),
      );
  } finally {
    await rm(temporaryFile, { force: true });
  }
}
