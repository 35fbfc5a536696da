// Organisations, accounts and whom a key speaks for.
import { randomUUID } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Row } from '../duckdb/rows.js';
import type { Writer } from '../duckdb/writer.js';
import { addKey, configureKey, hashOf } from './api-keys.js';

/** Whom a valid key speaks for. */
export interface Principal {
  readonly kind: 'key';
  readonly keyId: string;
  readonly userId: string;
  readonly orgId: string;
}

export interface Accounts {
  /** Undefined for a key that is not known. */
  principal(key: string): Principal | undefined;
  /** Undefined when there is no key with the id. */
  principalOfKeyId(keyId: string): Principal | undefined;
  organisationName(orgId: string): string;
  /** The key made at the first start when none was configured; it is not kept anywhere. */
  readonly generatedKey: string | null;
}

/** The first organisation, made when there is none, under its configured name. */
async function ensureOrganisation(writer: Writer, name: string): Promise<string> {
  const [row] = await writer.read(sql`SELECT id, name FROM organisation ORDER BY rowid LIMIT 1`);
  if (row?.['name'] === name) return row['id'] as string;
  const id = (row?.['id'] as string | undefined) ?? randomUUID();
  await writer.transaction((connection) =>
    connection.run(
      row === undefined
        ? sql`INSERT INTO organisation VALUES (${id}, ${name})`
        : sql`UPDATE organisation SET name = ${name} WHERE id = ${id}`,
    ),
  );
  return id;
}

/** The account that owns the organisation, made when there is none. */
async function ensureOwner(writer: Writer, orgId: string): Promise<string> {
  const [row] = await writer.read(sql`SELECT id FROM account WHERE org_id = ${orgId}`);
  if (row !== undefined) return row['id'] as string;
  const id = randomUUID();
  await writer.transaction((connection) =>
    connection.run(sql`INSERT INTO account VALUES (${id}, ${orgId})`),
  );
  return id;
}

/** A configured key replaces the one before; without one, the first start generates one. */
async function ensureSomeKey(
  writer: Writer,
  configured: string | null,
  userId: string,
): Promise<string | null> {
  if (configured !== null) {
    await configureKey(writer, configured, userId);
    return null;
  }
  const existing = await writer.read(sql`SELECT 1 FROM api_key LIMIT 1`);
  if (existing.length > 0) return null;
  return (await addKey(writer, userId)).key;
}

const principalOf = (row: Row): Principal => ({
  kind: 'key',
  keyId: row['id'] as string,
  userId: row['user_id'] as string,
  orgId: row['org_id'] as string,
});

/** Call after the catalog was opened, which makes the tables. */
export async function openAccounts(
  writer: Writer,
  options: { readonly apiKey: string | null; readonly org: string },
): Promise<Accounts> {
  const orgId = await ensureOrganisation(writer, options.org);
  const ownerId = await ensureOwner(writer, orgId);
  const generatedKey = await ensureSomeKey(writer, options.apiKey, ownerId);
  const keys = await writer.read(
    sql`SELECT api_key.hash, api_key.id, api_key.user_id, account.org_id
      FROM api_key JOIN account ON account.id = api_key.user_id`,
  );
  const principals = new Map(keys.map((row) => [row['hash'] as string, principalOf(row)]));
  const byKeyId = new Map([...principals.values()].map((one) => [one.keyId, one]));
  const organisations = await writer.read(sql`SELECT id, name FROM organisation`);
  const names = new Map(organisations.map((row) => [row['id'] as string, row['name'] as string]));
  return {
    principal: (key) => principals.get(hashOf(key)),
    principalOfKeyId: (keyId) => byKeyId.get(keyId),
    organisationName: (id) => names.get(id) ?? '',
    generatedKey,
  };
}
