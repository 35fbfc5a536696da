// Reads all tables of a database. The engine verifies the checksum of each block that it reads.
import type { Connection } from './connection.js';
import { identifier, sql } from './sql.js';

/** Returns a sentence for the first table that cannot be read, after which the engine may read no other one. */
export async function checkTables(
  connection: Pick<Connection, 'read'>,
): Promise<readonly string[]> {
  const tables = await connection.read(sql`
    SELECT table_name FROM duckdb_tables()
    WHERE database_name = current_database() ORDER BY table_name`);
  for (const table of tables) {
    const name = String(table['table_name']);
    try {
      // Needs every value.
      await connection.read(sql`SELECT bit_xor(hash(t)) IS NULL AS n FROM ${identifier(name)} t`);
    } catch (error) {
      const [reason = ''] = (error as Error).message.split('\n');
      return [`table ${name} of the database cannot be read: ${reason}`];
    }
  }
  return [];
}
