// `npm run keys -- list|add|revoke ID`: the API keys of a data directory that no server is using.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { addKey, listKeys, ownerOf, revokeKey } from './catalog/api-keys.js';
import { readConfig } from './config.js';
import { Writer } from './duckdb/writer.js';
import { refuseNewerDirectory } from './known-formats.js';

const usage = 'usage: npm run keys -- list | add | revoke ID';

async function run(writer: Writer, [command, id]: readonly string[]): Promise<string> {
  const owner = await ownerOf(writer);
  if (owner === undefined) throw new Error('the data directory has no account');
  if (command === 'list') return (await listKeys(writer)).join('\n');
  if (command === 'add') {
    const made = await addKey(writer, owner);
    return `API key, shown only this once: ${made.key}\nid: ${made.id}`;
  }
  if (command !== 'revoke' || id === undefined) throw new Error(usage);
  if (!(await revokeKey(writer, id))) throw new Error(`no key has the id ${JSON.stringify(id)}`);
  return `revoked ${id}`;
}

try {
  const { dataDir, writerMemoryMb } = readConfig(process.env);
  const file = path.join(dataDir, 'meta.duckdb');
  if (!existsSync(file)) throw new Error(`${dataDir}: no server has used this data directory yet`);
  const writer = await Writer.open(file, { memoryMb: writerMemoryMb, threads: 1 });
  try {
    await refuseNewerDirectory(writer);
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
