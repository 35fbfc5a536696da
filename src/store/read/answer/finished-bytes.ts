// The complete bytes of an answer, in memory or in temporary files, which are independent of the engine.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { ReadSession } from '../engine/read-session.js';

/** The owner reads `chunks` once, or calls `remove`; both are allowed. A read fails only if the disk does. */
export interface FinishedBytes {
  readonly length: number;
  /** All bytes, if they are in memory. */
  readonly inMemory?: Uint8Array;
  /** Yields the bytes. Removes the files at the end, or when the consumer stops early. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Removes the files without reading them. */
  remove(): Promise<void>;
}

// The default of 64 KB would take more turns of the event loop, which slows down large answers.
const chunkBytes = 2 ** 18;

export const inMemory = (bytes: Uint8Array): FinishedBytes => ({
  length: bytes.length,
  inMemory: bytes,
  chunks: async function* chunks() {
    if (bytes.length > 0) yield bytes;
  },
  remove: async () => {},
});

/** The bytes of a file from `start` to `end` (excluded). */
export interface FileBytes {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export const inFile = (path: string): Promise<FinishedBytes> => inFiles([path], 0);

export const wholeFiles = (paths: readonly string[]): Promise<readonly FileBytes[]> =>
  Promise.all(paths.map(async (path) => ({ path, start: 0, end: (await stat(path)).size })));

/** The concatenated bytes of the files without the last `cut` bytes. */
export async function inFiles(paths: readonly string[], cut: number): Promise<FinishedBytes> {
  const files = await wholeFiles(paths);
  let left = files.reduce((sum, { end }) => sum + end, 0) - cut;
  const pieces = files.map(({ path, start, end: fileEnd }) => {
    const end = Math.min(left, fileEnd);
    left -= end;
    return { path, start, end };
  });
  return ofPieces(pieces);
}

/** The concatenated pieces. No two of them are in the same file. */
export function ofPieces(pieces: readonly (FileBytes | Uint8Array)[]): FinishedBytes {
  const files = pieces.filter((piece) => 'path' in piece);
  const remove = async () => {
    for (const { path } of files) await rm(path, { force: true });
  };
  return {
    length: pieces.reduce((sum, piece) => sum + lengthOf(piece), 0),
    chunks: async function* chunks() {
      try {
        for (const piece of pieces) {
          if (lengthOf(piece) > 0) yield* 'path' in piece ? contentOf(piece) : [piece];
          if ('path' in piece) await rm(piece.path, { force: true });
        }
      } finally {
        await remove();
      }
    },
    remove,
  };
}

/** Returns the path of the temporary file `name`. */
export type TemporaryFile = (name: string) => string;

export function temporaryFiles(
  temporaryFile: TemporaryFile,
  kind: 'text' | 'export',
  count: number,
): readonly string[] {
  const name = `${kind}-${randomUUID()}`;
  return Array.from({ length: count }, (_, index) => temporaryFile(`${name}-${index}`));
}

/** Passes `write`, which works in the session, the paths of `count` new files, which its result owns. If it rejects, they are removed. */
export async function toNewFiles<T>(
  session: Pick<ReadSession, 'removeFiles'>,
  temporaryFile: TemporaryFile,
  kind: 'text' | 'export',
  count: number,
  write: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  const paths = temporaryFiles(temporaryFile, kind, count);
  try {
    return await write(paths);
  } catch (error) {
    await session.removeFiles(paths);
    throw error;
  }
}

const lengthOf = (piece: FileBytes | Uint8Array): number =>
  'path' in piece ? piece.end - piece.start : piece.length;

const contentOf = ({ path, start, end }: FileBytes): AsyncIterable<Uint8Array> =>
  createReadStream(path, { highWaterMark: chunkBytes, start, end: end - 1 });
