// The rows of a segment once more without their JSON text, in a file of large row groups. Looking up one row wants small
// groups, since a group's text is decompressed whole; each group costs a scan time, however few of its columns it reads.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import { jsonColumns } from '../../schema/event-columns.js';
import { readSegment } from './segment-table.js';

/** The engine reads row groups side by side, of which it takes a few. */
const groupsMin = 4;
const groupRowsMin = 20_480;
const groupRowsMax = 122_880;
/** What the engine works on at once. */
const vectorRows = 2048;

export function narrowGroupRows(rows: number): number {
  const wanted = Math.ceil(rows / groupsMin / vectorRows) * vectorRows;
  return Math.min(groupRowsMax, Math.max(groupRowsMin, wanted));
}

/** SELECT list of what a narrow file has. */
export const narrowColumns: Sql = sql`* EXCLUDE (${join(jsonColumns.map(identifier))})`;

/** Writes to `path` the narrow columns of the segment file `segment`, in their order. */
export const writeNarrow = (
  connection: Connection,
  segment: string,
  rows: number,
  path: string,
): Promise<void> =>
  connection.run(sql`
    COPY (SELECT ${narrowColumns} FROM ${readSegment(segment)}) TO ${path} (
      FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,
      ROW_GROUP_SIZE ${{ parts: [String(narrowGroupRows(rows))] }})`);
