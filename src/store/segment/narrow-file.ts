// The rows of a segment once more without their JSON text, in a file of large row groups. Looking up one row wants small
// groups, since a group's text is decompressed whole; each group costs a scan time, however few of its columns it reads.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { jsonColumns } from '../../schema/event-columns.js';
import { writeDurably } from './durable-file.js';
import { missingColumns } from './segment-format.js';
import { compression, readSegment, type RowFile } from './segment-table.js';

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

/** SELECT list of what narrow files have, from files of rows of this version. */
export function narrowColumns(format: number): Sql {
  const missing = missingColumns(format);
  const texts = jsonColumns.filter((name) => !missing.includes(name));
  return sql`* EXCLUDE (${join(texts.map(identifier))})`;
}

export interface NarrowPaths {
  readonly live: string;
  readonly ended: string;
}

/**
 * Writes the narrow columns of the file of rows `segment`, in their order: live rows to one file and those that were superseded,
 * if there are any, to another, so that the latest state is read without a condition and without what is history.
 * @returns the files that were written
 */
export async function writeNarrow(
  connection: Connection,
  segment: RowFile,
  { live, ended }: NarrowPaths,
): Promise<readonly string[]> {
  const [counts] = await connection.read(sql`
    SELECT count(*) - count(_superseded_by) AS live, count(_superseded_by) AS ended
    FROM ${readSegment(segment.path)}`);
  await write(connection, {
    segment,
    path: live,
    rows: Number(counts?.['live']),
    which: sql`NULL`,
  });
  if (counts?.['ended'] === 0n) return [live];
  const rows = Number(counts?.['ended']);
  await write(connection, { segment, path: ended, rows, which: sql`NOT NULL` });
  return [live, ended];
}

interface NarrowPart {
  readonly segment: RowFile;
  readonly path: string;
  readonly rows: number;
  /** What `_superseded_by` of its rows is. */
  readonly which: Sql;
}

const write = (connection: Connection, { segment, path, rows, which }: NarrowPart): Promise<void> =>
  writeDurably(path, (file) =>
    connection.run(sql`
      COPY (SELECT ${narrowColumns(segment.format)} FROM ${readSegment(segment.path)} WHERE _superseded_by IS ${which})
      TO ${file} (FORMAT parquet, ${compression},
        ROW_GROUP_SIZE ${word(narrowGroupRows(rows))})`),
  );
