// Accessors for a parsed JSON value in either form, plain or ordered.
import { compareLosslessNumber, isLosslessNumber, LosslessNumber } from 'lossless-json';
import type { JsonObject, JsonValue } from './json.js';

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** The members of an object in order. */
export function membersOf(object: JsonObject): Iterable<readonly [string, JsonValue]> {
  return object instanceof Map ? object.entries() : Object.entries(object as Plain);
}

export const keysOf = (object: JsonObject): readonly string[] =>
  object instanceof Map ? [...(object.keys() as Iterable<string>)] : Object.keys(object);

/** A member of an object; undefined if the object has no own key of this name. */
export function memberOf(object: JsonObject, key: string): JsonValue | undefined {
  if (object instanceof Map) return object.get(key) as JsonValue | undefined;
  return Object.hasOwn(object, key) ? (object as Plain)[key] : undefined;
}

/** Whether a double has exactly the value of the number text. */
export function doubleHolds(text: string): boolean {
  const double = String(Number(text));
  if (double === text) return true;
  if (double.endsWith('Infinity')) return false;
  return compareLosslessNumber(new LosslessNumber(text), new LosslessNumber(double)) === 0;
}

/** The double of a number; null for other values. */
export function doubleOf(value: JsonValue): number | null {
  if (typeof value === 'number') return value;
  return isLosslessNumber(value) ? Number(value.value) : null;
}

/** Whether some part is a `Map` or a number that a double does not hold. */
export const isLossless = (value: JsonValue): boolean => somePart(value, isLosslessPart);

/** Whether every part is plain JavaScript data, so that `JSON.stringify` prints it. */
export const isPlain = (value: JsonValue): boolean =>
  !somePart(value, (part) => part instanceof Map || isLosslessNumber(part));

/** Converts the value to plain JavaScript data, with doubles and JavaScript's key order. */
export function plainJson(value: JsonValue): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(plainJson);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Array.from(membersOf(value), ([key, part]) => [key, plainJson(part)]));
}

type Plain = Readonly<Record<string, JsonValue>>;

function somePart(value: JsonValue, test: (part: object) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return test(value) || partsOf(value).some((part) => somePart(part, test));
}

const isLosslessPart = (part: object): boolean =>
  part instanceof Map || (isLosslessNumber(part) && !doubleHolds(part.value));

function partsOf(value: object): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (value instanceof Map) return [...value.values()] as readonly JsonValue[];
  return Object.values(value) as readonly JsonValue[];
}
