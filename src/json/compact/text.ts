// A copy of a part of a JSON text that is compacted in place: the result is what JSON.stringify prints for the value that
// JSON.parse reads. Results are parts of the copy, which is never written again after it was read. The functions of this folder
// read a value from left to right. Invariants:
//
// - Bytes that were read but not written begin at `from`. They are moved to `write` when a byte is dropped or replaced.
//   Compact text is never moved.
// - Compact text is never longer than its source: `write` <= `from`, and nothing is overwritten before it is read.
// - Zeros follow `end`. They are invalid in values, names and white space, so every loop stops there and never reads bytes of
//   an earlier text.
// - A function returns the index of the first byte that it has not read, or the complement (`~`) of the index at which it
//   stopped: the end, invalid JSON, or input that needs the parser.
import { isUtf8 } from 'node:buffer';
import type { JsonBytes } from '../json-text.js';

/** The maximum number of bytes that a function reads after the one at which it stops. */
export const lookahead = 16;

export interface Text {
  bytes: Buffer;
  /** The same memory as 32-bit words, which take little longer to process than bytes. */
  view: DataView;
  /** The number of copied bytes. */
  end: number;
  /** The index of the first byte that was read and not written. */
  from: number;
  /** The index of the next byte to write. */
  write: number;
  /** Not zero if a byte that was read since it was reset may not be ASCII. */
  wide: number;
  /** The number of names in the open objects. */
  readonly names: Names;
}

export interface Names {
  /** The hashes of names in the open objects, the innermost object last. */
  readonly hashes: Int32Array;
  count: number;
  /** The hash of the last name. */
  hash: number;
}

/** The maximum number of names in open objects; more need the parser. */
const namesMax = 256;

const none = Buffer.alloc(0);

export const createText = (): Text => ({
  bytes: none,
  view: viewOf(none),
  end: 0,
  from: 0,
  write: 0,
  wide: 0,
  names: { hashes: new Int32Array(namesMax), count: 0, hash: 0 },
});

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView =>
  new DataView(buffer, byteOffset, length);

const isInsideCharacter = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

/**
 * Copies at most `length` bytes of `source` from `start` on, and only whole characters, to new memory.
 * Returns whether they are UTF-8.
 */
export function copyText(text: Text, source: Buffer, start: number, length: number): boolean {
  let end = Math.min(source.length, start + length);
  while (end > start && end < source.length && isInsideCharacter(source[end])) end -= 1;
  const bytes = Buffer.allocUnsafe(end - start + lookahead);
  source.copy(bytes, 0, start, end);
  text.bytes = bytes;
  text.view = viewOf(bytes);
  text.end = end - start;
  bytes.fill(0, text.end, text.end + lookahead);
  return isUtf8(bytes.subarray(0, text.end));
}

/** Starts a value at `at`. */
export function begin(text: Text, at: number): void {
  text.from = at;
  text.write = at;
  text.wide = 0;
}

/** Drops the bytes between `to` and `from`. Everything before `to` must be written. */
export function dropBytes(text: Text, to: number, from: number): void {
  const { write } = text;
  if (write !== text.from) moveBack(text, write, text.from, to);
  text.write = write + to - text.from;
  text.from = from;
}

/** The number of bytes that take as long to copy here as one native call. */
const nativeMin = 100;

/** Moves four bytes at a time, since the bytes at `write` were read already. */
function moveBack({ bytes, view }: Text, write: number, from: number, to: number): void {
  if (to - from > nativeMin) {
    bytes.copyWithin(write, from, to);
    return;
  }
  let read = from;
  let at = write;
  for (; read + 4 <= to; read += 4, at += 4) view.setInt32(at, view.getInt32(read, true), true);
  for (; read < to; read += 1, at += 1) bytes[at] = bytes[read]!;
}

/** The compact text of the value from `start` to `end`, after `begin`. */
export function written(text: Text, start: number, end: number): JsonBytes {
  dropBytes(text, end, end);
  return { bytes: text.bytes, start, end: text.write };
}

/** Decodes the UTF-8 from `start` to `end`. */
export const stringOf = ({ bytes, wide }: Text, start: number, end: number): string =>
  bytes.toString(wide === 0 ? 'latin1' : 'utf8', start, end);

/** Drops the white space at `start`. Call it only for a byte that is not above the space. */
export function dropSpace(text: Text, start: number): number {
  const at = endOfSpace(text.bytes, start);
  if (at > start) dropBytes(text, start, at);
  return at;
}

export function endOfSpace(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}
