// The hashes of API keys and service tokens. Generated secrets have 256 random bits, so one round of SHA-256 is
// sufficient. The secrets themselves are not stored.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';
import type { TableRow, TableWrite } from './table-rows.js';

/** `configured`: set by the environment. `generated`: created by the server. */
export type KeyOrigin = 'configured' | 'generated';

const secretBytes = 32;
const previewCharacters = 4;

export const makeSecret = (): string => `es-${randomBytes(secretBytes).toString('base64url')}`;

/** The last characters of a generated secret; too few to help an attacker. */
export const previewOf = (secret: string): string => `es-***${secret.slice(-previewCharacters)}`;

export const hashOf = (secret: string): string => hash('sha256', secret);

const insertHashes: TableWrite = {
  types: 'VVVI',
  statement: (rows) => sql`
    INSERT OR REPLACE INTO key_hash (hash, id, origin, last_used) ${rows}`,
};

/** Replaces the hash of a key that is not live. */
export const insertedHash = (id: string, digest: string, origin: KeyOrigin): TableRow => ({
  write: insertHashes,
  values: [digest, id, origin, null],
});

const deleteHashes: TableWrite = {
  types: 'V',
  statement: (ids) => sql`DELETE FROM key_hash WHERE id IN (${ids})`,
};

export const deletedHash = (id: string): TableRow => ({ write: deleteHashes, values: [id] });

interface StoredKey {
  readonly id: string;
  readonly digest: Buffer;
  readonly origin: KeyOrigin;
  /** Milliseconds since 1970; null for never. */
  lastUsed: number | null;
}

/**
 * The hashes in memory. The catalog determines which keys are live: the hash of a deleted key stays, so that EVALSTORE_API_KEY cannot
 * make it valid again. Times of use are in memory and stored periodically.
 */
export class KeyHashes {
  readonly #writer: Writer;
  readonly #byHash = new Map<string, StoredKey>();
  readonly #byId = new Map<string, StoredKey>();
  readonly #used = new Set<StoredKey>();

  private constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Requires the table, which opening the catalog creates. */
  static async open(writer: Writer): Promise<KeyHashes> {
    const hashes = new KeyHashes(writer);
    for (const row of await writer.read(sql`SELECT * FROM key_hash`)) {
      const lastUsed = row['last_used'] === null ? null : Number(row['last_used']);
      const origin = row['origin'] as KeyOrigin;
      hashes.#put(row['id'] as string, row['hash'] as string, origin, lastUsed);
    }
    return hashes;
  }

  #put(id: string, digest: string, origin: KeyOrigin, lastUsed: number | null): void {
    const key = { id, digest: Buffer.from(digest, 'hex'), origin, lastUsed };
    this.#byHash.set(digest, key);
    this.#byId.set(id, key);
  }

  /** Adds a hash once it is stored. */
  add(id: string, digest: string, origin: KeyOrigin): void {
    this.#put(id, digest, origin, null);
  }

  /** The id of the key with this secret. */
  idOf(secret: string): string | undefined {
    const text = hashOf(secret);
    const key = this.#byHash.get(text);
    const isSame = key !== undefined && timingSafeEqual(key.digest, Buffer.from(text, 'hex'));
    return isSame ? key.id : undefined;
  }

  isConfigured(id: string): boolean {
    return this.#byId.get(id)?.origin === 'configured';
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  noteUse(id: string, nowMs: number): void {
    const key = this.#byId.get(id);
    if (key === undefined) return;
    key.lastUsed = nowMs;
    this.#used.add(key);
  }

  /** Milliseconds since 1970; null for never. */
  lastUseOf(id: string): number | null {
    return this.#byId.get(id)?.lastUsed ?? null;
  }

  /** Stores the times of use that changed since the last call that succeeded. */
  async storeUses(): Promise<void> {
    const used = [...this.#used];
    if (used.length === 0) return;
    this.#used.clear();
    const write = this.#writer.transaction(async (connection) => {
      for (const { id, lastUsed } of used)
        await connection.run(
          sql`UPDATE key_hash SET last_used = ${BigInt(lastUsed ?? 0)} WHERE id = ${id}`,
        );
    });
    await write.catch((error: unknown) => {
      for (const key of used) this.#used.add(key);
      throw error;
    });
  }
}
