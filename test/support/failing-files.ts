// A failing disk: calls of the file system that are rejected.
import files, { open, type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

type Work = () => Promise<void>;

/** Runs `work` while no file can be truncated. */
export const whileTruncateFails = (work: Work) => whileFails('truncate', work);

/** Runs `work` while neither a file nor a directory can be synced with `fsync`. */
export const whileSyncFails = (work: Work) => whileFails('sync', work);

/** Runs `work` while no file can be read in this thread through a handle. */
export const whileReadFails = (work: Work) => whileFails('read', work);

async function whileFails(method: 'truncate' | 'sync' | 'read', work: Work): Promise<void> {
  const handle = await open(fileURLToPath(import.meta.url));
  const prototype = Object.getPrototypeOf(handle) as Pick<FileHandle, 'truncate' | 'sync' | 'read'>;
  await handle.close();
  const original = Reflect.get(prototype, method);
  Reflect.set(prototype, method, () => Promise.reject(new Error(`EIO: i/o error, ${method}`)));
  try {
    await work();
  } finally {
    Reflect.set(prototype, method, original);
  }
}

/** Runs `work` while this thread cannot open the files whose paths match. */
export async function whileOpenFails(paths: RegExp, code: string, work: Work): Promise<void> {
  const original = files.open;
  const failing: typeof open = (file, ...rest) =>
    paths.test(String(file))
      ? Promise.reject(
          Object.assign(new Error(`${code}: provoked, open`), { code, syscall: 'open' }),
        )
      : original(file, ...rest);
  replaceOpen(failing);
  try {
    await work();
  } finally {
    replaceOpen(original);
  }
}

function replaceOpen(by: typeof open): void {
  files.open = by;
  syncBuiltinESMExports();
}
