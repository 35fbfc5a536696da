// Names of members in JSON text. Two with the same hash in one object need the parser: mostly they are the same name, of
// which the last value counts.
import { compactString } from './string.js';
import { leaveOut, leaveOutSpace, type Names, type Text } from './text.js';

const space = 0x20;
const quote = 0x22;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const backslash = 0x5c;

/** FNV-1a. */
const hashStart = 0x811c9dc5 | 0;
const hashFactor = 0x01000193;

export function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = hashStart;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, hashFactor);
  return hash;
}

/** Returns the index behind the closing quote. */
export function compactName(text: Text, start: number): number {
  const { bytes } = text;
  if (bytes[start] !== quote) return ~start;
  let hash = hashStart;
  let at = start + 1;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === quote) break;
    if (byte === backslash || byte < space || byte > 0x7f) return compactOddName(text, start);
    hash = Math.imul(hash ^ byte, hashFactor);
    at += 1;
  }
  text.names.hash = hash;
  return mayBeIndex(bytes, start + 1, at) ? ~at : at + 1;
}

/** A name with escapes, or with characters that are not ASCII. */
function compactOddName(text: Text, start: number): number {
  leaveOut(text, start, start);
  const first = text.write + 1;
  const end = compactString(text, start + 1);
  if (end < 0) return end;
  leaveOut(text, end, end);
  const { bytes, write } = text;
  text.names.hash = hashOf(bytes, first, write - 1);
  return mayBeIndex(bytes, first, write - 1) ? ~end : end;
}

/** JavaScript moves array indexes before other names. */
function mayBeIndex(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at += 1;
  return at === end && at > start;
}

/** Returns the index of the value behind the colon. */
export function compactColon(text: Text, start: number): number {
  const { bytes } = text;
  let at = bytes[start]! > space ? start : leaveOutSpace(text, start);
  if (bytes[at] !== colon) return ~at;
  at += 1;
  return bytes[at]! > space ? at : leaveOutSpace(text, at);
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
