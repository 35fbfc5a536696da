// A row of a segment <-> one line of text: what is copied once per block of rows, so that single rows are cheap.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import { eventColumns, jsonColumns, type EventColumn } from '../../schema/event-columns.js';
import type { UnplacedRow } from '../../schema/event-row.js';

/** Stands in no stored JSON text and in none that the engine prints. */
const separator = '\u0001';
export const lineDelimiter = '\u0002';

/** A row of a segment with its place and transaction id. */
export interface SegmentRow {
  readonly row: number;
  readonly xactId: bigint;
  readonly values: UnplacedRow;
}

const scalarColumns = (Object.keys(eventColumns) as EventColumn[]).filter(
  (name) => eventColumns[name] !== 'json',
);

const printed = {
  bigint: (column: Sql) => sql`${column}::VARCHAR`,
  timestamp: (column: Sql) => sql`epoch_us(${column})::VARCHAR`,
};

function scalar(name: EventColumn): Sql {
  const type = eventColumns[name];
  const column = identifier(name);
  const value = type === 'bigint' || type === 'timestamp' ? printed[type](column) : column;
  return sql`${column} := ${value}`;
}

/** An object with all that is no JSON column, then the JSON columns as they are, empty for NULL. */
export const rowText: Sql = sql`concat_ws(chr(1),
  CAST(to_json(struct_pack(_row := _row, ${join(scalarColumns.map(scalar))})) AS VARCHAR),
  ${join(jsonColumns.map((name) => sql`coalesce(${identifier(name)}, '')`))})`;

/** The inverse of `rowText`. */
export function parseRowText(text: string): SegmentRow {
  const [scalars = '', ...json] = text.split(separator);
  const { _row, _xact_id, _position, created, ...others } = JSON.parse(scalars) as Readonly<
    Record<string, unknown>
  >;
  const texts = jsonColumns.map(
    (name, index) => [name, json[index] === '' ? null : json[index]] as const,
  );
  return {
    row: _row as number,
    xactId: BigInt(_xact_id as string),
    values: {
      ...others,
      created: BigInt(created as string),
      ...Object.fromEntries(texts),
    } as unknown as UnplacedRow,
  };
}
