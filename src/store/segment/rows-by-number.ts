// SQL for rows of a segment by row number.
import type { EventRow } from '../../schema/event-row.js';
import { enginePath } from '../../duckdb/json-path.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import { amongRows, eventColumnList, rowBytes } from '../row/event-table.js';
import { traceIdPath } from '../../schema/otlp.js';
import { readSegment } from './segment-table.js';

/**
 * SELECT of `_row`, `object_id`, `id`, `_xact_id` and `_deleted`. It has no condition on a text: for that, the engine would read Bloom
 * filters, which a file of some row groups lacks.
 */
export const versionsAmong = (file: string, rowNumbers: readonly number[]): Sql => sql`
  SELECT _row, object_id, id, _xact_id, _deleted FROM ${readSegment(file)}
  WHERE ${amongRows(rowNumbers)}`;

/** SELECT of `_row` and `trace`, the trace that the span of the row names: see `traceOfRow`. */
export const tracesAmong = (file: string, rowNumbers: readonly number[]): Sql => sql`
  SELECT _row, coalesce(context ->> ${enginePath(traceIdPath)}, root_span_id) AS trace
  FROM ${readSegment(file)} WHERE ${amongRows(rowNumbers)}`;

type LimitedRows = readonly [file: string, rowNumbers: readonly number[], bytesMax: number];

/** SELECT of the rows for which the expression `limitedBytes` is at most `bytesMax`. */
const rowsUpTo = (limitedBytes: Sql, [file, rowNumbers, bytesMax]: LimitedRows): Sql => sql`
  SELECT * FROM (
    SELECT _row, ${eventColumnList} FROM ${readSegment(file)}
    WHERE ${amongRows(rowNumbers)})
  QUALIFY ${limitedBytes} <= ${BigInt(bytesMax)}`;

/** SELECT of `_row` and all event columns of the rows; of none if they have more than `bytesMax` bytes together. */
export const rowsOrNone = (...rows: LimitedRows): Sql =>
  rowsUpTo(sql`sum(${rowBytes}) OVER ()`, rows);

/** As `rowsOrNone`, but returns the first rows that fit into `bytesMax`. */
export const firstRowsWithin = (...rows: LimitedRows): Sql =>
  rowsUpTo(sql`sum(${rowBytes}) OVER (ORDER BY _row)`, rows);

export interface RowVersion {
  readonly id: string;
  readonly row: number;
  readonly xactId: bigint;
  readonly deleted: boolean;
}

export const versionOf = ([row, values]: readonly [number, EventRow]): RowVersion => ({
  id: values.id,
  row,
  xactId: values._xact_id,
  deleted: values._deleted,
});
