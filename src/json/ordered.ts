// Parses text that JSON.parse accepts to a value with exact numbers and keys in the order of the text.
import { visit } from 'jsonc-parser';
import { LosslessNumber } from 'lossless-json';
import type { JsonObject, JsonValue } from './json.js';
import { doubleHolds } from './tree.js';

interface Container {
  name(key: string): void;
  add(part: JsonValue): void;
  value(): JsonValue;
}

/** `text` must be valid JSON, of a depth that allows recursion. */
export function parseOrdered(text: string): JsonValue {
  const root = arrayContainer();
  const open = [root];
  const innermost = () => open.at(-1) ?? root;
  const close = () => {
    const closed = open.pop();
    if (closed !== undefined) innermost().add(closed.value());
  };
  visit(text, {
    onObjectBegin: () => void open.push(objectContainer()),
    onObjectProperty: (key) => innermost().name(key),
    onObjectEnd: close,
    onArrayBegin: () => void open.push(arrayContainer()),
    onArrayEnd: close,
    onLiteralValue: (value: boolean | null | number | string, offset, length) =>
      innermost().add(
        typeof value === 'number' ? exactNumber(text.slice(offset, offset + length)) : value,
      ),
  });
  return (root.value() as readonly JsonValue[])[0] ?? null;
}

/** Returns a plain object if JavaScript keeps the order of the keys, else the map. */
export function objectInOrder(members: ReadonlyMap<string, JsonValue>): JsonObject {
  const plain = plainObject(members);
  for (const key of members.keys()) {
    if (arrayIndex.test(key)) return hasKeysInOrder(plain, members) ? plain : members;
  }
  return plain;
}

const arrayIndex = /^\d{1,10}$/;

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
  doubleHolds(text) ? Number(text) : new LosslessNumber(text);

function arrayContainer(): Container {
  const items: JsonValue[] = [];
  return { name: () => {}, add: (part) => void items.push(part), value: () => items };
}

function objectContainer(): Container {
  const members = new Map<string, JsonValue>();
  let key = '';
  return {
    name: (next) => void (key = next),
    add: (part) => void members.set(key, part),
    value: () => objectInOrder(members),
  };
}
