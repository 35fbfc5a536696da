// Combines the SELECTs of branches. SELECTs that differ only in their file become one scan of several files.
import { readParquet } from '../../duckdb/parquet.js';
import { contentOf, join, sql, type Sql } from '../../duckdb/sql.js';

/**
 * `together`: one scan of many files, which the engine plans in the time of one file. `apart`: one scan per file, in which the
 * engine can skip row groups after the first rows of an order.
 */
export type Scans = 'together' | 'apart';

export interface BranchSelect {
  readonly list: Sql;
  readonly from: Sql;
  /** The Parquet file that `from` reads; null if it reads anything else. */
  readonly file: string | null;
  /** A WHERE clause, or empty. */
  readonly where: Sql;
  /** A text that is equal for lists whose columns have the same types. */
  readonly layout: string;
}

export function unionAll(selects: readonly BranchSelect[], scans: Scans): Sql {
  const groups = new Map<unknown, BranchSelect[]>();
  for (const select of selects) {
    const key = select.file === null || scans === 'apart' ? select : keyOf(select);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [select]);
    else group.push(select);
  }
  return join([...groups.values()].map(selectOf), ' UNION ALL ');
}

const keyOf = ({ list, where, layout }: BranchSelect): string =>
  JSON.stringify([contentOf(list), contentOf(where), layout]);

function selectOf(group: readonly BranchSelect[]): Sql {
  const { list, from, where } = group[0]!;
  const files = group.flatMap(({ file }) => file ?? []);
  return sql`SELECT ${list} FROM ${files.length > 1 ? sql`${readParquet(files)} b` : from}${where}`;
}
