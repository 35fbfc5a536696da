// Pages of rows that are sorted by an expression. A cursor has the position of a row, but not its sort value, which can be long:
// the next page reads it from the row again.
import { emptySql, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { wholeField, type BoundSort } from '../bound/bound-query.js';
import type { PagePosition } from './page-cursor.js';
import type { PlaceColumns } from './query-cursor.js';

export interface PlacedKey {
  readonly key: Sql;
  readonly descending: boolean;
  /** Its value in the last row of the previous page. */
  readonly value: Sql;
}

/** The values of the sort keys at a position, if it determines all of them; null otherwise. */
export function knownKeys(
  sort: readonly BoundSort[],
  { xactId, position }: PagePosition,
): readonly Sql[] | null {
  const known = sort.map(({ expression }) => {
    const field = wholeField(expression);
    if (field === '_xact_id') return [sql`${xactId}`];
    return field === '_pagination_key' ? [sql`${xactId}`, sql`${BigInt(position)}`] : null;
  });
  return known.some((values) => values === null) ? null : known.flatMap((values) => values ?? []);
}

const keyName = (index: number): Sql => word(`at${index}`);

/** The keys of the row at a position: `from` is a FROM clause of one row with the columns `at0`, `at1`, …, which are `values`. */
export function keysAt(
  rows: Sql,
  keys: readonly Sql[],
  columns: PlaceColumns,
  place: PagePosition,
): { readonly from: Sql; readonly values: readonly Sql[] } {
  const list = keys.map((key, index) => sql`${key} AS ${keyName(index)}`);
  return {
    from: sql`(SELECT ${join(list)} FROM (SELECT * FROM ${rows}) WHERE ${isAt(columns, place)})`,
    values: keys.map((_, index) => keyName(index)),
  };
}

function isAt(
  { transaction, trace, position, members }: PlaceColumns,
  { xactId, rootSpanId, position: number, members: numbers = [] }: PagePosition,
): Sql {
  const others = members.map(
    (member, index) => sql` AND ${member} = ${BigInt(numbers[index] ?? 0)}`,
  );
  return sql`${transaction} = ${xactId} AND ${trace} = ${rootSpanId} AND ${position} = ${number}${others.reduce((all, next) => sql`${all}${next}`, emptySql)}`;
}

/** The condition for rows after a position. `tie` is the condition for rows with equal keys. NULL is last in both directions. */
export const isBehind = (keys: readonly PlacedKey[], tie: Sql): Sql =>
  keys.reduceRight(
    (rest, { key, descending, value }) =>
      sql`((${value} IS NOT NULL AND (${key} IS NULL OR ${key} ${descending ? sql`<` : sql`>`} ${value})) OR (${key} IS NOT DISTINCT FROM ${value} AND ${rest}))`,
    tie,
  );
