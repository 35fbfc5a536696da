// Writes a short text as gzip (RFC 1952) with one stored block (RFC 1951, 3.2.4). Setting up deflate takes longer than the
// rest of a small answer and saves no packet.
import { crc32 } from 'node:zlib';

/** Magic number, method deflate, no flags, no time, no extra flags, system unknown; then a final stored block. */
const start = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1);
/** The length of the block and its complement. */
const lengthsBytes = 4;
const textAt = start.length + lengthsBytes;
/** Checksum and length of the text. */
const trailerBytes = 8;

/** @throws RangeError for a text of 64 KB or more */
export function storedGzip(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const file = Buffer.allocUnsafe(textAt + length + trailerBytes);
  file.set(start);
  file.writeUInt16LE(length, start.length);
  file.writeUInt16LE(0xffff - length, start.length + 2);
  file.write(text, textAt);
  const end = textAt + length;
  file.writeUInt32LE(crc32(file.subarray(textAt, end)), end);
  file.writeUInt32LE(length, end + 4);
  return file;
}
