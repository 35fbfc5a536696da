// Deep merge into JSON text. Parts of the base that the patch does not name are copied, never parsed, so that a small patch
// of a large value takes little time.
import { deeper, mergeAt, placeOf, replaces, type MergeRules, type Place } from './deep-merge.js';
import type { JsonObject, JsonValue } from './json.js';
import type { JsonBytes } from './json-text.js';
import { endOfString, scanElement } from './scan.js';
import { stringifyJson } from './stringify.js';
import { isJsonObject, membersOf } from './tree.js';

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

interface Merging {
  /** The base. */
  readonly bytes: Buffer;
  /** The index of the first byte of the base that is neither copied nor replaced. */
  from: number;
  readonly pieces: Buffer[];
}

/** Merges like `deepMerge`. `base` is an object, spelled as `stringifyJson` does. */
export function mergeIntoText(base: JsonBytes, patch: JsonObject, rules: MergeRules): JsonBytes {
  const merging: Merging = { bytes: base.bytes, from: base.start, pieces: [] };
  const end = mergeObject(merging, base.start, patch, placeOf(rules));
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
function mergeObject(merging: Merging, start: number, patch: JsonObject, place: Place): number {
  const { bytes } = merging;
  const added = partsOf(patch, place);
  const shapes = new Set(Array.from(added.keys(), (name) => shapeOf(Buffer.from(name), 0)));
  let at = start + 1;
  while (bytes[at] !== closeBrace) {
    const nameEnd = endOfString(bytes, at + 1);
    const name = shapes.has(shapeOf(bytes, at, nameEnd)) ? bytes.toString('utf8', at, nameEnd) : '';
    const part = added.get(name);
    at =
      part === undefined ? endOfValue(bytes, nameEnd + 1) : mergeValue(merging, nameEnd + 1, part);
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

/** A number that differs for most names, so that few names of the base become strings. */
const shapeOf = (bytes: Buffer, start: number, end = bytes.length): number =>
  (((end - start) << 16) | (bytes[start + 1]! << 8)) ^ bytes[end - 2]!;

function mergeValue(merging: Merging, start: number, part: Part): number {
  const { value, place } = part;
  if (merging.bytes[start] === openBrace && isJsonObject(value) && !replaces(place))
    return mergeObject(merging, start, value, place);
  const end = endOfValue(merging.bytes, start);
  replace(merging, start, end, textOf(part));
  return end;
}

const textOf = ({ value, place }: Part): string => stringifyJson(mergeAt(undefined, value, place));

const noLimits = {
  values: { max: Infinity },
  digits: { max: Infinity },
  name: () => 'stored JSON',
};

const endOfValue = (bytes: Buffer, start: number): number =>
  scanElement(bytes, start, noLimits).end;
