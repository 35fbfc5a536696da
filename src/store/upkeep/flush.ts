// Sealed generation -> segments of each project: exported from the writer, split, sorted and written. Rows that together need
// more memory than there is are written apart, and one that does so alone is written with as much as it needs.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import { byHalves } from '../commit/by-halves.js';
import { memoryMbFor } from '../commit/event-size.js';
import type { RowRange } from './flush-parts.js';
import type { MaintenanceEngine } from './maintenance-engine.js';
import type { SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import type { Generation, StoreState } from '../store-state.js';
import type { WriteBuffer } from '../commit/write-buffer.js';

export interface FlushParts {
  readonly engine: MaintenanceEngine;
  readonly buffer: WriteBuffer;
  readonly outputs: SegmentOutputs;
  /** For the export between the two instances. */
  readonly temporaryFile: string;
  /** Called for a row that needs more memory than the settings allow. */
  readonly oversized: (row: OversizedRow) => void;
}

/** An earlier version accepted rows of any size. */
export interface OversizedRow {
  readonly source: number;
  readonly row: number;
  readonly bytes: number;
  readonly error: unknown;
}

/** The segments of the generation's rows, with what was superseded up to now; they are not published yet. */
export async function flushGeneration(
  generation: Generation,
  state: StoreState,
  parts: FlushParts,
): Promise<readonly SegmentOutput[]> {
  const { source, rowCount } = generation;
  const written: SegmentOutput[] = [];
  try {
    for (const range of await parts.buffer.parts(source, { firstRow: 0, endRow: rowCount }))
      for (const outputs of await byHalves(
        range,
        (rows) => flushRows({ generation, rows, state }, parts),
        (row, error) => flushOversized({ generation, row, state, error }, parts),
      ))
        written.push(...outputs);
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
}

async function flushRows(
  { generation, rows, state }: FlushedRows,
  { engine, buffer, outputs, temporaryFile }: FlushParts,
): Promise<readonly SegmentOutput[]> {
  try {
    await buffer.exportSealed(generation, rows, state.lastXactId, temporaryFile);
    return await engine.use((connection) =>
      writeRows(connection, { generation, state, outputs, file: temporaryFile }),
    );
  } finally {
    await rm(temporaryFile, { force: true });
  }
}

interface FlushedRow {
  readonly generation: Generation;
  readonly row: number;
  readonly state: StoreState;
  readonly error: unknown;
}

async function flushOversized(
  { generation, row, state, error }: FlushedRow,
  { engine, buffer, outputs, temporaryFile, oversized }: FlushParts,
): Promise<readonly SegmentOutput[]> {
  const { source } = generation;
  const bytes = await buffer.bytesOf(source, row);
  oversized({ source, row, bytes, error });
  const memoryMb = memoryMbFor(bytes);
  const rows = { firstRow: row, endRow: row + 1 };
  return engine.useWith(memoryMb.maintenance, async (connection, directory) => {
    const file = path.join(directory, path.basename(temporaryFile));
    try {
      await buffer.exportSealed(generation, rows, state.lastXactId, file, memoryMb.writer);
      return await writeRows(connection, { generation, state, outputs, file });
    } finally {
      await rm(file, { force: true });
    }
  });
}

interface ExportedRows {
  readonly generation: Generation;
  readonly state: StoreState;
  readonly outputs: SegmentOutputs;
  readonly file: string;
}

async function writeRows(
  connection: Connection,
  { generation, state, outputs, file }: ExportedRows,
): Promise<readonly SegmentOutput[]> {
  const written: SegmentOutput[] = [];
  try {
    const exported = sql`SELECT *, _row AS _source_row FROM read_parquet(${file})`;
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
    return written;
  } catch (error) {
    await outputs.remove(written.map(({ segment }) => segment));
    throw error;
  }
}
