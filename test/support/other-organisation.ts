// A second organisation in a data directory, which no operation of the interface makes.
import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';

export const strangerKey = 'key-of-another-organisation';

/** Adds an organisation that `strangerKey` belongs to; no server may be using the directory. */
export async function addOrganisation(dir: string): Promise<void> {
  const writer = await Writer.open(path.join(dir, 'meta.duckdb'), { memoryMb: 200, threads: 1 });
  const [orgId, userId] = [randomUUID(), randomUUID()];
  const hash = createHash('sha256').update(strangerKey).digest('hex');
  await writer.transaction(async (connection) => {
    await connection.run(sql`INSERT INTO organisation VALUES (${orgId}, 'stranger')`);
    await connection.run(sql`INSERT INTO account VALUES (${userId}, ${orgId})`);
    await connection.run(
      sql`INSERT INTO api_key (hash, id, user_id) VALUES (${hash}, ${randomUUID()}, ${userId})`,
    );
  });
  await writer.close();
}
