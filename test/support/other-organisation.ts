// A second organisation in a data directory, with a user and a key of its own.
import path from 'node:path';
import { Accounts } from '../../src/catalog/accounts.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { addOrganisation as add } from '../../src/catalog/organisations.js';
import { Writer } from '../../src/duckdb/writer.js';

export const strangerKey = 'key-of-another-organisation';

/** Adds an organisation that `strangerKey` belongs to; no server may be using the directory. */
export async function addOrganisation(dir: string): Promise<void> {
  const writer = await Writer.open(path.join(dir, 'meta.duckdb'), { memoryMb: 200, threads: 1 });
  const catalog = await Catalog.open(writer);
  const { userId } = await add(catalog, { name: 'stranger' });
  await (await Accounts.open(writer, catalog)).addKey(userId, strangerKey);
  await writer.close();
}
