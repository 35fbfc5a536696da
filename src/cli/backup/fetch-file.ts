// Brings one file of a backup or of a bucket to a directory.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checksumOf } from '../../store/segment/file-checksum.js';
import type { Progress } from '../progress.js';
import { verified, type BackedUpFile } from './description.js';
import { LocalDirectory, type RemoteDirectory } from './remote-directory.js';

/**
 * Does nothing if the file is there already.
 * @param name of the file in `remote`
 * @throws Error if it is missing or damaged
 */
export async function fetchFile(
  remote: RemoteDirectory,
  name: string,
  file: BackedUpFile,
  directory: string,
  progress: Progress,
): Promise<void> {
  const to = path.join(directory, file.path);
  const there = existsSync(to) ? await checksumOf(to) : null;
  if (there?.bytes === file.bytes && there.crc32 === file.crc32) return;
  const open = () => verified(remote.get(name), file, remote.name, progress);
  await new LocalDirectory(directory)
    .put(file.path, { ...file, open })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error(`${remote.name}: ${file.path} is missing`, { cause: error });
    });
  progress.add(1);
}
