// Rows of the catalog, passed as lists of texts, as a relation with the columns of events.
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumns, sqlTypes, type EventColumn } from '../../schema/event-columns.js';
import type { EventRelation } from '../../schema/event-relation.js';

/** The columns that all kinds of rows have: id, creation time in microseconds since 1970, and JSON text. */
const common = {
  _position: sql`0`,
  _deleted: sql`false`,
  object_id: sql`listed.id`,
  id: sql`listed.id`,
  created: sql`make_timestamp(CAST(listed.created AS BIGINT))`,
  span_id: sql`listed.id`,
  root_span_id: sql`listed.id`,
  is_root: sql`true`,
  input: sql`listed.body`,
} as const satisfies Partial<Record<EventColumn, Sql>>;

export interface ListedColumns {
  /** Further columns, over the lists as columns of `listed`. All other columns of events are null. */
  readonly values: Readonly<Partial<Record<EventColumn, Sql>>>;
  /** Whether results preserve the digits of numbers and the order of keys. */
  readonly hasLossless: boolean;
}

type Lists = Readonly<Record<'id' | 'created' | 'body', readonly string[]>> &
  Readonly<Record<string, readonly string[]>>;

/**
 * Returns a relation of one branch, or of none if there are no rows.
 * @param lists have equal lengths
 */
export function listedRows(
  name: string,
  lists: Lists,
  { values, hasLossless }: ListedColumns,
): EventRelation {
  if (Object.values(lists).every(({ length }) => length === 0))
    return { branches: [], identity: null };
  const listed = join(
    Object.entries(lists).map(
      ([column, list]) => sql`unnest(${list}::VARCHAR[]) AS ${identifier(column)}`,
    ),
  );
  const all: Readonly<Partial<Record<EventColumn, Sql>>> = {
    ...common,
    _lossless: hasLossless ? sql`true` : sql`false`,
    ...values,
  };
  const columns = Object.entries(eventColumns).map(([column, type]) => {
    const value = all[column as EventColumn] ?? sql`CAST(NULL AS ${word(sqlTypes[type])})`;
    return sql`${value} AS ${identifier(column)}`;
  });
  const rows = sql`(SELECT ${join(columns)} FROM (SELECT ${listed}) listed)`;
  return { branches: [{ name, rows, hasLossless, paths: null }], identity: null };
}
