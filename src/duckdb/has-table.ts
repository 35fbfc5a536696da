// Whether a table or a column exists. Directories of older releases, or after an interrupted first start, lack some.
import type { Connection } from './connection.js';
import { sql } from './sql.js';

export async function hasTable(
  connection: Pick<Connection, 'read'>,
  name: string,
): Promise<boolean> {
  const found = await connection.read(sql`
    SELECT 1 FROM duckdb_tables()
    WHERE table_name = ${name} AND database_name = current_database()`);
  return found.length > 0;
}

export async function hasColumn(
  connection: Pick<Connection, 'read'>,
  table: string,
  name: string,
): Promise<boolean> {
  const found = await connection.read(sql`
    SELECT 1 FROM duckdb_columns()
    WHERE table_name = ${table} AND column_name = ${name} AND database_name = current_database()`);
  return found.length > 0;
}
