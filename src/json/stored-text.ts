// Walks through stored JSON text in steps. The text is valid and has no white space.
import type { JsonBytes } from './json-text.js';
import { advance, endOfString, startOfScan } from './scan.js';

export interface StoredText {
  readonly bytes: Buffer;
  /** The index of the byte at which the last step ended. */
  paused: number;
}

export const storedText = ({ bytes, start }: JsonBytes): StoredText => ({ bytes, paused: start });

/** The bytes of a step, which takes up to some milliseconds. */
export const stepBytes = 2 ** 16;

const noLimits = {
  values: { max: Infinity },
  digits: { max: Infinity },
  name: () => 'stored JSON',
};

/** The index after the value at `start`. */
export function* endOfValue(text: StoredText, start: number): Generator<void, number> {
  const scanning = startOfScan(start);
  while (!advance(text.bytes, scanning, noLimits, text.paused + stepBytes)) {
    text.paused = scanning.index;
    yield;
  }
  return scanning.index;
}

/** Whether a step ends at this byte. */
export function endsStep(text: StoredText, at: number): boolean {
  if (at < text.paused + stepBytes) return false;
  text.paused = at;
  return true;
}

/** A number that differs for most names, so that few names of the text become strings. */
const shapeOf = (bytes: Buffer, start: number, end: number): number =>
  (((end - start) << 16) | (bytes[start + 1]! << 8)) ^ bytes[end - 2]!;

export type ReadName = (bytes: Buffer, start: number, end: number) => string;

/** The shapes of more names tell little, and take long to collect. */
const shapesMax = 1000;

/** Returns a function that reads a name if it is one of `names`, and else returns ''. All are JSON text. */
export function nameReader(names: ReadonlyMap<string, unknown>): ReadName {
  const read: ReadName = (bytes, start, end) => {
    const name = bytes.toString('utf8', start, end);
    return names.has(name) ? name : '';
  };
  if (names.size > shapesMax) return read;
  const shapes = new Set<number>();
  for (const name of names.keys()) {
    const bytes = Buffer.from(name);
    shapes.add(shapeOf(bytes, 0, bytes.length));
  }
  return (bytes, start, end) =>
    shapes.has(shapeOf(bytes, start, end)) ? read(bytes, start, end) : '';
}

/**
 * Skips elements, or members with their names, to the first one that `isWanted` or is long, or to the end of the container or of
 * the step. The loop is not in a generator, where it would take several times as long.
 * @param isWanted gets the bytes of the element, or of the name of the member
 */
export function skipShort(
  { bytes, paused }: StoredText,
  start: number,
  isObject: boolean,
  isWanted: (start: number, end: number) => boolean,
): number {
  const until = paused + stepBytes;
  const scanning = startOfScan(start);
  let at = start;
  while (at < until && bytes[at] !== (isObject ? closeBrace : closeBracket)) {
    const nameEnd = isObject ? endOfString(bytes, at + 1) : at;
    if (isObject && isWanted(at, nameEnd)) return at;
    scanning.index = isObject ? nameEnd + 1 : at;
    scanning.depth = 0;
    if (!advance(bytes, scanning, noLimits, scanning.index + stepBytes)) return at;
    if (!isObject && isWanted(at, scanning.index)) return at;
    at = bytes[scanning.index] === comma ? scanning.index + 1 : scanning.index;
  }
  return at;
}

const comma = 0x2c;
const closeBracket = 0x5d;
const closeBrace = 0x7d;
