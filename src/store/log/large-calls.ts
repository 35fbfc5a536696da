// Reads and writes of any size. The runtime counts the bytes of one call in 32 bits: it reports a write of 2 GiB as a negative number,
// and a read of 2 GiB ends the process.
import type { FileHandle } from 'node:fs/promises';

const writtenAtOnce = 2 ** 29;
const readAtOnce = 2 ** 30;

/** Thrown if nothing was written, so that the file need not be truncated; a read-only file system would reject that, too. */
export class NothingWritten extends Error {
  constructor(cause: unknown) {
    super('the log cannot be written', { cause });
  }
}

/** Whether the kernel refused the write before it wrote anything. */
const isRefused = (error: unknown): boolean =>
  ['EROFS', 'EPERM', 'EACCES'].includes(String((error as NodeJS.ErrnoException | null)?.code));

/**
 * Writes the pieces at `offset`, at most `callBytesMax` bytes in each call.
 * @throws NothingWritten, or an error of the file system
 */
export async function writePieces(
  file: Pick<FileHandle, 'writev'>,
  pieces: readonly Buffer[],
  offset: number,
  callBytesMax = writtenAtOnce,
): Promise<void> {
  const bytes = lengthOf(pieces);
  let written = 0;
  while (written < bytes)
    try {
      const part = partOf(pieces, written, written + callBytesMax);
      const { bytesWritten } = await file.writev(part, offset + written);
      if (bytesWritten <= 0) throw new Error(`a write returned ${bytesWritten} bytes`);
      written += bytesWritten;
    } catch (error) {
      throw written === 0 && isRefused(error) ? new NothingWritten(error) : error;
    }
}

export const lengthOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

/** The bytes of the pieces between two offsets. */
function partOf(pieces: readonly Buffer[], from: number, to: number): readonly Buffer[] {
  const part: Buffer[] = [];
  let start = 0;
  for (const piece of pieces) {
    const cut = piece.subarray(Math.max(0, from - start), Math.max(0, to - start));
    if (cut.length > 0) part.push(cut);
    start += piece.length;
  }
  return part;
}

/** Reads `bytes` bytes at `offset`, at most `callBytesMax` in each call; fewer at the end of the file. */
export async function readBytes(
  file: Pick<FileHandle, 'read'>,
  offset: number,
  bytes: number,
  callBytesMax = readAtOnce,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  while (filled < bytes) {
    const wanted = Math.min(bytes - filled, callBytesMax);
    const { bytesRead } = await file.read(buffer, filled, wanted, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
