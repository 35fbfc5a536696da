// Flushes a sealed generation to segments, one or more per project. When rows run out of memory together, they are flushed
// in smaller parts; a single row that needs more than the limit gets an instance with enough memory.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { sql } from '../../duckdb/sql.js';
import { splitOnMemoryError, type RowRange } from '../row/row-range.js';
import { maintenanceMbFor } from '../commit/event-size.js';
import { inputHash } from '../segment/input-hash.js';
import { withLeaves } from '../segment/leaf-columns.js';
import { compressionLevels } from '../segment/segment-table.js';
import { largeRowBytes, type SegmentContents } from '../segment/segment-writer.js';
import { flushParts } from './flush-parts.js';
import {
  flushRowsModule,
  type FlushedProject,
  type FlushedRows,
  type FlushRequest,
} from './flush-rows.js';
import type { MaintenanceEngine, RunModule } from './maintenance-engine.js';
import type { OutputRequest, SegmentOutput, SegmentOutputs } from './segment-outputs.js';
import type { Generation } from '../manifest/store-state.js';
import type { EventLog } from '../log/event-log.js';
import type { RowsFileRequest } from '../log/rows-file.js';
import type { Supersessions } from '../row/supersessions.js';

export interface FlushDeps {
  readonly engine: MaintenanceEngine;
  readonly log: EventLog;
  readonly supersessions: Supersessions;
  readonly outputs: SegmentOutputs;
  /** A directory for this flush alone, which removes it at its end. */
  readonly temporaryDirectory: string;
  /** The most bytes of heavy rows that are written together. */
  readonly partBytesMax: number;
  /** Called for a row that needs more memory than the settings allow. */
  readonly oversized: (row: OversizedRow) => void;
}

/** A row that is larger than the limit, since a process with more memory accepted it. */
export interface OversizedRow {
  readonly source: number;
  readonly row: number;
  readonly bytes: number;
  readonly error: unknown;
}

/** Writes the rows of the generation, with their supersessions up to a transaction, to segments. Does not publish these. */
export async function flushGeneration(
  { source, rowCount }: Generation,
  upTo: bigint,
  parts: FlushDeps,
): Promise<readonly SegmentOutput[]> {
  const { engine, log, temporaryDirectory, partBytesMax, oversized } = parts;
  const bytesOf = (row: number) => log.bytesOf(source, row);
  const written: SegmentOutput[] = [];
  const write = async (
    connection: Connection,
    runModule: RunModule,
    rows: RowRange,
    directory: string,
  ) => {
    const superseded = parts.supersessions.of(source, upTo);
    const request = log.rowsRequest(source, rows, path.join(directory, 'rows'), superseded);
    written.push(...(await writeRows(connection, runModule, request, directory, parts.outputs)));
  };
  try {
    for (const range of flushParts({ firstRow: 0, endRow: rowCount }, bytesOf, partBytesMax))
      await splitOnMemoryError(
        range,
        (rows) =>
          engine.use((connection, runModule) =>
            write(connection, runModule, rows, temporaryDirectory),
          ),
        (row, error) => {
          const bytes = bytesOf(row);
          oversized({ source, row, bytes, error });
          return engine.useWith(maintenanceMbFor(bytes), (connection, runModule, temporary) => {
            const directory = path.join(temporary, path.basename(temporaryDirectory));
            return write(connection, runModule, { firstRow: row, endRow: row + 1 }, directory);
          });
        },
      );
    return written;
  } catch (error) {
    await parts.outputs.remove(written.map(({ segment }) => segment));
    throw error;
  }
}

/** Writes the requested rows to segments, one per project. Removes `directory` at the end. */
async function writeRows(
  connection: Connection,
  runModule: RunModule,
  rows: RowsFileRequest,
  directory: string,
  outputs: SegmentOutputs,
): Promise<readonly SegmentOutput[]> {
  const request: FlushRequest = { ...rows, leafPathsMax: outputs.leafPathsMax };
  const written: SegmentOutput[] = [];
  try {
    await mkdir(directory, { recursive: true });
    const { projects, newRows } = (await runModule(flushRowsModule, request)) as FlushedRows;
    for (const project of projects)
      written.push(await outputs.write(connection, segmentOf(request, project, newRows)));
    return written;
  } catch (error) {
    await outputs.remove(written.map(({ segment }) => segment));
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const segmentOf = (
  { source, firstRow }: FlushRequest,
  project: FlushedProject,
  newRows: Int32Array,
): OutputRequest => ({
  ...flushedRows(project),
  projectId: project.projectId,
  inputs: [{ source, firstRow: -firstRow }],
  newRows,
  firstNewRow: project.firstNewRow,
});

export const flushedRows = ({
  file,
  rows,
  leaves,
  paths,
  largestBytes,
}: FlushedProject): SegmentContents => ({
  rows: withLeaves(sql`(SELECT *, ${inputHash} AS _input_hash FROM ${readParquet(file)})`, leaves),
  rowCount: rows,
  paths,
  hasLargeRows: largestBytes >= largeRowBytes,
  compressionLevel: compressionLevels.flush,
});
