import { open, type FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Runs `work` while no file can be truncated. */
export async function whileTruncateFails(work: () => Promise<void>): Promise<void> {
  const handle = await open(fileURLToPath(import.meta.url));
  const prototype = Object.getPrototypeOf(handle) as { truncate: FileHandle['truncate'] };
  await handle.close();
  const original = Reflect.get(prototype, 'truncate');
  prototype.truncate = () => Promise.reject(new Error('EIO: i/o error, ftruncate'));
  try {
    await work();
  } finally {
    prototype.truncate = original;
  }
}
