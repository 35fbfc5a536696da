// Parses text that JSON.parse accepts to a value with exact numbers and keys in the order of the text.
import { LosslessNumber } from 'lossless-json';
import type { JsonObject, JsonValue } from './json.js';
import { looksLikeIndex } from './parsed-shape.js';
import { doubleHolds } from './tree.js';

interface Container {
  /** Takes the next element, key or value of a member. */
  add(part: JsonValue): void;
  value(): JsonValue;
}

/** Tokens. White space, commas and colons are skipped, since the text is valid. */
const token = /["[\]{}]|[^"[\]{},:\s]+/g;

/** `text` must be valid JSON. Takes linear time, and creates one value for each value of the text. */
export function parseOrdered(text: string): JsonValue {
  const root = arrayContainer();
  const open = [root];
  const add = (part: JsonValue) => (open.at(-1) ?? root).add(part);
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    switch (found[0]) {
      case '{':
        open.push(objectContainer());
        break;
      case '[':
        open.push(arrayContainer());
        break;
      case '}':
      case ']':
        add((open.pop() ?? root).value());
        break;
      case '"':
        token.lastIndex = endOfString(text, token.lastIndex);
        add(textOf(text, found.index, token.lastIndex));
        break;
      default:
        add(literalOf(found[0]));
    }
  }
  return (root.value() as readonly JsonValue[])[0] ?? null;
}

// Strings and numbers are copies: a slice would keep the whole text in memory for as long as it is kept itself, for example as
// the name of an object.
const textOf = (text: string, start: number, end: number): string =>
  JSON.parse(text.slice(start, end)) as string;

function literalOf(text: string): JsonValue {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return exactNumber(text);
}

/** The index after the closing quote of the string. */
function endOfString(text: string, start: number): number {
  let from = start;
  for (;;) {
    const found = text.indexOf('"', from);
    let escapes = 0;
    while (found - 1 - escapes >= from && text[found - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return found + 1;
    from = found + 1;
  }
}

/** Returns a plain object if JavaScript keeps the order of the keys, else the map. */
export function objectInOrder(members: ReadonlyMap<string, JsonValue>): JsonObject {
  const plain = plainObject(members);
  for (const key of members.keys()) {
    if (looksLikeIndex(key)) return hasKeysInOrder(plain, members) ? plain : members;
  }
  return plain;
}

function hasKeysInOrder(plain: object, members: ReadonlyMap<string, JsonValue>): boolean {
  const keys = [...members.keys()];
  return Object.keys(plain).every((key, index) => key === keys[index]);
}

/** Assigns the members, since the result is faster to read than that of Object.fromEntries. */
function plainObject(members: ReadonlyMap<string, JsonValue>): Readonly<Record<string, JsonValue>> {
  if (members.has('__proto__')) return Object.fromEntries(members);
  const plain: Record<string, JsonValue> = {};
  for (const [key, part] of members) plain[key] = part;
  return plain;
}

export const exactNumber = (text: string): JsonValue =>
  doubleHolds(text) ? Number(text) : new LosslessNumber(JSON.parse(`"${text}"`) as string);

function arrayContainer(): Container {
  const items: JsonValue[] = [];
  return { add: (part) => void items.push(part), value: () => items };
}

function objectContainer(): Container {
  const members = new Map<string, JsonValue>();
  let key: string | null = null;
  return {
    add: (part) => {
      if (key === null) key = part as string;
      else {
        members.set(key, part);
        key = null;
      }
    },
    value: () => objectInOrder(members),
  };
}
