// Statistics of a segment for the manifest, read from the file after it was written.
import { stat } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import type { SegmentPaths } from '../../schema/event-relation.js';
import type { ObjectStats, SegmentStats } from './segment.js';
import { readSegment } from './segment-table.js';

/** The statistics of a segment with the file `rows` and these narrow files, if it has any. */
export async function readStats(
  connection: Connection,
  rows: string,
  narrow: readonly string[],
  paths: SegmentPaths,
): Promise<SegmentStats> {
  const hasNarrow = narrow.length > 0;
  const narrowest = hasNarrow ? narrow : rows;
  const objects = await readObjectStats(connection, narrowest);
  const [lossless] = await connection.read(
    sql`SELECT coalesce(bool_or(_lossless), FALSE) AS found FROM ${readSegment(narrowest)}`,
  );
  return {
    rows: objects.reduce((sum, { rows: count }) => sum + count, 0),
    bytes: (await stat(rows)).size,
    objects,
    paths,
    hasLossless: lossless?.['found'] === true,
    hasNarrow,
    hasSuperseded: narrow.length > 1,
  };
}

export async function readObjectStats(
  connection: Connection,
  files: string | readonly string[],
): Promise<readonly ObjectStats[]> {
  const rows = await connection.read(sql`
    SELECT object_id, count(*) AS "rows", count(*) FILTER (_deleted) AS tombstones,
      count(_superseded_by) AS superseded, min(_xact_id) AS min_xact_id, max(_xact_id) AS max_xact_id,
      min(created) AS min_created, max(created) AS max_created, min(_row) AS first_row, max(_row) AS last_row
    FROM ${readSegment(files)} GROUP BY object_id ORDER BY first_row`);
  return rows.map((row) => ({
    objectId: String(row['object_id']),
    rows: Number(row['rows']),
    tombstones: Number(row['tombstones']),
    superseded: Number(row['superseded']),
    minXactId: row['min_xact_id'] as bigint,
    maxXactId: row['max_xact_id'] as bigint,
    minCreated: row['min_created'] as bigint,
    maxCreated: row['max_created'] as bigint,
    firstRow: Number(row['first_row']),
    lastRow: Number(row['last_row']),
  }));
}
