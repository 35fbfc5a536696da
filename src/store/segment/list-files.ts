// Lists all files below a directory.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Paths relative to `directory`, without what lies in those of its directories that are named in `skipped`. None when there is
 * no such directory. Links to directories are not followed.
 */
export async function listFiles(
  directory: string,
  skipped: readonly string[],
): Promise<readonly string[]> {
  const entries = await entriesOf(directory);
  const lists = entries.map(async (entry) => {
    if (entry.isFile()) return [entry.name];
    if (!entry.isDirectory() || skipped.includes(entry.name)) return [];
    const below = await readdir(path.join(directory, entry.name), {
      recursive: true,
      withFileTypes: true,
    });
    return below
      .filter((file) => file.isFile())
      .map((file) => path.relative(directory, path.join(file.parentPath, file.name)));
  });
  return (await Promise.all(lists)).flat();
}

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
