// Event rows as SQL and as values: columns, types, order.
import {
  engineTypes,
  toRowChunks,
  type EngineType,
  type RowChunk,
  type RowValue,
} from '../duckdb/rows.js';
import { identifier, join, sql, word, type Sql } from '../duckdb/sql.js';
import { eventColumns, type ColumnType, type EventColumn } from '../schema/event-columns.js';
import type { UnplacedRow } from '../schema/event-row.js';

/** Where a row version is stored: its source (a buffer generation) and its number there. */
export interface RowPlace {
  readonly source: number;
  readonly row: number;
  readonly deleted: boolean;
}

/** The row at `source`, `row` is not live any more from `byXactId` on. */
export interface Supersession {
  readonly source: number;
  readonly row: number;
  readonly byXactId: bigint;
}

const typeNames = {
  bigint: 'BIGINT',
  integer: 'INTEGER',
  string: 'VARCHAR',
  strings: 'VARCHAR[]',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
  json: 'VARCHAR',
} as const satisfies Record<ColumnType, EngineType>;

const columnNames = Object.keys(eventColumns) as readonly EventColumn[];

/** `_row` numbers the rows of one source: supersessions refer to it, and it is found without a scan. */
const storedTypes: readonly EngineType[] = [
  'INTEGER',
  ...columnNames.map((name) => typeNames[eventColumns[name]]),
];

const supersessionTypes: readonly EngineType[] = ['INTEGER', 'INTEGER', 'BIGINT'];

const typeSql = (type: EngineType): Sql => word(String(engineTypes[type]));

type ColumnNames = readonly EventColumn[];

const listOf = (names: ColumnNames, missing: ColumnNames): Sql =>
  join(
    names.map((name) =>
      missing.includes(name)
        ? sql`CAST(NULL AS ${word(typeNames[eventColumns[name]])}) AS ${identifier(name)}`
        : identifier(name),
    ),
  );

/** SELECT list of the event columns of rows that lack the `missing` ones, which are NULL. */
export const eventColumnsBut = (missing: ColumnNames): Sql => listOf(columnNames, missing);

export const eventColumnList: Sql = eventColumnsBut([]);

const unplacedNames = columnNames.filter((name) => name !== '_xact_id' && name !== '_position');

/** As `eventColumnsBut`, without what the committer gives a row. */
export const unplacedColumnsBut = (missing: ColumnNames): Sql => listOf(unplacedNames, missing);

export const unplacedColumnList: Sql = unplacedColumnsBut([]);

/** SQL: what the strings of a row take up in UTF-8. */
export const rowBytes: Sql = join(
  columnNames.flatMap((name) => {
    const column = identifier(name);
    if (typeNames[eventColumns[name]] === 'VARCHAR') return [sql`coalesce(strlen(${column}), 0)`];
    if (typeNames[eventColumns[name]] !== 'VARCHAR[]') return [];
    return [sql`coalesce(list_sum(list_transform(${column}, lambda x: strlen(x))), 0)`];
  }),
  ' + ',
);

/** Statement that makes a table of events. */
export function createEvents(name: string): Sql {
  const columns = ['_row', ...columnNames].map(
    (column, index) => sql`${identifier(column)} ${typeSql(storedTypes[index]!)}`,
  );
  return sql`CREATE TABLE ${identifier(name)} (${join(columns)})`;
}

/** To be used in a FROM: no rows, with the columns of events. */
export const noEvents: Sql = sql`(
  SELECT CAST(NULL AS INTEGER) AS _row, ${eventColumnsBut(columnNames)} WHERE FALSE)`;

export const createSupersession = sql`
  CREATE TABLE supersession (source INTEGER, "row" INTEGER, by_xact_id BIGINT)`;

/** The values of a stored row, in the order of the table's columns. */
export const storedValues = (
  row: UnplacedRow,
  number: number,
  xactId: bigint,
  position: number,
): readonly RowValue[] => [
  number,
  ...columnNames.map((name) => {
    if (name === '_xact_id') return xactId;
    return name === '_position' ? position : row[name];
  }),
];

export const eventChunks = (rows: readonly (readonly RowValue[])[]): readonly RowChunk[] =>
  toRowChunks(storedTypes, rows);

/** Rows have the columns of the table. */
export const supersessionRowChunks = (
  rows: readonly (readonly RowValue[])[],
): readonly RowChunk[] => toRowChunks(supersessionTypes, rows);

export const supersessionChunks = (list: readonly Supersession[]): readonly RowChunk[] =>
  supersessionRowChunks(list.map(({ source, row, byXactId }) => [source, row, byXactId]));

/** The condition for some rows of one source. */
export const amongRows = (rowNumbers: readonly number[]): Sql =>
  sql`_row IN (${join(rowNumbers.map(word))})`;

/** Rows of the columns `_row` and `unplacedColumnList`, by `_row`. */
export const rowsByNumber = (
  rows: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<number, UnplacedRow> =>
  new Map(
    rows.map(({ _row: number, ...row }) => [number as number, row as unknown as UnplacedRow]),
  );
