// Keeps other users of the machine out of the data directory: it holds events and the hashes of keys.
import { chmod, mkdir, stat } from 'node:fs/promises';
import type { Logger } from 'pino';

const ownerOnly = 0o700;
const forOthers = 0o077;

/**
 * Makes the directory if need be, and shuts out other users: also from one that an older version made. From then on the
 * process makes its files and directories for its own user alone.
 */
export async function preparePrivateDirectory(directory: string, log: Logger): Promise<void> {
  process.umask(forOthers);
  await mkdir(directory, { recursive: true });
  const { mode } = await stat(directory);
  if ((mode & forOthers) === 0) return;
  // The directory may belong to another user, who gave the server access to it.
  await chmod(directory, ownerOnly).catch((error: unknown) =>
    log.warn({ err: error, directory }, 'other users can read the data directory'),
  );
}
