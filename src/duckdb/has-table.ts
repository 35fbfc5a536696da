// Whether a table exists. After an interrupted first start, some are missing.
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
