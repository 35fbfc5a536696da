// SQL for rows of a segment by row number, up to a limit on their size.
import { sql, type Sql } from '../../duckdb/sql.js';
import { amongRows, eventColumnsBut, rowBytes } from '../row/event-table.js';
import type { SegmentRows } from './segment-files.js';
import { missingColumns } from './segment-format.js';
import { readSegment } from './segment-table.js';

/** The bytes that limit which rows are read: those of all of them, or for each row those of the rows up to it. */
const bytesOf = {
  all: sql`sum(${rowBytes}) OVER ()`,
  upTo: sql`sum(${rowBytes}) OVER (ORDER BY _row)`,
};

export type Limited = keyof typeof bytesOf;

/** SELECT of `_row` and all event columns of the rows for which `limited` is at most `bytesMax`. */
export const rowsIn = (
  file: string,
  { format }: SegmentRows,
  rowNumbers: readonly number[],
  bytesMax: number,
  limited: Limited = 'all',
): Sql => sql`
  SELECT * FROM (
    SELECT _row, ${eventColumnsBut(missingColumns(format))} FROM ${readSegment(file)}
    WHERE ${amongRows(rowNumbers)})
  QUALIFY ${bytesOf[limited]} <= ${BigInt(bytesMax)}`;
