// Gives the disk back what the write buffer's database took up while much was loaded.
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import { createGenerations } from '../event-table.js';
import { addNarrowFiles, createManifest } from './manifest.js';

/** Less is soon used again. */
const freeBytesMin = 32 * 2 ** 20;

const moved = sql`moved`;

// An update in place, or a deletion, leaves blocks where they are.
async function rewrite(
  connection: WriteConnection,
  name: string,
  creation: readonly Sql[],
): Promise<void> {
  const table = identifier(name);
  await connection.run(sql`CREATE TEMPORARY TABLE ${moved} AS FROM ${table}`);
  await connection.run(sql`DROP TABLE ${table}`);
  for (const step of creation) await connection.run(step);
  await connection.run(sql`INSERT INTO ${table} FROM ${moved}`);
  await connection.run(sql`DROP TABLE ${moved}`);
}

/**
 * The engine cuts free blocks off at the end of its file. What keeps the end in use after a load are the small tables
 * that were added to behind the rows of generations: written anew, they move to the front. Later write transactions
 * wait for it: to be called when few rows are buffered.
 */
export async function shrinkDatabase(writer: Writer): Promise<void> {
  const [size] = await writer.read(sql`
    SELECT free_blocks * block_size AS free FROM pragma_database_size()
    WHERE database_name = current_database()`);
  if (Number(size?.['free'] ?? 0) < freeBytesMin) return;
  await writer.transaction(async (connection) => {
    await rewrite(connection, 'segment', [createManifest, addNarrowFiles]);
    await rewrite(connection, 'buffer_generation', [createGenerations]);
  });
  await writer.checkpoint();
}
