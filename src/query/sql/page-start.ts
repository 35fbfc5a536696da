// SQL for the position at which a page begins.
import { emptySql, sql, type Sql } from '../../duckdb/sql.js';
import type { PagePosition } from '../cursor/page-cursor.js';
import {
  isAfter,
  type PageOrder,
  type PlaceColumns,
  type TransactionOrder,
} from '../cursor/query-cursor.js';
import { isBehind, keysAt, knownKeys } from '../cursor/sorted-pages.js';
import type { RowPlan } from './plan.js';
import type { SortKey } from './row-source.js';

/** The start of a page. `order` is null for a query without pages. */
export interface PageStart {
  readonly order: PageOrder | null;
  readonly transactions: TransactionOrder | null;
  readonly after: PagePosition | null;
}

export interface PageKeys {
  readonly start: PageStart;
  /** The sort keys, which precede the page order. */
  readonly keys: readonly SortKey[];
  readonly place: PlaceColumns;
}

/** The FROM clause, with a condition for the rows after the start. */
export function rowsFromStart(
  { sort }: RowPlan,
  rows: () => Sql,
  { start, keys, place }: PageKeys,
): Sql {
  const { order, after } = start;
  if (after === null || order === null) return rows();
  if (order !== 'sorted')
    return sql`(SELECT * FROM ${rows()}) WHERE ${isAfter(place, after, order)}`;
  const known = knownKeys(sort, after);
  const found =
    known === null
      ? keysAt(
          rows(),
          keys.map(({ key }) => key),
          place,
          after,
        )
      : { from: null, values: known };
  const placedKeys = keys.map((key, index) => ({
    ...key,
    value: found.values[index] ?? sql`NULL`,
  }));
  const beside = found.from === null ? emptySql : sql` CROSS JOIN ${found.from}`;
  return sql`(SELECT * FROM ${rows()})${beside} WHERE ${isBehind(placedKeys, isAfter(place, after, 'newest'))}`;
}
