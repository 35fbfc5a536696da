// Removes elements of arrays from stored JSON text. The rest of the text is copied, never parsed, so that a large value takes little
// time; it is read in steps.
import { canonicalJson } from './canonical.js';
import type { JsonBytes } from './json-text.js';
import { endOfString } from './scan.js';
import { endOfValue, nameReader, skipShort, storedText, type StoredText } from './stored-text.js';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What to remove from a value. */
export interface Removals {
  /** The canonical JSON of the elements to remove, if it is an array. */
  readonly values: ReadonlySet<string>;
  /** What to remove from its members, if it is an object. */
  readonly below: ReadonlyMap<string, Removals>;
}

interface Removing extends StoredText {
  /** The result, as long as the text. */
  readonly kept: Buffer;
  write: number;
  /** The index of the first byte that is neither kept nor removed. */
  from: number;
  /** Whether numbers may differ from their canonical JSON. */
  readonly isExact: boolean;
}

/**
 * Removes elements whose canonical JSON is equal to one of the removals.
 * @param isExact whether the text may have numbers that doubles do not hold
 */
export function* withoutElements(
  text: JsonBytes,
  removals: Removals,
  isExact: boolean,
): Generator<void, JsonBytes> {
  const kept = Buffer.allocUnsafeSlow(text.end - text.start);
  const removing = { ...storedText(text), kept, write: 0, from: text.start, isExact };
  yield* walk(removing, text.start, removals);
  remove(removing, text.end, text.end);
  return { bytes: kept, start: 0, end: removing.write };
}

/** Removes the bytes from `start` to `end`, and keeps those before. */
function remove(removing: Removing, start: number, end: number): void {
  removing.write += removing.bytes.copy(removing.kept, removing.write, removing.from, start);
  removing.from = end;
}

/** Returns the index after the value at `start`. */
function walk(removing: Removing, start: number, removals: Removals): Generator<void, number> {
  const first = removing.bytes[start];
  if (first === openBrace && removals.below.size > 0) return walkObject(removing, start, removals);
  if (first === openBracket && removals.values.size > 0)
    return walkArray(removing, start, removals);
  return endOfValue(removing, start);
}

function* walkObject(
  removing: Removing,
  start: number,
  { below }: Removals,
): Generator<void, number> {
  const { bytes } = removing;
  const named = new Map(Array.from(below, ([name, part]) => [JSON.stringify(name), part]));
  const readName = nameReader(named);
  const isNamed = (from: number, to: number) => readName(bytes, from, to) !== '';
  let at = start + 1;
  for (;;) {
    at = skipShort(removing, at, true, isNamed);
    if (bytes[at] === closeBrace) return at + 1;
    const nameEnd = endOfString(bytes, at + 1);
    const removals = named.get(readName(bytes, at, nameEnd));
    at = yield* removals === undefined
      ? endOfValue(removing, nameEnd + 1)
      : walk(removing, nameEnd + 1, removals);
    if (bytes[at] === comma) at += 1;
  }
}

function* walkArray(
  removing: Removing,
  start: number,
  { values }: Removals,
): Generator<void, number> {
  const { bytes } = removing;
  const lengths = new Set(Array.from(values, (value) => Buffer.byteLength(value)));
  // Canonical JSON has the same parts, in any order.
  const mayEqual = (from: number, to: number) =>
    lengths.has(to - from) || (removing.isExact && bytes[from] !== quote);
  let isFirst = true;
  let at = start + 1;
  for (;;) {
    const next = skipShort(removing, at, false, mayEqual);
    if (next > at) isFirst = false;
    at = next;
    if (bytes[at] === closeBracket) return at + 1;
    const end = yield* endOfValue(removing, at);
    const isRemoved =
      mayEqual(at, end) && values.has(canonicalJson(bytes.toString('utf8', at, end)));
    if (!isRemoved) isFirst = false;
    // With one of the commas around it.
    else if (isFirst) remove(removing, at, bytes[end] === comma ? end + 1 : end);
    else remove(removing, at - 1, end);
    at = bytes[end] === comma ? end + 1 : end;
  }
}
