// Encodes a row of a segment as one line of text, and decodes it.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import {
  eventColumns,
  jsonColumns,
  type ColumnType,
  type EventColumn,
} from '../../schema/event-columns.js';
import type { EventRow } from '../../schema/event-row.js';

/** The separator. It occurs in no stored JSON text and in none that the engine prints. */
const separator = '\u0001';

/** A row of a segment with its number. */
export interface SegmentRow {
  readonly row: number;
  readonly values: EventRow;
}

const scalarColumns = (Object.keys(eventColumns) as EventColumn[]).filter(
  (name) => eventColumns[name] !== 'json',
);

const quoted = (value: Sql): Sql => sql`'"' || ${value} || '"'`;
const plain = (value: Sql): Sql => sql`CAST(${value} AS VARCHAR)`;
const escaped = (value: Sql): Sql => plain(sql`to_json(${value})`);

/** The column as JSON that JavaScript can read: large numbers are strings. */
const printed: Readonly<Record<ColumnType, (column: Sql) => Sql>> = {
  json: (column) => column,
  bigint: quoted,
  timestamp: (column) => quoted(sql`epoch_us(${column})`),
  integer: plain,
  boolean: plain,
  string: escaped,
  strings: escaped,
};

const scalar = (name: EventColumn): Sql =>
  sql`coalesce(${printed[eventColumns[name]](identifier(name))}, 'null')`;

/**
 * SQL: the row as one line. It has a JSON array of all other columns, followed by the JSON columns, which are empty for NULL.
 */
export const rowText: Sql = sql`concat_ws(chr(1),
  concat('[', _row, ',', ${join(scalarColumns.map(scalar), ", ',', ")}, ']'),
  ${join(jsonColumns.map((name) => sql`coalesce(${identifier(name)}, '')`))})`;

/** The inverse of `rowText`. */
export function parseRowText(text: string): SegmentRow {
  const [scalars = '', ...json] = text.split(separator);
  const [row, ...values] = JSON.parse(scalars) as readonly unknown[];
  const named = scalarColumns.map((name, index) => [name, values[index]] as const);
  const texts = jsonColumns.map(
    (name, index) => [name, json[index] === '' ? null : json[index]] as const,
  );
  const columns = Object.fromEntries([...named, ...texts]);
  const xactId = BigInt(columns._xact_id as string);
  const created = BigInt(columns.created as string);
  return {
    row: row as number,
    values: { ...columns, _xact_id: xactId, created } as unknown as EventRow,
  };
}
