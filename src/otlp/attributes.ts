// Converts attributes, lists of keys with values of any kind, to JSON. Values without a JSON form become text: bytes are base64,
// and NaN, Infinity and -Infinity their names. Integers keep all 64 bits. The last value of a duplicate key counts.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { exactNumber, objectInOrder } from '../json/ordered.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import { describeJson } from './describe.js';

export type Attributes = ReadonlyMap<string, JsonValue>;

const integer = /^-?(?:0|[1-9]\d{0,99})$/;

const decimal = /^-?(?:0|[1-9]\d{0,99})(?:\.\d{1,100})?(?:[eE][+-]?\d{1,3})?$/;

/** Converts a double, which is a string in the JSON of some clients; other strings, such as NaN, stay unchanged. */
function doubleOf(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !decimal.test(value)) return value;
  const double = Number(value);
  return Number.isFinite(double) ? double : value;
}

/** Converts a 64-bit integer, which is a string in OTLP JSON, perhaps with an exponent; other strings stay unchanged. */
function integerOf(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  if (integer.test(value)) return exactNumber(value);
  const double = doubleOf(value);
  return Number.isSafeInteger(double) ? double : value;
}

const valuesOf = (list: JsonValue): JsonValue =>
  isJsonObject(list) ? (memberOf(list, 'values') ?? null) : list;

function arrayOf(list: JsonValue): JsonValue {
  const values = valuesOf(list) ?? [];
  return Array.isArray(values) ? (values as readonly JsonValue[]).map(anyValue) : values;
}

/** Conversions by the kind of the value. */
const readers: Readonly<Record<string, (value: JsonValue) => JsonValue>> = {
  stringValue: (value) => value,
  boolValue: (value) => value,
  intValue: integerOf,
  doubleValue: doubleOf,
  arrayValue: arrayOf,
  kvlistValue: (list) => objectInOrder(attributesOf(valuesOf(list), 'kvlistValue')),
  bytesValue: (value) => value,
};

/** Returns null for a value without a kind; the last of several kinds counts. */
function anyValue(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  let read: JsonValue = null;
  for (const [kind, content] of membersOf(value))
    if (Object.hasOwn(readers, kind)) read = readers[kind]!(content);
  return read;
}

/**
 * `name` is the path of the list in errors.
 * @throws RequestError 400 if it is not a list of keys and values
 */
export function attributesOf(list: JsonValue | undefined, name: string): Attributes {
  const attributes = new Map<string, JsonValue>();
  if (list === undefined || list === null) return attributes;
  if (!Array.isArray(list))
    throw badRequest(`${name}: expected an array, got ${describeJson(list)}`);
  for (const [index, entry] of (list as readonly JsonValue[]).entries()) {
    if (!isJsonObject(entry))
      throw badRequest(`${name}[${index}]: expected an object, got ${describeJson(entry)}`);
    const key = memberOf(entry, 'key') ?? '';
    if (typeof key !== 'string')
      throw badRequest(`${name}[${index}].key: expected a string, got ${describeJson(key)}`);
    attributes.set(key, anyValue(memberOf(entry, 'value') ?? null));
  }
  return attributes;
}
