// Names of members in JSON text. Two with the same hash in one object need the parser: mostly they are the same name, of
// which the last value counts.
import { compactString } from './string.js';
import { put, skipSpace, type Names, type Text } from './text.js';

const quote = 0x22;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;

/** Writes the name in quotes; returns the index of the value behind the colon. */
export function compactName(text: Text, start: number): number {
  const { bytes } = text;
  if (bytes[start] !== quote) return ~start;
  put(text, quote);
  const from = text.write;
  const end = compactString(text, start + 1);
  if (end < 0) return end;
  const last = text.write - 1;
  if (mayBeIndex(bytes, from, last)) return ~end;
  text.names.hash = hashOf(bytes, from, last);
  const at = skipSpace(bytes, end);
  return bytes[at] === colon ? skipSpace(bytes, at + 1) : ~at;
}

/** JavaScript moves array indexes before other names. */
function mayBeIndex(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at += 1;
  return at === end && at > start;
}

/** FNV-1a. */
export function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash;
}

/**
 * Adds the name that was read last to those of the innermost object, which begin at `first`.
 * @returns false when it may be there already, or when there are too many
 */
export function addName(names: Names, first: number): boolean {
  const { hashes, count, hash } = names;
  for (let index = first; index < count; index += 1) if (hashes[index] === hash) return false;
  if (count === hashes.length) return false;
  hashes[count] = hash;
  names.count = count + 1;
  return true;
}
