// A copy of a part of a JSON text, which is made compact in place: as JSON.stringify prints the value that JSON.parse
// reads. The functions of this folder read it from the left and write behind the place where they read.
//
// - Compact text is never longer than its source, so `write` is never behind the byte that is read next. Where the source is
//   compact already, both are equal and nothing is moved.
// - Behind `end` there are zeros, which no value, name or space may hold: every loop stops there, and no byte of an
//   earlier text is taken for a part of this one.
// - A function returns the index of the first byte that it has not read, or the complement (`~`) of the index where it
//   stopped: at the end, or at a byte that is not valid JSON or that needs the parser.
import { isUtf8 } from 'node:buffer';

/** A function may read so many bytes behind the one where it stops. */
export const lookahead = 16;

export interface Text {
  readonly bytes: Buffer;
  /** The same memory, four bytes each. */
  readonly words: Int32Array;
  /** Number of bytes that were copied. */
  end: number;
  /** Index of the byte to be written next. */
  write: number;
  /** Not zero when the bytes written since it was set to zero may not all be ASCII. */
  wide: number;
  /** Names in the objects that are open. */
  readonly names: Names;
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
  const words = new Int32Array(Math.ceil(capacity / 4) + lookahead / 4);
  return {
    bytes: Buffer.from(words.buffer),
    words,
    end: 0,
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

/** Writes the bytes from `from` to `to`, where the last one was read. */
export function move(text: Text, from: number, to: number): void {
  const { bytes, write } = text;
  text.write = write + to - from;
  if (write === from) return;
  if (to - from > nativeMin) bytes.copyWithin(write, from, to);
  else for (let at = from, into = write; at < to; at += 1, into += 1) bytes[into] = bytes[at]!;
}

/** A call of the engine takes as long as to copy so many bytes one by one. */
const nativeMin = 40;

export function put(text: Text, byte: number): void {
  text.bytes[text.write] = byte;
  text.write += 1;
}

/** What was written from `start` on. */
export const written = ({ bytes, write, wide }: Text, start: number): string =>
  bytes.toString(wide === 0 ? 'latin1' : 'utf8', start, write);

export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09))
      return at;
    at += 1;
  }
}
