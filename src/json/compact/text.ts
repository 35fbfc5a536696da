// A copy of a part of a JSON text, which is made compact in place: as JSON.stringify prints the value that JSON.parse
// reads. The functions of this folder read a value from the left to the right.
//
// - What they have read and not yet written begins at `from`. It is written, behind `write`, when a byte is to be left out
//   or replaced. Of a text that is compact already nothing is ever written.
// - Compact text is never longer than its source: `write` is never behind `from`, and nothing is overwritten before it is read.
// - Behind `end` there are zeros, which no value, name or space may hold: every loop stops there, and no byte of an
//   earlier text is taken for a part of this one.
// - A function returns the index of the first byte that it has not read, or the complement (`~`) of the index where it
//   stopped: at the end, or at something that is not valid JSON or needs the parser.
import { isUtf8 } from 'node:buffer';

/** A function may read so many bytes behind the one where it stops. */
export const lookahead = 16;

export interface Text {
  readonly bytes: Buffer;
  /** The same memory: four bytes at a time take little longer than one. */
  readonly view: DataView;
  readonly latin1: Latin1;
  /** Number of bytes that were copied. */
  end: number;
  /** Index of the first byte that was read and not written. */
  from: number;
  /** Index of the byte to be written next. */
  write: number;
  /** Not zero when what was read since it was set to zero may not all be ASCII. */
  wide: number;
  /** Names in the objects that are open. */
  readonly names: Names;
}

/** Memory for characters up to U+00FF, a byte each. */
interface Latin1 {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export interface Names {
  /** Those of the innermost object are the last. */
  readonly hashes: Int32Array;
  count: number;
  /** Of the name that was read last. */
  hash: number;
}

/** In all objects that are open at a time; more need the parser. */
const namesMax = 256;

/** @param capacity largest number of bytes of a copy */
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
 * Copies at most `length` bytes of `source` from `start` on, and no half of a character.
 * @returns whether they are UTF-8
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

/** Leaves out what is between `to` and `from`; everything before `to` is written. */
export function leaveOut(text: Text, to: number, from: number): void {
  const { write } = text;
  if (write !== text.from) moveBack(text, write, text.from, to);
  text.write = write + to - text.from;
  text.from = from;
}

/** A call of the engine takes as long as to copy so many bytes here. */
const nativeMin = 100;

/** The bytes at `write` have been read, so four can be moved at a time. */
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

/** The compact text of the value from `start` to `end`, for which `begin` was called. */
export function written(text: Text, start: number, end: number): string {
  leaveOut(text, end, end);
  return stringOf(text, start, text.write);
}

/** The characters of the UTF-8 from `start` to `end`. */
export function stringOf(text: Text, start: number, end: number): string {
  const { bytes, wide } = text;
  if (wide === 0) return bytes.toString('latin1', start, end);
  return latin1String(text, start, end) ?? bytes.toString('utf8', start, end);
}

/** Null when there are other characters. It takes half the time of the engine's decoder. */
function latin1String({ bytes, view, latin1 }: Text, start: number, end: number): string | null {
  let at = start;
  let into = 0;
  while (at < end) {
    // Four bytes are copied, of which those count that come before a byte that is not ASCII.
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

/** Leaves out the spaces at `start`; to be called for a byte that is not above the space. */
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
