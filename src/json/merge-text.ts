// Deep merge into JSON text. Parts of the base that the patch does not name are copied, never parsed, so that a small patch
// of a large value takes little time; they are read in steps.
import { deeper, mergeAt, placeOf, replaces, type MergeRules, type Place } from './deep-merge.js';
import type { JsonObject, JsonValue } from './json.js';
import type { JsonBytes } from './json-text.js';
import { endOfString } from './scan.js';
import { endOfValue, nameReader, skipShort, storedText, type StoredText } from './stored-text.js';
import { stringifyJson } from './stringify.js';
import { isJsonObject, membersOf } from './tree.js';

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The text is the base. */
interface Merging extends StoredText {
  /** The index of the first byte of the base that is neither copied nor replaced. */
  from: number;
  readonly pieces: Buffer[];
}

/** Merges like `deepMerge`. `base` is an object, spelled as `stringifyJson` does. */
export function* mergeIntoText(
  base: JsonBytes,
  patch: JsonObject,
  rules: MergeRules,
): Generator<void, JsonBytes> {
  const merging: Merging = { ...storedText(base), from: base.start, pieces: [] };
  const end = yield* mergeObject(merging, base.start, patch, placeOf(rules));
  replace(merging, end, end, '');
  const bytes = Buffer.concat(merging.pieces);
  return { bytes, start: 0, end: bytes.length };
}

/** Puts `text` in the place of the bytes from `start` to `end`. */
function replace(merging: Merging, start: number, end: number, text: string): void {
  merging.pieces.push(merging.bytes.subarray(merging.from, start), Buffer.from(text));
  merging.from = end;
}

/** Merges `patch` into the object at `start`, and returns the index after it. */
function* mergeObject(
  merging: Merging,
  start: number,
  patch: JsonObject,
  place: Place,
): Generator<void, number> {
  const { bytes } = merging;
  const added = partsOf(patch, place);
  const readName = nameReader(added);
  const isNamed = (from: number, to: number) => readName(bytes, from, to) !== '';
  let at = start + 1;
  for (;;) {
    at = skipShort(merging, at, true, isNamed);
    if (bytes[at] === closeBrace) break;
    const nameEnd = endOfString(bytes, at + 1);
    const name = readName(bytes, at, nameEnd);
    const part = added.get(name);
    at = yield* part === undefined
      ? endOfValue(merging, nameEnd + 1)
      : mergeValue(merging, nameEnd + 1, part);
    added.delete(name);
    if (bytes[at] === comma) at += 1;
  }
  const members = Array.from(added, ([name, part]) => `${name}:${textOf(part)}`);
  const lead = at > start + 1 && members.length > 0 ? ',' : '';
  replace(merging, at, at, lead + members.join());
  return at + 1;
}

/** A value of the patch, and where it goes. */
interface Part {
  readonly value: JsonValue;
  readonly place: Place;
}

/** The parts of the patch by name, as JSON text. */
function partsOf(patch: JsonObject, place: Place): Map<string, Part> {
  const placeAt = deeper(place);
  const parts = new Map<string, Part>();
  for (const [name, value] of membersOf(patch))
    if (!place.droppedKeys.has(name))
      parts.set(JSON.stringify(name), { value, place: placeAt(name) });
  return parts;
}

function* mergeValue(merging: Merging, start: number, part: Part): Generator<void, number> {
  const { value, place } = part;
  if (merging.bytes[start] === openBrace && isJsonObject(value) && !replaces(place))
    return yield* mergeObject(merging, start, value, place);
  const end = yield* endOfValue(merging, start);
  replace(merging, start, end, textOf(part));
  return end;
}

const textOf = ({ value, place }: Part): string => stringifyJson(mergeAt(undefined, value, place));
