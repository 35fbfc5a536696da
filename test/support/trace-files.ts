// Which files are synced and renamed, in their order: the calls go through and are written down when they are done.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

type FileHandle = fs.FileHandle;

function replace(functions: Pick<typeof fs, 'open' | 'rename'>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}

/** `sync <name>` and `rename <name> <name>` for each call under `directory` while `work` runs; the directory itself is `.`. */
export async function traceFiles(
  directory: string,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const name = (file: unknown) => path.relative(directory, String(file)) || '.';
  const { open, rename } = fs;
  const traced = {
    open: async (...args: Parameters<typeof open>): Promise<FileHandle> => {
      const handle = await open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = () => sync().then(() => void calls.push(`sync ${name(args[0])}`));
      return handle;
    },
    rename: (...args: Parameters<typeof rename>): Promise<void> =>
      rename(...args).then(() => void calls.push(`rename ${args.map(name).join(' ')}`)),
  };
  replace(traced);
  try {
    await work();
  } finally {
    replace({ open, rename });
  }
  return calls;
}
