// Sealed generation -> one segment per project: exported from the writer, split, sorted and written.
import { rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
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
  { lastXactId: upTo, segments }: StoreState,
  { buffer, outputs, temporaryFile }: FlushParts,
): Promise<readonly SegmentOutput[]> {
  const written: SegmentOutput[] = [];
  try {
    await buffer.exportSealed(generation, upTo, temporaryFile);
    const rows = sql`SELECT *, _row AS _source_row FROM read_parquet(${temporaryFile})`;
    const projects = await connection.read(
      sql`SELECT DISTINCT project_id FROM (${rows}) ORDER BY project_id`,
    );
    for (const { project_id: projectId } of projects)
      written.push(
        await outputs.write(connection, {
          projectId: projectId as string,
          rows: sql`(${rows} WHERE project_id = ${projectId as string})`,
          inputs: [{ source: generation.source, firstRow: 0 }],
          alike: segments.filter((segment) => segment.projectId === projectId).slice(-1),
        }),
      );
    return written;
  } catch (error) {
    await outputs.remove(written.map(({ segment }) => segment));
    throw error;
  } finally {
    await rm(temporaryFile, { force: true });
  }
}
