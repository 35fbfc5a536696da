// Rows that are not in the store, given as lists of texts, with the columns of events: queries read them as they read events.
import { identifier, join, sql, type Sql } from '../duckdb/sql.js';
import { eventColumns, type EventColumn } from '../schema/event-columns.js';
import type { EventRelation } from '../schema/event-relation.js';
import { nullOf } from './value/value.js';

const nulls = {
  bigint: nullOf('number'),
  integer: nullOf('number'),
  string: nullOf('string'),
  strings: nullOf('elements'),
  boolean: nullOf('boolean'),
  timestamp: nullOf('timestamp'),
  json: nullOf('string'),
} as const;

export interface ListedColumns {
  /** Over the lists as columns of `listed`; the other columns of events are null. */
  readonly values: Readonly<Partial<Record<EventColumn, Sql>>>;
  /** Whether the numbers and the order of the keys in its JSON are shown as they were written. */
  readonly hasLossless: boolean;
}

/**
 * One arm, or none for no rows.
 * @param lists of one length
 */
export function listedRows(
  name: string,
  lists: Readonly<Record<string, readonly string[]>>,
  { values, hasLossless }: ListedColumns,
): EventRelation {
  if (Object.values(lists).every(({ length }) => length === 0)) return { arms: [], identity: null };
  const listed = join(
    Object.entries(lists).map(
      ([column, list]) => sql`unnest(${list}::VARCHAR[]) AS ${identifier(column)}`,
    ),
  );
  const columns = Object.entries(eventColumns).map(
    ([column, type]) =>
      sql`${values[column as EventColumn] ?? nulls[type]} AS ${identifier(column)}`,
  );
  const rows = sql`(SELECT ${join(columns)} FROM (SELECT ${listed}) listed)`;
  return { arms: [{ name, rows, hasLossless, paths: null }], identity: null };
}
