// Which rows a merge leaves out: those of removed events. The merged segment numbers the others anew.
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';

/** The rows that a merge leaves out. */
export interface RemovedRows {
  /** Table of (source, row). */
  readonly table: Sql;
  /** The numbers of the rows by source. A source without such rows has no entry. */
  readonly bySource: ReadonlyMap<number, readonly number[]>;
  readonly count: number;
}

export const noneRemoved: RemovedRows = {
  table: sql`(SELECT CAST(NULL AS INTEGER) AS source, CAST(NULL AS INTEGER) AS "row" WHERE FALSE)`,
  bySource: new Map(),
  count: 0,
};

const name = 'left_out';

/** SELECT of the numbers of those rows of a segment whose events are in the Parquet file `events` of (object_id, id). */
export const rowsOfEvents = (files: SegmentFiles, segment: Segment, events: string): Sql => sql`
  SELECT _row AS "row" FROM ${readSegment(files.narrowest(segment))} r
  SEMI JOIN ${readParquet(events)} e ON r.object_id = e.object_id AND r.id = e.id`;

/**
 * Passes `work` the rows that `rowsOf`, a SELECT of row numbers for each segment, names. They are in a temporary table until `work` ends.
 */
export async function withRemovedRows<T>(
  connection: Connection,
  segments: readonly Segment[],
  rowsOf: (segment: Segment) => Sql | Promise<Sql>,
  work: (removed: RemovedRows) => Promise<T>,
): Promise<T> {
  const table = identifier(name);
  const found: Sql[] = [];
  for (const segment of segments)
    found.push(
      sql`SELECT ${word(segment.source)} AS source, "row" FROM (${await rowsOf(segment)})`,
    );
  await connection.run(
    sql`CREATE OR REPLACE TEMPORARY TABLE ${table} AS ${join(found, ' UNION ALL ')}`,
  );
  try {
    const bySource = new Map<number, number[]>();
    let count = 0;
    for await (const chunk of connection.stream(sql`SELECT source, "row" FROM ${table}`))
      for (const [source, row] of chunk) {
        let rows = bySource.get(source as number);
        if (rows === undefined) bySource.set(source as number, (rows = []));
        rows.push(row as number);
        count += 1;
      }
    return await work({ table, bySource, count });
  } finally {
    await connection.run(sql`DROP TABLE ${table}`).catch(() => {});
  }
}

/**
 * The numbers of the rows in the merged segment, -1 for those that are left out.
 * @param newRows the numbers in a segment with all rows, input by input
 * @param firstRows the index in `newRows` of the first row of each source
 */
export function withoutRemoved(
  newRows: Int32Array,
  firstRows: ReadonlyMap<number, number>,
  { bySource }: Pick<RemovedRows, 'bySource'>,
): Int32Array {
  const isRemoved = new Uint8Array(newRows.length);
  for (const [source, rows] of bySource)
    for (const row of rows) isRemoved[newRows[firstRows.get(source)! + row]!] = 1;
  const renumbered = new Int32Array(newRows.length);
  let next = 0;
  for (let row = 0; row < newRows.length; row++) renumbered[row] = isRemoved[row] ? -1 : next++;
  return newRows.map((row) => renumbered[row]!);
}
