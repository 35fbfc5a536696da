// `npm run keys -- list|add [USER]|revoke ID|organization NAME`: manages the keys of a data directory that no server uses.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Accounts, ownerOf } from './catalog/accounts.js';
import { Catalog } from './catalog/catalog.js';
import type { ObjectHeader } from './catalog/header.js';
import { formatMicros } from './catalog/object-fields.js';
import { addOrganisation } from './catalog/organisations.js';
import { runProgram } from './command-line.js';
import { readConfig } from './config.js';
import type { Writer } from './duckdb/writer.js';
import { directoryUnused } from './errors.js';
import { openWriter } from './open-writer.js';
import { requireManifest } from './store/event-store.js';

const usage = `usage: npm run keys -- list | add [USER] | revoke ID | organization NAME

Manages the API keys of the data directory EVALSTORE_DATA_DIR (default ./data). Stop the server first.
  list               prints the id, creation, last use, user and name of each key
  add [USER]         prints another key, of the member with this email address or id, or of the first owner
  revoke ID          revokes a key
  organization NAME  adds an organisation of the first owner, the oldest user who owns the first organisation`;

/** @throws Error with the usage */
function checkWords([command, argument, ...others]: readonly string[]): void {
  const isComplete =
    command === 'add' ||
    (command === 'list' && argument === undefined) ||
    ((command === 'revoke' || command === 'organization') && Boolean(argument));
  if (!isComplete || others.length > 0) throw new Error(usage);
}

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

/** Tells a key from others. Users without an email address have their id. */
function lineOf(catalog: Catalog, accounts: Accounts, { id, name, created }: ObjectHeader): string {
  const fields = catalog.keyFields(id)!;
  const userId = (fields['user_id'] ?? fields['service_account_id']) as string;
  const user = (catalog.accessFields(userId)?.['email'] ?? userId) as string;
  const used = accounts.lastUseOf(id);
  const lastUse = used === null ? 'never' : new Date(used).toISOString();
  return `${id}  created ${formatMicros(created)}  last used ${lastUse}  user ${user}  name ${JSON.stringify(name)}`;
}

async function manage(
  writer: Writer,
  [command, argument = '']: readonly string[],
): Promise<string> {
  const catalog = await Catalog.open(writer);
  const accounts = await Accounts.open(writer, catalog);
  const owner = ownerOf(catalog);
  if (owner === undefined) throw new Error('the data directory has no user');
  if (command === 'list')
    return accounts
      .keys()
      .map((key) => lineOf(catalog, accounts, key))
      .join('\n');
  if (command === 'add') {
    const user = argument === '' ? owner : memberNamed(catalog, argument);
    const made = await accounts.addKey(user);
    return `API key, shown only this once: ${made.key}\nid: ${made.id}`;
  }
  if (command === 'revoke') {
    if (!(await accounts.revoke(argument)))
      throw new Error(`no key has the id ${JSON.stringify(argument)}`);
    return `revoked ${argument}`;
  }
  const [first] = catalog.ofKind('organization');
  const taken = catalog.holder({ ...first!, name: argument });
  if (taken !== undefined)
    throw new Error(`there is an organisation named ${JSON.stringify(taken.name)} already`);
  const { orgId } = await addOrganisation(catalog, { name: argument, ownerId: owner });
  return `organisation ${JSON.stringify(argument)}, owned by the first owner\nid: ${orgId}`;
}

await runProgram({
  usage,
  run: async (words) => {
    checkWords(words);
    const config = readConfig(process.env);
    const { dataDir } = config;
    await requireManifest(dataDir);
    if (!existsSync(path.join(dataDir, 'meta.duckdb'))) throw new Error(directoryUnused(dataDir));
    const writer = await openWriter(config);
    try {
      console.log(await manage(writer, words));
    } finally {
      await writer.close();
    }
  },
});
