// The narrow file of a segment: its rows without their JSON text, in large row groups, for scans. The row groups of the
// segment itself are small, since reading one row decompresses the text of its whole group.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { jsonColumns } from '../../schema/event-columns.js';
import { writeDurably } from '../../durable-file.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';
import { compression, readSegment, type CompressionLevel } from './segment-table.js';

/** The smallest number of row groups. The engine reads row groups in parallel. */
const groupsMin = 4;
const groupRowsMin = 20_480;
const groupRowsMax = 122_880;
/** The number of rows that the engine processes at a time. */
const vectorRows = 2048;

export function narrowGroupRows(rows: number): number {
  const wanted = Math.ceil(rows / groupsMin / vectorRows) * vectorRows;
  return Math.min(groupRowsMax, Math.max(groupRowsMin, wanted));
}

/** SELECT list of the columns of narrow files, from row files. */
export const narrowColumns: Sql = sql`* EXCLUDE (${join(jsonColumns.map(identifier))})`;

/**
 * Writes the narrow columns of the rows of `segment`: live rows to one file, and superseded rows, if there are any, to another
 * one. Reads of the latest state need no condition then, and no history.
 * @returns the written files
 */
export async function writeNarrow(
  connection: Connection,
  files: SegmentFiles,
  segment: SegmentName,
  compressionLevel: CompressionLevel,
): Promise<readonly string[]> {
  const from = readSegment(files.rows(segment));
  const [live, superseded] = [files.narrow(segment), files.supersededNarrow(segment)];
  const write = (path: string, rows: number, which: Sql): Promise<void> =>
    writeDurably(path, (file) =>
      connection.run(sql`
        COPY (SELECT ${narrowColumns} FROM ${from} WHERE _superseded_by IS ${which})
        TO ${file} (FORMAT parquet, ${compression(compressionLevel)},
          ROW_GROUP_SIZE ${word(narrowGroupRows(rows))})`),
    );
  const [counts] = await connection.read(sql`
    SELECT count(*) - count(_superseded_by) AS live, count(_superseded_by) AS superseded FROM ${from}`);
  const [liveRows, supersededRows] = [Number(counts?.['live']), Number(counts?.['superseded'])];
  await write(live, liveRows, sql`NULL`);
  if (supersededRows === 0) return [live];
  await write(superseded, supersededRows, sql`NOT NULL`);
  return [live, superseded];
}
