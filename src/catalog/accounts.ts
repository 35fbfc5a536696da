// The principals of keys, and the first organisation, user and key of a data directory.
import { randomUUID } from 'node:crypto';
import { sql } from '../duckdb/sql.js';
import type { Writer } from '../duckdb/writer.js';
import { permissions } from '../schema/permission.js';
import { keyExpiry } from './access-state.js';
import type { Catalog, ObjectWrite } from './catalog.js';
import type { ObjectHeader } from './header.js';
import { keyDraft, type KeyDraft, type KeyLimit } from './key-draft.js';
import {
  deletedHash,
  hashOf,
  insertedHash,
  KeyHashes,
  makeSecret,
  previewOf,
  type KeyOrigin,
} from './key-hashes.js';
import { addOrganisation, defaultOrganisationName } from './organisations.js';
import type { TableRow } from './table-rows.js';

/** The user and the organisations of a valid key. */
export interface Principal {
  readonly kind: 'key';
  readonly keyId: string;
  readonly userId: string;
  /** The organisations in which the key is valid, in the order of joining: at least one, and the user belongs to all of them. */
  readonly orgIds: readonly string[];
  /** Expiry in milliseconds since 1970; null for never. */
  readonly expires: number | null;
  /** Null for all that the user may do. */
  readonly scope: KeyLimit | null;
}

export interface NewKey {
  /** The secret, to be shown once; it is not stored. */
  readonly key: string;
  readonly id: string;
}

/** The oldest user who owns the organisation, by default the first one; undefined before the first start of a server. */
export function ownerOf(
  catalog: Catalog,
  orgId: string = catalog.ofKind('organization')[0]?.id ?? '',
): string | undefined {
  return catalog.ofKind('user').find(({ id }) => catalog.grants.owns(id, orgId, permissions))?.id;
}

/** Whether a user owns one of these organisations, and so may see the numbers of the whole server. */
export const ownsSome = (
  { grants }: Pick<Catalog, 'grants'>,
  userId: string,
  orgIds: readonly string[],
): boolean => orgIds.some((orgId) => grants.owns(userId, orgId, permissions));

export class Accounts {
  readonly #catalog: Catalog;
  readonly #hashes: KeyHashes;

  private constructor(catalog: Catalog, hashes: KeyHashes) {
    this.#catalog = catalog;
    this.#hashes = hashes;
  }

  static async open(writer: Writer, catalog: Catalog): Promise<Accounts> {
    return new Accounts(catalog, await KeyHashes.open(writer));
  }

  /** Returns undefined if the key is unknown or expired, or its user belongs to none of its organisations. */
  principal(secret: string): Principal | undefined {
    const keyId = this.#hashes.idOf(secret);
    return keyId === undefined ? undefined : this.principalOfKeyId(keyId);
  }

  /** Like `principal`, by the id of the key. */
  principalOfKeyId(keyId: string): Principal | undefined {
    const found = this.#find(keyId);
    if (found !== undefined) this.#hashes.noteUse(keyId, Date.now());
    return found;
  }

  #find(keyId: string): Principal | undefined {
    const fields = this.#hashes.has(keyId) ? this.#catalog.keyFields(keyId) : undefined;
    if (fields === undefined) return undefined;
    const userId = (fields['user_id'] ?? fields['service_account_id']) as string;
    const only = fields['org_id'];
    const scope = fields['scope'] === 'metrics' ? 'metrics' : null;
    const own = this.#catalog.grants.organisationsOf(userId);
    const orgIds = typeof only === 'string' ? own.filter((id) => id === only) : own;
    return orgIds.length === 0
      ? undefined
      : { kind: 'key', keyId, userId, orgIds, expires: keyExpiry(fields), scope };
  }

  organisationName(orgId: string): string {
    return this.#catalog.header(orgId)?.name ?? '';
  }

  /** Milliseconds since 1970; null for never. */
  lastUseOf(keyId: string): number | null {
    return this.#hashes.lastUseOf(keyId);
  }

  storeUses(): Promise<void> {
    return this.#hashes.storeUses();
  }

  /** Returns the writes that create a key, and a function to call once they are stored. */
  newKey(
    draft: KeyDraft,
    secret: string = makeSecret(),
    origin: KeyOrigin = 'generated',
  ): { readonly key: NewKey; readonly write: ObjectWrite; readonly stored: () => void } {
    const id = randomUUID();
    const hash = hashOf(secret);
    const preview = origin === 'generated' ? previewOf(secret) : '***';
    const set = new Map([...draft.set, ['preview_name', preview] as const]);
    return {
      key: { key: secret, id },
      write: { draft: { ...draft, id, set }, also: [insertedHash(id, hash, origin)] },
      stored: () => this.#hashes.add(id, hash, origin),
    };
  }

  /** Creates a key for all organisations of the user. */
  async addKey(
    userId: string,
    secret?: string,
    origin: KeyOrigin = 'generated',
    limit: KeyLimit | null = null,
  ): Promise<NewKey> {
    const user = this.#catalog.accessFields(userId) ?? {};
    const scope = { name: limit ?? origin, orgId: null, expires: null, scope: limit };
    const homeId = this.#catalog.grants.organisationsOf(userId)[0] ?? '';
    const draft = keyDraft('api_key', userId, user, scope, homeId);
    const { key, write, stored } = this.newKey(draft, secret, origin);
    await this.#catalog.change((changes) => changes.all([write]));
    stored();
    return key;
  }

  /** The live API keys and service tokens, oldest first. */
  keys(): readonly ObjectHeader[] {
    return (['api_key', 'service_token'] as const)
      .flatMap((kind) => this.#catalog.ofKind(kind))
      .filter(({ id, deleted }) => !deleted && this.#hashes.has(id))
      .sort((a, b) => (a.created < b.created ? -1 : 1));
  }

  /** Whether a key is valid for all that its user may do. */
  get hasValidKey(): boolean {
    return this.keys().some(({ id }) => this.#find(id)?.scope === null);
  }

  /** Returns false if there is no such key. Its hash stays, see `configure`. */
  revoke(id: string): Promise<boolean> {
    return this.#revoke(id, []);
  }

  async #revoke(id: string, also: readonly TableRow[]): Promise<boolean> {
    const header = this.keys().find((key) => key.id === id);
    if (header === undefined) return false;
    await this.#catalog.change((changes) => changes.all([{ removed: header, also }]));
    return true;
  }

  /**
   * Sets the key of the environment, and revokes its previous one. If `secret` is a generated key that is valid, that key stays a
   * generated one and survives the next change.
   * @returns false if the key was deleted: it stays invalid. A key that another value of the setting replaced becomes valid again.
   */
  async configure(secret: string, userId: string): Promise<boolean> {
    const known = this.#hashes.idOf(secret);
    const present = known === undefined ? undefined : this.#find(known)?.keyId;
    const wasDeleted = known !== undefined && this.#catalog.header(known)?.deleted === true;
    for (const { id } of this.keys()) {
      const isOld = id === known || this.#hashes.isConfigured(id);
      if (id !== present && isOld) await this.#revoke(id, [deletedHash(id)]);
    }
    if (wasDeleted) return false;
    if (present === undefined) await this.addKey(userId, secret, 'configured');
    return true;
  }
}

/**
 * Creates the first organisation if there is none, and renames it if the setting has a new value.
 * @param configured null keeps the name
 * @throws Error if another organisation has that name
 */
async function ensureOrganisation(
  writer: Writer,
  catalog: Catalog,
  configured: string | null,
): Promise<void> {
  const first = catalog.ofKind('organization')[0];
  if (first !== undefined && configured === null) return;
  const name = configured ?? defaultOrganisationName;
  if (first === undefined) await addOrganisation(catalog, { name });
  const [setting] = await writer.read(sql`SELECT value FROM setting WHERE name = 'organisation'`);
  if (setting?.['value'] === name) return;
  if (first !== undefined && first.name !== name) {
    if ((catalog.objectWithKey({ ...first, name }) ?? first).id !== first.id)
      throw new Error(
        `EVALSTORE_ORG: another organisation is already named ${JSON.stringify(name)}`,
      );
    const fields = new Map([...(await catalog.fields(first.id)), ['name', name] as const]);
    await catalog.change((changes) => changes.replace(first, fields));
  }
  await writer.transaction((connection) =>
    connection.run(
      sql`INSERT INTO setting VALUES ('organisation', ${name})
        ON CONFLICT DO UPDATE SET value = EXCLUDED.value`,
    ),
  );
}

export interface OpenedAccounts {
  readonly accounts: Accounts;
  /** The key that was generated because no key was valid: at the first start without a configured one. It is not stored. */
  readonly generatedKey: string | null;
  /** Whether the configured key was deleted. It is not valid then. */
  readonly isKeyDeleted: boolean;
}

export async function openAccounts(
  writer: Writer,
  catalog: Catalog,
  { apiKey, org }: { readonly apiKey: string | null; readonly org: string | null },
): Promise<OpenedAccounts> {
  await ensureOrganisation(writer, catalog, org);
  const accounts = await Accounts.open(writer, catalog);
  const owner = ownerOf(catalog)!;
  const isKeyDeleted = apiKey !== null && !(await accounts.configure(apiKey, owner));
  const generatedKey = accounts.hasValidKey ? null : (await accounts.addKey(owner)).key;
  return { accounts, generatedKey, isKeyDeleted };
}
