// Finds the end of an element in the bytes of JSON text, and counts its values, without creating values. It does not validate the
// text; the parser does.
import { badRequest } from '../errors.js';

const other = 0;
const quote = 1;
const opening = 2;
const closing = 3;
const comma = 4;
const space = 5;
const colon = 6;

const classes = classesOf({
  '"': quote,
  '[': opening,
  '{': opening,
  ']': closing,
  '}': closing,
  ',': comma,
  ':': colon,
  ' ': space,
  '\n': space,
  '\r': space,
  '\t': space,
});

function classesOf(characters: Readonly<Record<string, number>>): Uint8Array {
  const byByte = new Uint8Array(256);
  for (const [character, value] of Object.entries(characters))
    byByte[character.charCodeAt(0)] = value;
  return byByte;
}

/** Classes of bytes. Bytes outside of numbers, literals and strings are `other`. */
export const isSpace = (byte: number | undefined): boolean => classes[byte ?? 0] === space;

/** Thrown for a text that takes too long to parse in a turn of the event loop. */
export class TooLongToParse extends Error {}

/** Limits on an element. */
export interface ElementLimits {
  /** Members and elements inside it, plus itself. */
  readonly values: { readonly max: number };
  /** Characters of a number. */
  readonly digits: { readonly max: number };
  /** Bytes of its text, with the white space around it; absent for no limit. */
  readonly bytes?: { readonly max: number };
  /** Bytes of a text that the caller may parse; for more, `TooLongToParse` is thrown. Absent for no limit. */
  readonly parsedBytesMax?: number;
  /** The name of the element in errors. */
  readonly name: () => string;
}

export interface ScannedElement {
  /** The index of the comma or bracket after it, or the length of the text. */
  readonly end: number;
  /** Members and elements inside it, plus itself; one more for an array or object that contains only white space. */
  readonly values: number;
}

/**
 * Scans the element that begins at `start`, in linear time.
 * @throws RequestError 400 for too many bytes or values or too long a number
 * @throws TooLongToParse
 */
export function scanElement(bytes: Buffer, start: number, limits: ElementLimits): ScannedElement {
  const textBytesMax = limits.bytes?.max ?? Infinity;
  const bytesMax = Math.min(textBytesMax, limits.parsedBytesMax ?? Infinity);
  if (bytes.length - start <= bytesMax) return scan(bytes, start, limits);
  // The byte after the longest element is its comma or bracket.
  const part = bytes.subarray(0, start + bytesMax + 1);
  const scanned = scan(part, start, limits);
  if (scanned.end === part.length)
    throw bytesMax < textBytesMax ? new TooLongToParse() : tooManyBytes(limits, bytesMax);
  return scanned;
}

function scan(bytes: Buffer, start: number, limits: ElementLimits): ScannedElement {
  const scanning = startOfScan(start);
  advance(bytes, scanning, limits, bytes.length);
  return { end: scanning.index, values: scanning.values };
}

/** A scan that can be continued. */
export interface Scanning {
  /** The index of the byte that comes next. */
  index: number;
  depth: number;
  values: number;
}

export const startOfScan = (index: number): Scanning => ({ index, depth: 0, values: 1 });

/**
 * Continues the scan to the byte `until` or beyond it, or to the end of the element. Returns whether that is reached.
 * @throws RequestError as `scanElement`
 */
export function advance(
  bytes: Buffer,
  scanning: Scanning,
  limits: ElementLimits,
  until: number,
): boolean {
  const valuesMax = limits.values.max;
  const { length } = bytes;
  let { index, depth, values } = scanning;
  let isEnd = false;
  while (!isEnd && index < until && index < length) {
    switch (classes[bytes[index] ?? 0]) {
      case quote:
        index = endOfString(bytes, index + 1);
        continue;
      case other:
        index = endOfNumber(bytes, index, limits);
        continue;
      case opening:
        depth += 1;
        if (classes[bytes[index + 1] ?? 0] !== closing) values += 1;
        break;
      case closing:
        if (depth === 0) {
          isEnd = true;
          continue;
        }
        depth -= 1;
        break;
      case comma:
        if (depth === 0) {
          isEnd = true;
          continue;
        }
        values += 1;
        break;
      default:
    }
    if (values > valuesMax) throw tooManyValues(limits);
    index += 1;
  }
  scanning.index = index;
  scanning.depth = depth;
  scanning.values = values;
  return isEnd || index >= length;
}

const tooManyBytes = ({ name }: ElementLimits, max: number) =>
  badRequest(`${name()}: expected at most ${max / 2 ** 20} MB of text, got more`);

const tooManyValues = ({ name, values }: ElementLimits) =>
  badRequest(`${name()}: expected at most ${values.max} members and elements, got more`);

const numberTooLong = ({ name, digits }: ElementLimits) =>
  badRequest(`${name()}: expected numbers of at most ${digits.max} characters, got a longer one`);

function endOfNumber(bytes: Buffer, start: number, limits: ElementLimits): number {
  const lengthMax = limits.digits.max;
  let index = start;
  while (index < bytes.length && classes[bytes[index] ?? 0] === other) {
    index += 1;
    if (index - start > lengthMax) throw numberTooLong(limits);
  }
  return index;
}

const quoteByte = 0x22;
const backslashByte = 0x5c;

/** The number of bytes of a string to check one by one before the native search, which takes as long as 50 of them. */
const nearBytes = 50;

/** The index after the closing quote of the string. */
export function endOfString(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length) {
    const near = Math.min(bytes.length, index + nearBytes);
    while (index < near) {
      const byte = bytes[index];
      if (byte === quoteByte) return index + 1;
      index += byte === backslashByte ? 2 : 1;
    }
    const found = bytes.indexOf(quoteByte, index);
    if (found === -1) break;
    if (!isEscaped(bytes, found, index)) return found + 1;
    index = found + 1;
  }
  return bytes.length;
}

/** Whether an odd number of backslashes precedes the byte at `index`; none of them is before `start`. */
function isEscaped(bytes: Buffer, index: number, start: number): boolean {
  let first = index;
  while (first > start && bytes[first - 1] === backslashByte) first -= 1;
  return (index - first) % 2 === 1;
}
