// The rows of a segment that a table does not show: tombstones, superseded rows, and rows of deleted objects.
import path from 'node:path';
import { readFile, rm } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { sql, word, type Sql } from '../../duckdb/sql.js';
import type { SupersededRows } from '../row/supersessions.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';
import { deleteColumnIds } from './manifests.js';

/** What decides which rows of a segment are dead at a transaction. */
export interface DeadRows {
  readonly segment: Segment;
  /** Rows that were superseded after the segment was written. */
  readonly superseded: SupersededRows;
  /** The deleted objects that have rows in it. */
  readonly deleted: readonly string[];
  readonly upTo: bigint;
}

/** Whether rows were tombstones or superseded when the segment was written. */
const hasDead = ({ objects }: Segment): boolean =>
  [...objects.values()].some(({ tombstones, superseded }) => tombstones + superseded > 0);

export const hasDeadRows = ({ segment, superseded, deleted }: DeadRows): boolean =>
  hasDead(segment) || superseded.rows.length > 0 || deleted.length > 0;

/** Equal if the dead rows are, unless `isSettled` said no. */
export const markOf = ({ superseded, deleted }: DeadRows): string =>
  JSON.stringify([superseded.rows.length, deleted]);

function rowNumbers(files: SegmentFiles, { segment, superseded, deleted, upTo }: DeadRows): Sql {
  const later = Array.from(superseded.rows, String);
  const ranges = deleted.map((objectId) => segment.objects.get(objectId)!);
  const [first, end] = [
    ranges.map(({ firstRow }) => String(firstRow)),
    ranges.map(({ lastRow }) => String(lastRow + 1)),
  ];
  return sql`
    SELECT _row AS pos FROM ${readSegment(files.narrowest(segment))}
    WHERE _deleted OR _superseded_by <= ${upTo}
    UNION SELECT unnest(${later}::INTEGER[])
    UNION SELECT unnest(range(f, e)) FROM (
      SELECT unnest(${first}::INTEGER[]) AS f, unnest(${end}::INTEGER[]) AS e)`;
}

/** Whether later transactions cannot change what the file of the segment says about its rows. */
export async function isSettled(
  connection: Connection,
  files: SegmentFiles,
  { segment, upTo }: DeadRows,
): Promise<boolean> {
  const [found] = await connection.read(
    sql`SELECT count(*) AS later FROM ${readSegment(files.narrowest(segment))} WHERE _superseded_by > ${upTo}`,
  );
  return found?.['later'] === 0n;
}

/**
 * The Parquet file of the positions of the dead rows in the row file at `address`; null if there are none.
 * @param directory for a temporary file
 */
export async function deadRowsFile(
  connection: Connection,
  files: SegmentFiles,
  dead: DeadRows,
  address: string,
  directory: string,
): Promise<{ readonly content: Buffer; readonly rows: number } | null> {
  const file = path.join(directory, `dead-${dead.segment.source}.parquet`);
  try {
    const [copied] = await connection.read(sql`
      COPY (SELECT ${address} AS file_path, pos::BIGINT AS pos FROM (${rowNumbers(files, dead)}) ORDER BY pos)
      TO ${file} (FORMAT parquet, COMPRESSION zstd, FIELD_IDS {
        file_path: ${word(deleteColumnIds.file_path)}, pos: ${word(deleteColumnIds.pos)}})`);
    const rows = Number(copied?.['Count']);
    return rows === 0 ? null : { content: await readFile(file), rows };
  } finally {
    await rm(file, { force: true });
  }
}
