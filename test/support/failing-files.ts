// A failing disk: calls of the file system that are rejected.
import { open, type FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

type Work = () => Promise<void>;

/** Runs `work` while no file can be truncated. */
export const whileTruncateFails = (work: Work) =>
  whileFails('truncate', 'EIO: i/o error, ftruncate', work);

/** Runs `work` while neither a file nor a directory can be synced with `fsync`. */
export const whileSyncFails = (work: Work) => whileFails('sync', 'EIO: i/o error, fsync', work);

async function whileFails(method: 'truncate' | 'sync', message: string, work: Work): Promise<void> {
  const handle = await open(fileURLToPath(import.meta.url));
  const prototype = Object.getPrototypeOf(handle) as Pick<FileHandle, 'truncate' | 'sync'>;
  await handle.close();
  const original = Reflect.get(prototype, method);
  prototype[method] = () => Promise.reject(new Error(message));
  try {
    await work();
  } finally {
    prototype[method] = original;
  }
}
