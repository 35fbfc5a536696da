// The API keys of a data directory. Of a key only its hash is stored.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';

export const hashOf = (key: string): string => hash('sha256', key);

/**
 * Makes `key` the one that the environment names: a key that it named before ends. One that was generated stays so,
 * and outlasts the next change.
 */
export async function configureKey(writer: Writer, key: string, userId: string): Promise<void> {
  const hash = hashOf(key);
  await writer.transaction(async (connection) => {
    await connection.run(sql`DELETE FROM api_key WHERE origin = 'configured' AND hash <> ${hash}`);
    await connection.run(
      sql`UPDATE api_key SET origin = 'configured' WHERE hash = ${hash} AND origin IS NULL`,
    );
    await connection.run(
      sql`INSERT INTO api_key (hash, id, user_id, origin)
        VALUES (${hash}, ${randomUUID()}, ${userId}, 'configured') ON CONFLICT DO NOTHING`,
    );
  });
}

export interface NewKey {
  /** To be shown once; it is not kept anywhere. */
  readonly key: string;
  readonly id: string;
}

export async function addKey(writer: Writer, userId: string): Promise<NewKey> {
  const key = `es-${randomBytes(32).toString('base64url')}`;
  const id = randomUUID();
  await writer.transaction((connection) =>
    connection.run(
      sql`INSERT INTO api_key (hash, id, user_id, origin)
        VALUES (${hashOf(key)}, ${id}, ${userId}, 'generated')`,
    ),
  );
  return { key, id };
}

/** The ids of all keys, oldest first: as the request log names them. */
export async function listKeys(writer: Writer): Promise<readonly string[]> {
  const rows = await writer.read(sql`SELECT id FROM api_key ORDER BY rowid`);
  return rows.map(({ id }) => id as string);
}

/** False when there is no such key. */
export async function revokeKey(writer: Writer, id: string): Promise<boolean> {
  if (!(await listKeys(writer)).includes(id)) return false;
  await writer.transaction((connection) =>
    connection.run(sql`DELETE FROM api_key WHERE id = ${id}`),
  );
  return true;
}

/** The account that owns the directory; undefined before the first start of a server. */
export async function ownerOf(writer: Writer): Promise<string | undefined> {
  const [row] = await writer.read(sql`SELECT id FROM account ORDER BY rowid LIMIT 1`);
  return row?.['id'] as string | undefined;
}
