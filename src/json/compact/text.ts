// A copy of a part of a JSON text that is compacted in place: the result is what JSON.stringify prints for the value that
// JSON.parse reads. The functions of this folder read a value from left to right. Invariants:
//
// - Bytes that were read but not written begin at `from`. They are moved to `write` when a byte is dropped or replaced.
//   Compact text is never moved.
// - Compact text is never longer than its source: `write` <= `from`, and nothing is overwritten before it is read.
// - Zeros follow `end`. They are invalid in values, names and white space, so every loop stops there and never reads bytes of
//   an earlier text.
// - A function returns the index of the first byte that it has not read, or the complement (`~`) of the index at which it
//   stopped: the end, invalid JSON, or input that needs the parser.
import { isUtf8 } from 'node:buffer';

/** The maximum number of bytes that a function reads after the one at which it stops. */
export const lookahead = 16;

export interface Text {
  readonly bytes: Buffer;
  /** The same memory as 32-bit words, which take little longer to process than bytes. */
  readonly view: DataView;
  readonly latin1: Latin1;
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

/** A buffer for characters up to U+00FF, one byte each. */
interface Latin1 {
  readonly bytes: Buffer;
  readonly view: DataView;
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

/** @param capacity the maximum number of bytes of a copy */
export function createText(capacity: number): Text {
  const memory = new ArrayBuffer(capacity + lookahead);
  const latin1 = new ArrayBuffer(capacity + lookahead);
  return {
    bytes: Buffer.from(memory),
    view: new DataView(memory),
    latin1: { bytes: Buffer.from(latin1), view: new DataView(latin1) },
    end: 0,
    from: 0,
    write: 0,
    wide: 0,
    names: { hashes: new Int32Array(namesMax), count: 0, hash: 0 },
  };
}

const isInsideCharacter = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

/**
 * Copies at most `length` bytes of `source` from `start` on, and only whole characters.
 * Returns whether they are UTF-8.
 */
export function copyText(text: Text, source: Buffer, start: number, length: number): boolean {
  const { bytes } = text;
  let end = Math.min(source.length, start + length);
  while (end > start && end < source.length && isInsideCharacter(source[end])) end -= 1;
  source.copy(bytes, 0, start, end);
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
export function leaveOut(text: Text, to: number, from: number): void {
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
export function written(text: Text, start: number, end: number): string {
  leaveOut(text, end, end);
  return stringOf(text, start, text.write);
}

/** Decodes the UTF-8 from `start` to `end`. */
export function stringOf(text: Text, start: number, end: number): string {
  const { bytes, wide } = text;
  if (wide === 0) return bytes.toString('latin1', start, end);
  return latin1String(text, start, end) ?? bytes.toString('utf8', start, end);
}

/** Decodes ASCII in half the time of the native decoder; returns null for other characters. */
function latin1String({ bytes, view, latin1 }: Text, start: number, end: number): string | null {
  let at = start;
  let into = 0;
  while (at < end) {
    // Copies four bytes; only those before the first byte that is not ASCII count.
    const four = view.getInt32(at, true);
    latin1.view.setInt32(into, four, true);
    const wide = four & 0x80808080;
    const length = wide === 0 ? 4 : (31 - Math.clz32(wide & -wide)) >> 3;
    at += length;
    into += length;
    if (wide === 0 || at >= end) continue;
    const byte = bytes[at]!;
    if (byte > 0xc3) return null;
    latin1.bytes[into] = (byte << 6) | (bytes[at + 1]! & 0x3f);
    at += 2;
    into += 1;
  }
  return latin1.bytes.toString('latin1', 0, into - (at - end));
}

/** Drops the white space at `start`. Call it only for a byte that is not above the space. */
export function leaveOutSpace(text: Text, start: number): number {
  const at = endOfSpace(text.bytes, start);
  if (at > start) leaveOut(text, start, at);
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
