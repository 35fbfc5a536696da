// Writes files atomically: after a crash or a power failure, a file is complete or absent.
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes `target` atomically: `write` fills a temporary file, which is synced and renamed to `target`; then the directory is
 * synced. If it rejects, there is no temporary file; `target` exists only if the sync of the directory failed.
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

/** Syncs a file, or the names in a directory. */
export async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether the disk is full, read-only or failing. */
export const isFileSystemError = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EPERM', 'EACCES', 'EIO'].includes(
    String((error as NodeJS.ErrnoException | null)?.code),
  );
