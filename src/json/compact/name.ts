// Member names in JSON text. Two names with the same hash in one object need the parser: they are probably equal, and the last
// value counts.
import { compactString, endOfRun } from './string.js';
import { dropBytes, dropSpace, type Names, type Text } from './text.js';

const space = 0x20;
const quote = 0x22;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;

const hashFactor = 0x9e3779b1 | 0;

const mixed = (hash: number, part: number): number => {
  const product = Math.imul(hash ^ part, hashFactor);
  return product ^ (product >>> 15);
};

/** The hash of the bytes from `start` to `end`. */
export function hashOf(
  { bytes, view }: Pick<Text, 'bytes' | 'view'>,
  start: number,
  end: number,
): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mixed(hash, view.getInt32(at, true));
  for (; at < end; at += 1) hash = mixed(hash, bytes[at]!);
  return hash;
}

/** Returns the index after the closing quote. */
export function compactName(text: Text, start: number): number {
  const { bytes } = text;
  if (bytes[start] !== quote) return ~start;
  const end = endOfRun(text, start + 1);
  if (bytes[end] !== quote) return compactOddName(text, start);
  text.names.hash = hashOf(text, start + 1, end);
  return mayBeIndex(bytes, start + 1, end) ? ~end : end + 1;
}

/** Reads a name with escapes. */
function compactOddName(text: Text, start: number): number {
  dropBytes(text, start, start);
  const first = text.write + 1;
  const end = compactString(text, start + 1);
  if (end < 0) return end;
  dropBytes(text, end, end);
  const { bytes, write } = text;
  text.names.hash = hashOf(text, first, write - 1);
  return mayBeIndex(bytes, first, write - 1) ? ~end : end;
}

/** Whether the name looks like an array index, which JavaScript moves before other names. */
function mayBeIndex(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at += 1;
  return at === end && at > start;
}

/** Returns the index of the value after the colon. */
export function compactColon(text: Text, start: number): number {
  const { bytes } = text;
  let at = bytes[start]! > space ? start : dropSpace(text, start);
  if (bytes[at] !== colon) return ~at;
  at += 1;
  return bytes[at]! > space ? at : dropSpace(text, at);
}

/**
 * Adds the last name to those of the innermost object, which begin at `first`.
 * Returns false if it may be a duplicate, or if there are too many.
 */
export function addName(names: Names, first: number): boolean {
  const { hashes, count, hash } = names;
  for (let index = first; index < count; index += 1) if (hashes[index] === hash) return false;
  if (count === hashes.length) return false;
  hashes[count] = hash;
  names.count = count + 1;
  return true;
}
