// Where the rows of a page begin.
import { emptySql, sql, type Sql } from '../../duckdb/sql.js';
import type { PagePosition } from '../page/page-cursor.js';
import {
  isAfter,
  type PageOrder,
  type PlaceColumns,
  type TransactionOrder,
} from '../page/query-cursor.js';
import { isBehind, keysAt, knownKeys } from '../page/sorted-pages.js';
import type { RowPlan } from './plan.js';
import type { SortKey } from './row-source.js';

/** Where the result begins; `order` is null for a query without pages. */
export interface PageStart {
  readonly order: PageOrder | null;
  readonly transactions: TransactionOrder | null;
  readonly after: PagePosition | null;
}

export interface PageKeys {
  readonly start: PageStart;
  /** What the rows are sorted by, before the order of pages. */
  readonly keys: readonly SortKey[];
  readonly place: PlaceColumns;
}

/** What stands behind FROM, with the condition that leaves the rows from the start on. */
export function begun({ sort }: RowPlan, rows: () => Sql, { start, keys, place }: PageKeys): Sql {
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
