// Writes files atomically: after a crash or a power failure, a file is complete or absent.
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * `write` fills the file under the name that it is given, a temporary one beside `target`. The file
 * is synced, renamed to `target`, and the directory is synced. When something fails nothing stays.
 */
export async function writeDurably(
  target: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${target}.tmp`;
  try {
    await write(temporary);
    await sync(temporary);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await sync(path.dirname(target));
}

/** Of a file, or of the names in a directory. */
export async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
