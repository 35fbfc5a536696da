// Attributes: lists of keys with values of any kind -> JSON. What JSON has no form for becomes text: bytes are base64, and
// NaN, Infinity and -Infinity their names. Integers keep all 64 bits. Of a key that comes twice the last value counts.
import { badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { exactNumber, objectInOrder } from '../json/ordered.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import { describeJson } from './describe.js';

export type Attributes = ReadonlyMap<string, JsonValue>;

const integer = /^-?(?:0|[1-9]\d{0,99})$/;

/** 64-bit integers are texts in JSON; a text that is no integer stays one. */
const integerOf = (value: JsonValue): JsonValue =>
  typeof value === 'string' && integer.test(value) ? exactNumber(value) : value;

const valuesOf = (list: JsonValue): JsonValue =>
  isJsonObject(list) ? (memberOf(list, 'values') ?? null) : list;

function arrayOf(list: JsonValue): JsonValue {
  const values = valuesOf(list) ?? [];
  return Array.isArray(values) ? (values as readonly JsonValue[]).map(anyValue) : values;
}

/** By the name that the kind of a value has. */
const readers: Readonly<Record<string, (value: JsonValue) => JsonValue>> = {
  stringValue: (value) => value,
  boolValue: (value) => value,
  intValue: integerOf,
  doubleValue: (value) => value,
  arrayValue: arrayOf,
  kvlistValue: (list) => objectInOrder(attributesOf(valuesOf(list), 'kvlistValue')),
  bytesValue: (value) => value,
};

/** Null for a value that has no kind; of several kinds the last counts. */
export function anyValue(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  let read: JsonValue = null;
  for (const [kind, content] of membersOf(value))
    if (Object.hasOwn(readers, kind)) read = readers[kind]!(content);
  return read;
}

/**
 * `name` is what errors call the list.
 * @throws RequestError 400 when it is no list of keys and values
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
