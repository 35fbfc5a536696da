// Where the members of an object are in stored JSON text, with those of the objects in it, found in one walk in steps.
import type { JsonBytes } from './json-text.js';
import { endOfString } from './scan.js';
import { endOfValue, endsStep, storedText, type StoredText } from './stored-text.js';

/**
 * Members have numbers in the order of the text, so those of an object follow the member that it is the value of. Arrays are not
 * entered. There is no object per member, since they can be a million.
 */
export interface Outline {
  /** The index of the first byte of the name. */
  readonly starts: number[];
  /** The index after the value. */
  readonly ends: number[];
  /** Index of the next member on the same level. */
  readonly nexts: number[];
}

/** `text` is an object. */
export function* outlineOf(text: JsonBytes): Generator<void, Outline> {
  const outline: Outline = { starts: [], ends: [], nexts: [] };
  yield* addMembers(outline, storedText(text), text.start);
  return outline;
}

/** Adds the members of the object at `start`, and returns the index after it. */
function* addMembers(outline: Outline, text: StoredText, start: number): Generator<void, number> {
  const { bytes } = text;
  let at = start + 1;
  while (bytes[at] !== closeBrace) {
    const member = outline.starts.push(at) - 1;
    const value = startOfValue(bytes, at);
    at = yield* bytes[value] === openBrace
      ? addMembers(outline, text, value)
      : endOfValue(text, value);
    outline.ends[member] = at;
    outline.nexts[member] = outline.starts.length;
    if (bytes[at] === comma) at += 1;
    if (endsStep(text, at)) yield;
  }
  return at + 1;
}

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** @param start the index of the first byte of the name of a member */
export const startOfValue = (bytes: Buffer, start: number): number =>
  endOfString(bytes, start + 1) + 1;

/** Consecutive members. */
export interface Members {
  readonly first: number;
  /** The number after the last one. */
  readonly end: number;
}

/** The members of the object that is the value of the member. */
export const membersIn = ({ nexts }: Outline, member: number): Members => ({
  first: member + 1,
  end: nexts[member]!,
});
