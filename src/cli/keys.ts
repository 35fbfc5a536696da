// `evalstore keys`: manages the keys of a data directory that no server uses.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Accounts, ownerOf, ownsSome } from '../catalog/accounts.js';
import { Catalog } from '../catalog/catalog.js';
import type { KeyLimit } from '../catalog/key-draft.js';
import type { ObjectHeader } from '../catalog/header.js';
import { formatMicros } from '../catalog/object-fields.js';
import { addOrganisation } from '../catalog/organisations.js';
import type { Config } from '../config.js';
import { directoryUnused } from '../errors.js';
import { openWriter } from '../open-writer.js';
import { requireManifest } from '../store/event-store.js';
import type { Context } from './context.js';

interface Directory {
  readonly catalog: Catalog;
  readonly accounts: Accounts;
  /** The id of the first owner, the oldest user who owns the first organisation. */
  readonly owner: string;
}

/** Returns what is printed. */
export type KeyCommand = (directory: Directory) => Promise<string> | string;

/** @throws Error unless there is exactly one */
function memberNamed(catalog: Catalog, name: string): string {
  const [found, ...others] = catalog
    .ofKind('user')
    .filter(({ id, deleted }) => !deleted && catalog.grants.organisationsOf(id).length > 0)
    .filter((user) => user.id === name || user.name === name.toLowerCase())
    .map(({ id }) => id);
  if (found === undefined)
    throw new Error(`no member has the email address or id ${JSON.stringify(name)}`);
  if (others.length > 0)
    throw new Error(`several members are ${name}, give an id: ${[found, ...others].join(', ')}`);
  return found;
}

interface ListedKey {
  readonly id: string;
  readonly created: string;
  /** Null if the key was never used. */
  readonly last_used: string | null;
  /** Users without an email address have their id. */
  readonly user: string;
  readonly name: string;
}

function listed({ catalog, accounts }: Directory, { id, name, created }: ObjectHeader): ListedKey {
  const fields = catalog.keyFields(id)!;
  const userId = (fields['user_id'] ?? fields['service_account_id']) as string;
  const used = accounts.lastUseOf(id);
  return {
    id,
    created: formatMicros(created),
    last_used: used === null ? null : new Date(used).toISOString(),
    user: (catalog.accessFields(userId)?.['email'] ?? userId) as string,
    name,
  };
}

const lineOf = ({ id, created, last_used: used, user, name }: ListedKey): string =>
  `${id}  created ${created}  last used ${used ?? 'never'}  user ${user}  name ${JSON.stringify(name)}`;

export const listKeys =
  (isJson: boolean): KeyCommand =>
  (directory) => {
    const keys = directory.accounts.keys().map((key) => listed(directory, key));
    return isJson ? JSON.stringify(keys) : keys.map(lineOf).join('\n');
  };

/**
 * @param user the email address or id of a member; undefined for the first owner
 * @param limit null for all that the member may do
 */
export const addKey =
  (user: string | undefined, limit: KeyLimit | null): KeyCommand =>
  async ({ catalog, accounts, owner }) => {
    const userId = user === undefined ? owner : memberNamed(catalog, user);
    if (limit !== null && !ownsSome(catalog, userId, catalog.grants.organisationsOf(userId)))
      throw new Error(
        `${user} owns no organisation: only an owner reads the metrics of the server`,
      );
    const made = await accounts.addKey(userId, undefined, 'generated', limit);
    return `API key, shown only this once: ${made.key}\nid: ${made.id}`;
  };

export const revokeKey =
  (id: string): KeyCommand =>
  async ({ accounts }) => {
    if (!(await accounts.revoke(id))) throw new Error(`no key has the id ${JSON.stringify(id)}`);
    return `revoked ${id}`;
  };

export const addOrganization =
  (name: string): KeyCommand =>
  async ({ catalog, owner }) => {
    if (name === '') throw new Error('the name of an organisation is empty');
    const [first] = catalog.ofKind('organization');
    const taken = catalog.objectWithKey({ ...first!, name });
    if (taken !== undefined)
      throw new Error(`there is an organisation named ${JSON.stringify(taken.name)} already`);
    const { orgId } = await addOrganisation(catalog, { name, ownerId: owner });
    return `organisation ${JSON.stringify(name)}, owned by the first owner\nid: ${orgId}`;
  };

/** @throws Error if no server has used the directory, or one is using it; as the command */
export async function onKeys(
  config: Config,
  { print }: Context,
  command: KeyCommand,
): Promise<void> {
  const { dataDir } = config;
  await requireManifest(dataDir);
  if (!existsSync(path.join(dataDir, 'meta.duckdb'))) throw new Error(directoryUnused(dataDir));
  const writer = await openWriter(config);
  try {
    const catalog = await Catalog.open(writer);
    const accounts = await Accounts.open(writer, catalog);
    const owner = ownerOf(catalog);
    if (owner === undefined) throw new Error('the data directory has no user');
    print(await command({ catalog, accounts, owner }));
  } finally {
    await writer.close();
  }
}
