// Encodes a row of a segment as one line of text, and decodes it.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import {
  eventColumns,
  jsonColumns,
  type ColumnType,
  type EventColumn,
  type JsonColumn,
} from '../../schema/event-columns.js';
import type { UncommittedRow } from '../../schema/event-row.js';

/** The separator. It occurs in no stored JSON text and in none that the engine prints. */
const separator = '\u0001';

/** A row of a segment with its number and its place in the page order. */
export interface SegmentRow {
  readonly row: number;
  readonly xactId: bigint;
  readonly position: number;
  readonly values: UncommittedRow;
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
 * SQL: the row as one line. It has a JSON array of all other columns, followed by the JSON columns, which are empty for NULL and for
 * the `missing` ones.
 */
export const rowTextOf = (missing: readonly JsonColumn[]): Sql => sql`concat_ws(chr(1),
  concat('[', _row, ',', ${join(scalarColumns.map(scalar), ", ',', ")}, ']'),
  ${join(jsonColumns.map((name) => (missing.includes(name) ? sql`''` : sql`coalesce(${identifier(name)}, '')`)))})`;

/** The inverse of `rowTextOf`. */
export function parseRowText(text: string): SegmentRow {
  const [scalars = '', ...json] = text.split(separator);
  const [row, ...values] = JSON.parse(scalars) as readonly unknown[];
  const named = scalarColumns.map((name, index) => [name, values[index]] as const);
  const { _xact_id, _position, created, ...others } = Object.fromEntries(named);
  const texts = jsonColumns.map(
    (name, index) => [name, json[index] === '' ? null : json[index]] as const,
  );
  return {
    row: row as number,
    xactId: BigInt(_xact_id as string),
    position: _position as number,
    values: {
      ...others,
      created: BigInt(created as string),
      ...Object.fromEntries(texts),
    } as unknown as UncommittedRow,
  };
}
