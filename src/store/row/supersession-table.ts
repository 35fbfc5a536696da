// Supersessions as a temporary table of one connection, for statements that join them.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { Supersession } from './event-table.js';

const name = 'ended_since';
const rowsAtOnce = 5_000;

/** Passes `work` a temporary table (source, "row", by_xact_id) of the list, and drops it afterwards. */
export async function withSupersessionTable<T>(
  connection: Connection,
  list: readonly Supersession[],
  work: (table: Sql) => Promise<T>,
): Promise<T> {
  const table = identifier(name);
  await connection.run(
    sql`CREATE OR REPLACE TEMPORARY TABLE ${table} (source INTEGER, "row" INTEGER, by_xact_id BIGINT)`,
  );
  try {
    for (let first = 0; first < list.length; first += rowsAtOnce)
      await connection.run(insertInto(table, list.slice(first, first + rowsAtOnce)));
    return await work(table);
  } finally {
    await connection.run(sql`DROP TABLE ${table}`).catch(() => {});
  }
}

/** Inserts by statement, because an appender fails beside a read-only database. */
const insertInto = (table: Sql, list: readonly Supersession[]): Sql => sql`
  INSERT INTO ${table} SELECT
    unnest(${list.map(({ source }) => String(source))}::INTEGER[]),
    unnest(${list.map(({ row }) => String(row))}::INTEGER[]),
    unnest(${list.map(({ byXactId }) => String(byXactId))}::BIGINT[])`;
