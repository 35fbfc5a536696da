// Sealed generation -> segments of each project: its rows are read from the log, split, sorted and written. Rows that together need
// more memory than there is are written apart, and one that does so alone is written with as much as it needs.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import { byHalves } from '../commit/by-halves.js';
import { maintenanceMbFor } from '../commit/event-size.js';
import { flushParts, type RowRange } from './flush-parts.js';
import type { MaintenanceEngine } from './maintenance-engine.js';
import type { SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import type { Generation, StoreState } from '../store-state.js';
import type { EventLog } from '../log/event-log.js';
import { rowsFileModule, type RowsOrder } from '../log/rows-file.js';
import type { Supersessions } from '../supersessions.js';

export interface FlushParts {
  readonly engine: MaintenanceEngine;
  readonly log: EventLog;
  readonly supersessions: Supersessions;
  readonly outputs: SegmentOutputs;
  /** For the rows, before they are split and sorted. */
  readonly temporaryFile: string;
  /** Rows that are large on their own and are written at once have so many bytes at most. */
  readonly partBytesMax: number;
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
    const bytesOf = (row: number) => parts.log.bytesOf(source, row);
    for (const range of flushParts({ firstRow: 0, endRow: rowCount }, bytesOf, parts.partBytesMax))
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
  parts: FlushParts,
): Promise<readonly SegmentOutput[]> {
  const { engine, outputs, temporaryFile: file } = parts;
  const order = orderOf(generation, rows, state, file, parts);
  try {
    return await engine.use(async (connection, runModule) => {
      await runModule(rowsFileModule, order);
      return writeRows(connection, { generation, state, outputs, file });
    });
  } finally {
    await rm(file, { force: true });
  }
}

const orderOf = (
  { source }: Generation,
  rows: RowRange,
  state: StoreState,
  file: string,
  { log, supersessions }: FlushParts,
): RowsOrder => log.order(source, rows, file, supersessions.of(source, state.lastXactId));

interface FlushedRow {
  readonly generation: Generation;
  readonly row: number;
  readonly state: StoreState;
  readonly error: unknown;
}

async function flushOversized(
  { generation, row, state, error }: FlushedRow,
  parts: FlushParts,
): Promise<readonly SegmentOutput[]> {
  const { engine, log, outputs, temporaryFile, oversized } = parts;
  const { source } = generation;
  const bytes = log.bytesOf(source, row);
  oversized({ source, row, bytes, error });
  const rows = { firstRow: row, endRow: row + 1 };
  return engine.useWith(maintenanceMbFor(bytes), async (connection, runModule, directory) => {
    const file = path.join(directory, path.basename(temporaryFile));
    try {
      await runModule(rowsFileModule, orderOf(generation, rows, state, file, parts));
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
