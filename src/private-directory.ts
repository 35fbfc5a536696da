// Denies other users of the machine access to the data directory, which holds events and hashes of keys.
import { chmod, mkdir, stat } from 'node:fs/promises';
import type { Logger } from 'pino';

const ownerOnly = 0o700;
const forOthers = 0o077;

/**
 * Creates the directory if it is missing, and denies other users access to it. From then on the process creates files and
 * directories for its own user only.
 */
export async function preparePrivateDirectory(directory: string, log: Logger): Promise<void> {
  process.umask(forOthers);
  await mkdir(directory, { recursive: true });
  const { mode } = await stat(directory);
  if ((mode & forOthers) === 0) return;
  // The directory may belong to another user who granted the server access.
  await chmod(directory, ownerOnly).catch((error: unknown) =>
    log.warn({ err: error, directory }, 'other users can read the data directory'),
  );
}
