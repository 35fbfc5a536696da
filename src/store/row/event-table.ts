// The columns of stored events: their names, SQL types and order, and rows as values of these columns.
import {
  engineTypes,
  toRowChunks,
  type EngineType,
  type RowChunk,
  type RowValue,
} from '../../duckdb/rows.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import {
  eventColumns,
  type JsonColumn,
  jsonColumns,
  sqlTypes,
  type EventColumn,
} from '../../schema/event-columns.js';
import type { EventRow } from '../../schema/event-row.js';

/** The location of a row version: its source, a generation or a segment, and its number in it. */
export interface RowLocation {
  readonly source: number;
  readonly row: number;
  readonly deleted: boolean;
}

/** From transaction `byXactId` on, the row version `row` of `source` is no longer live. */
export interface Supersession {
  readonly source: number;
  readonly row: number;
  readonly byXactId: bigint;
}

const columnNames = Object.keys(eventColumns) as readonly EventColumn[];

/** `_row` is the number of a row in its source. Supersessions refer to it. */
const storedTypes: readonly EngineType[] = [
  'INTEGER',
  ...columnNames.map((name) => sqlTypes[eventColumns[name]]),
];

const supersessionTypes: readonly EngineType[] = ['INTEGER', 'INTEGER', 'BIGINT'];

const typeSql = (type: EngineType): Sql => word(String(engineTypes[type]));

/** SELECT list of all event columns. */
export const eventColumnList: Sql = join(columnNames.map(identifier));

/** SQL: the size of a row's strings in bytes of UTF-8. */
export const rowBytes: Sql = join(
  columnNames.flatMap((name) => {
    const column = identifier(name);
    if (sqlTypes[eventColumns[name]] === 'VARCHAR') return [sql`coalesce(strlen(${column}), 0)`];
    if (sqlTypes[eventColumns[name]] !== 'VARCHAR[]') return [];
    return [sql`coalesce(list_sum(list_transform(${column}, lambda x: strlen(x))), 0)`];
  }),
  ' + ',
);

/** The length of a row's JSON texts in UTF-16 code units. */
export const textLength = (row: Pick<EventRow, JsonColumn>): number =>
  jsonColumns.reduce((sum, name) => sum + (row[name]?.length ?? 0), 0);

/** The statement that creates a table of events. */
export function createEvents(name: string): Sql {
  const columns = ['_row', ...columnNames].map(
    (column, index) => sql`${identifier(column)} ${typeSql(storedTypes[index]!)}`,
  );
  return sql`CREATE TABLE ${identifier(name)} (${join(columns)})`;
}

/** An empty relation with the columns of events, for a FROM clause. */
export const noEvents: Sql = sql`(
  SELECT ${join(
    ['_row', ...columnNames].map(
      (name, index) => sql`CAST(NULL AS ${typeSql(storedTypes[index]!)}) AS ${identifier(name)}`,
    ),
  )} WHERE FALSE)`;

export const createSupersession = sql`
  CREATE TABLE supersession (source INTEGER, "row" INTEGER, by_xact_id BIGINT)`;

/** The values of a stored row, in the order of the table's columns. */
export const storedValues = (row: EventRow, number: number): readonly RowValue[] => [
  number,
  ...columnNames.map((name) => row[name]),
];

export const eventChunks = (rows: readonly (readonly RowValue[])[]): readonly RowChunk[] =>
  toRowChunks(storedTypes, rows);

export const supersessionChunks = (list: readonly Supersession[]): readonly RowChunk[] =>
  toRowChunks(
    supersessionTypes,
    list.map(({ source, row, byXactId }) => [source, row, byXactId]),
  );

/** The condition for some rows of one source. */
export const amongRows = (rowNumbers: readonly number[]): Sql =>
  sql`_row IN (${join(rowNumbers.map(word))})`;

/** The rows by their column `_row`, without that column. */
export const rowsByNumber = (
  rows: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<number, EventRow> =>
  new Map(rows.map(({ _row: number, ...row }) => [number as number, row as unknown as EventRow]));
