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

/** Of a file, from `start` to before `end`. */
export interface FileBytes {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export const inFile = (path: string): Promise<FinishedBytes> => inFiles([path], 0);

export const wholeFiles = (paths: readonly string[]): Promise<readonly FileBytes[]> =>
  Promise.all(paths.map(async (path) => ({ path, start: 0, end: (await stat(path)).size })));

/** The bytes of the files one after the other, without the last `cut` bytes. */
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

/** Each file is that of one piece. */
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

const lengthOf = (piece: FileBytes | Uint8Array): number =>
  'path' in piece ? piece.end - piece.start : piece.length;

const contentOf = ({ path, start, end }: FileBytes): AsyncIterable<Uint8Array> =>
  createReadStream(path, { highWaterMark: chunkBytes, start, end: end - 1 });
