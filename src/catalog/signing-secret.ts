// The secret that signs page cursors, sessions and URLs of attachments: one per data directory, so that they stay valid after a
// restart. Its table is named for its first use.
import { randomBytes } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';

const secretBytes = 32;

/** Reads the secret, or creates it. Requires the table, which opening the catalog creates. */
export async function openSigningSecret(writer: Writer): Promise<Uint8Array> {
  const [row] = await writer.read(sql`SELECT secret FROM cursor_secret`);
  if (row !== undefined) return Buffer.from(row['secret'] as string, 'hex');
  const secret = randomBytes(secretBytes);
  await writer.transaction((connection) =>
    connection.run(sql`INSERT INTO cursor_secret VALUES (${secret.toString('hex')})`),
  );
  return secret;
}
