// An answer in files that are read while the later ones are written. The writer does not wait for the reader, so that a slow client
// holds no turn of a queue.
import { rm } from 'node:fs/promises';
import { inFile, temporaryFiles, type TemporaryFile } from './finished-bytes.js';
import type { ReadSession } from '../engine/read-session.js';

export interface WrittenParts {
  /** Yields the bytes, part by part. Fails where the writer fails. Removes the files that were read, and all of them at the end. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** Resolves when nothing more is written, whether or not a part has failed. */
  readonly ended: Promise<void>;
}

/** @param write writes the part with this index to the file `path` */
export function writtenParts(
  session: Pick<ReadSession, 'removeFiles'>,
  temporaryFile: TemporaryFile,
  count: number,
  write: (path: string, index: number) => Promise<unknown>,
): WrittenParts {
  const paths = temporaryFiles(temporaryFile, 'export', count);
  let isLeft = false;
  let before: Promise<unknown> = Promise.resolve();
  const parts = paths.map((path, index) => {
    before = before.then(() => (isLeft ? undefined : write(path, index)));
    // The reader gets to the failure later, or never.
    before.catch(() => {});
    return { path, written: before };
  });
  const last = before;
  const end = async () => {
    try {
      await last;
    } catch {
      await session.removeFiles(paths);
    }
  };
  const ended = end();
  return {
    ended,
    chunks: async function* chunks() {
      try {
        for (const { path, written } of parts) {
          await written;
          yield* (await inFile(path)).chunks();
        }
      } finally {
        isLeft = true;
        void ended.then(() => Promise.all(paths.map((path) => rm(path, { force: true }))));
      }
    },
  };
}
