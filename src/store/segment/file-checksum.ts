// The size and the CRC-32 of a file, computed in chunks so that a large file does not block the event loop.
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

export interface FileChecksum {
  readonly bytes: number;
  /** An unsigned 32-bit integer. */
  readonly crc32: number;
}

/** Takes a quarter of a millisecond. */
const chunkBytes = 2 ** 20;

/**
 * Calls `read` after each chunk with its number of bytes, and waits for it.
 * @throws what `read` throws, and the file system's errors
 */
export async function checksumOf(
  file: string,
  read: (bytes: number) => Promise<void> | void = () => {},
): Promise<FileChecksum> {
  const handle = await open(file, 'r');
  try {
    return await sumUp(handle, read);
  } finally {
    await handle.close();
  }
}

async function sumUp(
  handle: FileHandle,
  read: (bytes: number) => Promise<void> | void,
): Promise<FileChecksum> {
  const { size } = await handle.stat();
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1));
  let checksum = { bytes: 0, crc32: 0 };
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, checksum.bytes);
    if (bytesRead === 0) return checksum;
    checksum = {
      bytes: checksum.bytes + bytesRead,
      crc32: crc32(chunk.subarray(0, bytesRead), checksum.crc32),
    };
    await read(bytesRead);
  }
}
