// The secret that page cursors are made and checked with: one for each data directory, so that cursors outlive the server.
import { randomBytes } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';

const secretBytes = 32;

/** Made when there is none. Call after the catalog was opened, which makes the table. */
export async function openCursorSecret(writer: Writer): Promise<Uint8Array> {
  const [row] = await writer.read(sql`SELECT secret FROM cursor_secret`);
  if (row !== undefined) return Buffer.from(row['secret'] as string, 'hex');
  const secret = randomBytes(secretBytes);
  await writer.transaction((connection) =>
    connection.run(sql`INSERT INTO cursor_secret VALUES (${secret.toString('hex')})`),
  );
  return secret;
}
