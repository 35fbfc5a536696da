// Collects the logged rows that no segment has in one new generation, which the next start flushes.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { eventColumnList, noEvents } from '../row/event-table.js';
import type { EventLog } from '../log/event-log.js';
import { inspectLog } from '../log/read-log.js';
import { wholeLog, writeRowsFile } from '../log/rows-file.js';
import { appendRows } from '../log/append-rows.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';

export interface BufferedRows {
  readonly rows: number;
  /** Transactions of the rows; 0 when there are none. */
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
  /** Rows that are left out, since they are older than segments of their project: their own segments are lost. */
  readonly left: number;
  /** Sentences about damaged logs. The rows before the damage are kept. */
  readonly damage: readonly string[];
}

export interface BufferedDeps {
  readonly tables: Connection;
  readonly log: EventLog;
  readonly files: SegmentFiles;
  readonly temporaryDirectory: string;
}

/** Temporary table of the rows, with their numbers in the new generation. */
export const bufferedRows = sql`buffered`;

const unionAll = (branches: readonly Sql[]): Sql => join(branches, ' UNION ALL ');

/** Creates the log of the generation `source` with the rows of all logs, and the table `bufferedRows`. */
export async function moveBuffered(
  parts: BufferedDeps,
  segments: readonly Segment[],
  source: number,
): Promise<BufferedRows> {
  const { tables: connection, files } = parts;
  const damage: string[] = [];
  const logs = await readLogs(parts, damage);
  const all = logs.length === 0 ? noEvents : readParquet(logs);
  await connection.run(sql`
    CREATE TEMPORARY TABLE kept AS SELECT DISTINCT ON (object_id, id, _xact_id) b.* FROM ${all} b
    ANTI JOIN ${keysOf(files, segments)} s USING (object_id, id, _xact_id)`);
  const left = await removeOlder(connection, segments);
  await connection.run(sql`
    CREATE TEMPORARY TABLE ${bufferedRows} AS
    SELECT CAST(row_number() OVER (ORDER BY _xact_id, _position, id) - 1 AS INTEGER) AS _row, ${eventColumnList}
    FROM kept ORDER BY _xact_id, _position, id`);
  const [found] = await connection.read(sql`
    SELECT count(*) AS n, coalesce(min(_xact_id), 0) AS first, coalesce(max(_xact_id), 0) AS last FROM kept`);
  const rows = Number(found?.['n']);
  await writeLog(parts, source, rows);
  return {
    rows,
    firstXactId: found?.['first'] as bigint,
    lastXactId: found?.['last'] as bigint,
    left,
    damage,
  };
}

/** Files of the rows of all logs, whether the former manifest lists them or not. */
async function readLogs(
  { log, temporaryDirectory }: BufferedDeps,
  damage: string[],
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const source of await log.sources()) {
    const content = await inspectLog(log.fileOf(source), source);
    if (content.damage !== null) damage.push(content.damage);
    const file = path.join(temporaryDirectory, `rows-${source}.parquet`);
    await writeRowsFile(wholeLog(log.fileOf(source), source, content, file));
    written.push(file);
  }
  return written;
}
const framedRows = 256;

async function writeLog({ tables, log }: BufferedDeps, source: number, rowCount: number) {
  await log.create(source);
  for (let firstRow = 0; firstRow < rowCount; firstRow += framedRows) {
    const rows = await tables.read(sql`
      SELECT * FROM ${bufferedRows}
      WHERE _row >= ${BigInt(firstRow)} AND _row < ${BigInt(firstRow + framedRows)} ORDER BY _row`);
    await appendRows(log, source, firstRow, rows);
  }
}

function keysOf(files: SegmentFiles, segments: readonly Segment[]): Sql {
  const branches = segments.map(
    (segment) => sql`SELECT object_id, id, _xact_id FROM ${readSegment(files.rows(segment))}`,
  );
  return branches.length === 0 ? noEvents : sql`(${unionAll(branches)})`;
}

/**
 * Removes the rows that are older than the segments of their project. A segment can have a part of its last transaction, since a
 * flush in parts divides it. Returns the number of removed rows.
 */
async function removeOlder(connection: Connection, segments: readonly Segment[]): Promise<number> {
  const lasts = new Map<string, bigint>();
  for (const { projectId, lastXactId } of segments)
    if (lastXactId > (lasts.get(projectId) ?? 0n)) lasts.set(projectId, lastXactId);
  const [projects, xactIds] = [[...lasts.keys()], [...lasts.values()].map(String)];
  const removed = await connection.read(sql`
    DELETE FROM kept USING (
      SELECT unnest(${projects}::VARCHAR[]) AS project, unnest(${xactIds}::BIGINT[]) AS last) p
    WHERE project_id = project AND _xact_id < last RETURNING 1`);
  return removed.length;
}
