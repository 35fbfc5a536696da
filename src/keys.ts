// `npm run keys -- list|add|revoke ID|organization NAME`: manages the keys of a data directory that no server uses.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Accounts, ownerOf } from './catalog/accounts.js';
import { Catalog } from './catalog/catalog.js';
import { addOrganisation, ensureStandardGrants } from './catalog/organisations.js';
import { readConfig } from './config.js';
import { Writer } from './duckdb/writer.js';
import { refuseNewerDirectory } from './known-formats.js';
import { refuseOldManifest } from './store/event-store.js';

const usage = 'usage: npm run keys -- list | add | revoke ID | organization NAME';

async function run(writer: Writer, [command, argument]: readonly string[]): Promise<string> {
  const catalog = await Catalog.open(writer);
  await ensureStandardGrants(catalog);
  const accounts = await Accounts.open(writer, catalog);
  const owner = ownerOf(catalog);
  if (owner === undefined) throw new Error('the data directory has no user');
  if (command === 'list')
    return accounts
      .keys()
      .map(({ id }) => id)
      .join('\n');
  if (command === 'add') {
    const made = await accounts.addKey(owner);
    return `API key, shown only this once: ${made.key}\nid: ${made.id}`;
  }
  if (command === 'revoke' && argument !== undefined) {
    if (!(await accounts.revoke(argument)))
      throw new Error(`no key has the id ${JSON.stringify(argument)}`);
    return `revoked ${argument}`;
  }
  if (command !== 'organization' || argument === undefined || argument === '')
    throw new Error(usage);
  if (catalog.ofKind('organization').some(({ name, deleted }) => !deleted && name === argument))
    throw new Error(`there is an organisation named ${JSON.stringify(argument)} already`);
  const { orgId } = await addOrganisation(catalog, { name: argument, ownerId: owner });
  return `organization ${JSON.stringify(argument)}, owned by the oldest owner of the first one\nid: ${orgId}`;
}

try {
  const { dataDir, writerMemoryMb } = readConfig(process.env);
  const file = path.join(dataDir, 'meta.duckdb');
  if (!existsSync(file)) throw new Error(`${dataDir}: no server has used this data directory yet`);
  const writer = await Writer.open(file, { memoryMb: writerMemoryMb, threads: 1 });
  try {
    await refuseNewerDirectory(writer);
    await refuseOldManifest(writer, dataDir);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  try {
    console.log(await run(writer, process.argv.slice(2)));
  } finally {
    await writer.close();
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
