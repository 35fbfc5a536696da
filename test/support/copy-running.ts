// A copy of a data directory as a crash would leave it, made while a store has it open.
import { cp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from './wait-until.js';

/** Which files there are, and what the file system says about each. */
async function stateOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const states = files.map(async (file) => {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return [file, ino, size, mtimeNs].join(' ');
  });
  return (await Promise.all(states)).sort().join('\n');
}

/** Copies again until nothing was written meanwhile: files of different moments are no state that a crash leaves. */
export async function copyRunning(directory: string, to: string): Promise<void> {
  await waitUntil('a copy during which nothing was written', async () => {
    await rm(to, { recursive: true, force: true });
    try {
      const before = await stateOf(directory);
      await cp(directory, to, { recursive: true, filter: (file) => !file.endsWith('.sock') });
      return before === (await stateOf(directory));
    } catch (error) {
      // A file was removed meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  });
}
