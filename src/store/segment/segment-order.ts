// The order of a segment, which every reader relies on: rows are sorted by `rowOrder`, `_row` is a row's position in the row
// file, and the narrow files have the same rows in the same order. Here it is verified.
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import { readPositions } from './segment-table.js';

/** The sort order of segments. It is total, since rows of one transaction and object have different ids. */
export const rowOrder = sql`object_id, _xact_id, root_span_id, _position, id`;

const key = sql`{o: object_id, x: _xact_id, r: root_span_id, p: _position, i: id}`;

export interface OrderedFiles {
  readonly rows: string;
  /** Empty when the segment has no narrow file. */
  readonly narrow: readonly string[];
}

/** The rows of a new file are not in the order of a segment. */
export class SegmentOrderError extends Error {
  override readonly name = 'SegmentOrderError';
}

/** @throws SegmentOrderError */
export async function verifyOrder(connection: Connection, files: OrderedFiles): Promise<void> {
  const [problem] = await orderProblems(connection, files);
  if (problem !== undefined)
    throw new SegmentOrderError(`the files of a new segment are refused: ${problem}`);
}

/** Returns a clause for each violation of the order, such as `its rows are not sorted`. */
export async function orderProblems(
  connection: Connection,
  { rows, narrow }: OrderedFiles,
): Promise<readonly string[]> {
  const whole = await orderOf(connection, rows);
  const problems: string[] = [];
  if (whole.misplaced > 0n) problems.push('its row numbers are not in order');
  if (whole.unsorted > 0n) problems.push('its rows are not sorted');
  if (narrow.length === 0) return problems;
  let count = 0n;
  let digest = 0n;
  for (const file of narrow) {
    const part = await orderOf(connection, file);
    if (part.unsorted > 0n) problems.push('the rows of a narrow file are not sorted');
    count += part.rows;
    digest += part.digest;
  }
  if (count !== whole.rows || digest !== whole.digest)
    problems.push('its narrow files have other rows');
  return problems;
}

interface FileOrder {
  readonly rows: bigint;
  /** The number of rows whose `_row` is not their position. */
  readonly misplaced: bigint;
  /** The number of rows that sort before their predecessor. */
  readonly unsorted: bigint;
  /** A hash that does not depend on the order of the rows. */
  readonly digest: bigint;
}

// A window without ORDER BY processes one file in the order of its rows.
async function orderOf(connection: Connection, file: string): Promise<FileOrder> {
  const [found] = await connection.read(sql`
    SELECT count(*) AS "rows", coalesce(sum(digest), 0) AS digest,
      count(*) FILTER (_row IS DISTINCT FROM position) AS misplaced,
      count(*) FILTER (before > key OR row_before >= _row) AS unsorted
    FROM (
      SELECT _row, position, key, lag(key) OVER () AS before, lag(_row) OVER () AS row_before,
        hash(_row, key, _superseded_by) AS digest
      FROM (SELECT _row, file_row_number AS position, ${key} AS key, _superseded_by FROM ${readPositions(file)}))`);
  return found as unknown as FileOrder;
}
