// Gives the disk back what the write buffer's database took up while much was loaded.
import { identifier, sql, trusted, type Sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';

/** Less is soon used again. */
const freeBytesMin = 32 * 2 ** 20;
/** Of a table: copying more would keep writes waiting. */
const rowsMax = 10_000;

const moved = sql`moved`;

// An update in place, or a deletion, leaves blocks where they are.
async function rewrite(connection: WriteConnection, name: string, create: Sql): Promise<void> {
  const table = identifier(name);
  await connection.run(sql`CREATE TEMPORARY TABLE ${moved} AS FROM ${table}`);
  await connection.run(sql`DROP TABLE ${table}`);
  await connection.run(create);
  await connection.run(sql`INSERT INTO ${table} FROM ${moved}`);
  await connection.run(sql`DROP TABLE ${moved}`);
}

/**
 * The engine cuts free blocks off at the end of its file. What keeps the end in use after a load are small tables, of
 * rows or of nothing but their description, that were stored behind the rows of generations: written anew, they move
 * to the front. Later write transactions wait for it: to be called when few rows are buffered.
 */
export async function shrinkDatabase(writer: Writer): Promise<void> {
  const [size] = await writer.read(sql`
    SELECT free_blocks * block_size AS free FROM pragma_database_size()
    WHERE database_name = current_database()`);
  if (Number(size?.['free'] ?? 0) < freeBytesMin) return;
  await writer.transaction(async (connection) => {
    const tables = await connection.read(sql`
      SELECT table_name AS name, sql AS text FROM duckdb_tables()
      WHERE database_name = current_database() AND estimated_size <= ${BigInt(rowsMax)}`);
    for (const { name, text } of tables)
      await rewrite(connection, name as string, trusted(text as string));
  });
  await writer.checkpoint();
}
