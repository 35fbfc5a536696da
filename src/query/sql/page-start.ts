// SQL for the position at which a page begins. If the rows are sorted by an expression, a cursor has the position of a row, but not its
// sort value, which can be long: the next page reads it from the row again.
import { emptySql, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { wholeField, type BoundSort } from '../bound/bound-query.js';
import type { PagePosition } from '../cursor/page-cursor.js';
import { isAfter, type PageOrder, type PositionColumns } from '../cursor/query-cursor.js';
import type { RowPlan } from './plan.js';
import type { SortKey } from './row-source.js';

/** The start of a page. `order` is null for a query without pages. */
export interface PageStart {
  readonly order: PageOrder | null;
  readonly after: PagePosition | null;
  /** Whether the row at the position is wanted instead of the rows after it. */
  readonly isRow?: true;
}

export interface PageKeys {
  readonly start: PageStart;
  /** The sort keys, which precede the page order. */
  readonly keys: readonly SortKey[];
  readonly place: PositionColumns;
}

/** The FROM clause, with a condition for the rows after the start. */
export function rowsFromStart(
  { sort }: RowPlan,
  rows: () => Sql,
  { start: { order, after, isRow }, keys, place }: PageKeys,
): Sql {
  if (after === null || order === null) return rows();
  if (isRow === true) return sql`(SELECT * FROM ${rows()}) WHERE ${isAt(place, after)}`;
  const later = isAfter(place, after, order === 'oldest' ? 'oldest' : 'newest');
  if (order !== 'sorted') return sql`(SELECT * FROM ${rows()}) WHERE ${later}`;
  const known = knownKeys(sort, after);
  const values = known ?? keys.map((_, index) => keyName(index));
  const beside = known === null ? sql` CROSS JOIN ${keysAt(rows(), keys, place, after)}` : emptySql;
  return sql`(SELECT * FROM ${rows()})${beside} WHERE ${isBehind(keys, values, later)}`;
}

/** Whether the page begins after values that are read from the row at the position. */
export const readsRow = ({ sort }: RowPlan, { order, after }: PageStart): boolean =>
  after !== null && order === 'sorted' && knownKeys(sort, after) === null;

/** The values of the sort keys at a position, if it determines all of them; null otherwise. */
function knownKeys(
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

/** Parenthesised SELECT of one row: the keys of the row at a position, as `at0`, `at1`, …. */
function keysAt(
  rows: Sql,
  keys: readonly SortKey[],
  columns: PositionColumns,
  place: PagePosition,
): Sql {
  const list = keys.map(({ key }, index) => sql`${key} AS ${keyName(index)}`);
  return sql`(SELECT ${join(list)} FROM (SELECT * FROM ${rows}) WHERE ${isAt(columns, place)})`;
}

function isAt(
  { transaction, trace, position, members }: PositionColumns,
  { xactId, rootSpanId, position: number, members: numbers = [] }: PagePosition,
): Sql {
  const others = members.map(
    (member, index) => sql` AND ${member} = ${BigInt(numbers[index] ?? 0)}`,
  );
  return sql`${transaction} = ${xactId} AND ${trace} = ${rootSpanId} AND ${position} = ${number}${others.reduce((all, next) => sql`${all}${next}`, emptySql)}`;
}

/**
 * The condition for rows after a position.
 * @param values those of the keys at the position
 * @param tie the condition for rows with equal keys
 */
const isBehind = (keys: readonly SortKey[], values: readonly Sql[], tie: Sql): Sql =>
  keys.reduceRight((rest, { key, descending }, index) => {
    const value = values[index] ?? sql`NULL`;
    // NULL is last in both directions.
    return sql`((${value} IS NOT NULL AND (${key} IS NULL OR ${key} ${descending ? sql`<` : sql`>`} ${value})) OR (${key} IS NOT DISTINCT FROM ${value} AND ${rest}))`;
  }, tie);
