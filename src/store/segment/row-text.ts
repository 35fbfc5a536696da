// A row of a segment <-> one line of text: what is copied once per block of rows, so that single rows are cheap.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import {
  eventColumns,
  jsonColumns,
  type ColumnType,
  type EventColumn,
  type JsonColumn,
} from '../../schema/event-columns.js';
import type { UnplacedRow } from '../../schema/event-row.js';

/** Stands in no stored JSON text and in none that the engine prints. */
const separator = '\u0001';

/** A row of a segment with its place and transaction id. */
export interface SegmentRow {
  readonly row: number;
  readonly xactId: bigint;
  readonly values: UnplacedRow;
}

const scalarColumns = (Object.keys(eventColumns) as EventColumn[]).filter(
  (name) => eventColumns[name] !== 'json',
);

const quoted = (value: Sql): Sql => sql`'"' || ${value} || '"'`;
const plain = (value: Sql): Sql => sql`CAST(${value} AS VARCHAR)`;
const escaped = (value: Sql): Sql => plain(sql`to_json(${value})`);

/** As JSON: large numbers as strings, since JavaScript reads it. */
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
 * A list with all that is no JSON column, then the JSON columns as they are, empty for NULL and for the `missing` ones, which
 * the rows lack; without a line break.
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
    values: {
      ...others,
      created: BigInt(created as string),
      ...Object.fromEntries(texts),
    } as unknown as UnplacedRow,
  };
}
