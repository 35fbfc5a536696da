// What is left of a read when the engine is done with it: bytes in memory or in a temporary file.
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';

/** Nothing but the disk can fail while they are read. */
export interface FinishedBytes {
  readonly length: number;
  /** All of them, when they are in memory. */
  readonly inMemory?: Uint8Array;
  /** To be read once: deletes the files at its end, also when it is left early. */
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

export const inFile = (path: string): Promise<FinishedBytes> => inFiles([path], 0);

/** The bytes of the files one after the other, without the last `cut` bytes. */
export async function inFiles(paths: readonly string[], cut: number): Promise<FinishedBytes> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const length = sizes.reduce((sum, size) => sum + size, 0) - cut;
  const remove = async () => {
    for (const path of paths) await rm(path, { force: true });
  };
  return {
    length,
    chunks: async function* chunks() {
      let left = length;
      try {
        for (const [index, path] of paths.entries()) {
          const size = Math.min(left, sizes[index] ?? 0);
          left -= size;
          if (size > 0) yield* contentOf(path, size);
          await rm(path, { force: true });
        }
      } finally {
        await remove();
      }
    },
    remove,
  };
}

const contentOf = (path: string, size: number): AsyncIterable<Uint8Array> =>
  createReadStream(path, { highWaterMark: chunkBytes, end: size - 1 });
