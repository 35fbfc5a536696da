// What is left of a read when the engine is done with it: bytes in memory or in a temporary file.
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';

/** Nothing but the disk can fail while they are read. */
export interface FinishedBytes {
  readonly length: number;
  /** All of them, when they are in memory. */
  readonly inMemory?: Uint8Array;
  /** To be read once: deletes the file at its end, also when it is left early. */
  chunks(): AsyncIterable<Uint8Array>;
  /** For bytes that are not read. */
  remove(): Promise<void>;
}

// Fewer turns of the event loop than with the usual 64 KB, which counts when answers are large.
const chunkBytes = 2 ** 18;

export const inMemory = (bytes: Uint8Array): FinishedBytes => ({
  length: bytes.length,
  inMemory: bytes,
  chunks: async function* chunks() {
    if (bytes.length > 0) yield bytes;
  },
  remove: async () => {},
});

export async function inFile(path: string): Promise<FinishedBytes> {
  const remove = () => rm(path, { force: true });
  return {
    length: (await stat(path)).size,
    chunks: async function* chunks() {
      try {
        yield* createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>;
      } finally {
        await remove();
      }
    },
    remove,
  };
}
