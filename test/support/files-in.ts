// What lies in a directory, to be compared with what lay there before.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** By the relative path of each file below `directory`: a hash of its content. */
export async function filesIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const hashes = files.map(async (file) => [
    path.relative(directory, file),
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ]);
  return Object.fromEntries(await Promise.all(hashes)) as Record<string, string>;
}
