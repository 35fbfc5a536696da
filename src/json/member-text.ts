// Finds a value in stored JSON text by the names of the members that lead to it, without parsing the text.
import type { JsonBytes } from './json-text.js';
import { startOfValue } from './outline.js';
import { endOfValue, endsStep, storedText, type StoredText } from './stored-text.js';

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The text of the value, found in steps; null if there is none. */
export function* memberText(
  text: JsonBytes,
  names: readonly string[],
): Generator<void, JsonBytes | null> {
  const walked = storedText(text);
  let start: number | null = text.start;
  for (const name of names) {
    start = yield* startOfMember(walked, start, JSON.stringify(name));
    if (start === null) return null;
  }
  return { bytes: text.bytes, start, end: yield* endOfValue(walked, start) };
}

/** The index of the value of the member; null if the value at `start` is no object or lacks the member. `name` is JSON text. */
function* startOfMember(
  text: StoredText,
  start: number,
  name: string,
): Generator<void, number | null> {
  const { bytes } = text;
  if (bytes[start] !== openBrace) return null;
  let at = start + 1;
  while (bytes[at] !== closeBrace) {
    const value = startOfValue(bytes, at);
    if (bytes.toString('utf8', at, value - 1) === name) return value;
    at = yield* endOfValue(text, value);
    if (bytes[at] === comma) at += 1;
    if (endsStep(text, at)) yield;
  }
  return null;
}
