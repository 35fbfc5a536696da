// How the value of an attribute is read for the field that it is mapped to. Undefined is a value that the field has no use
// for: the attribute stays in the metadata then.
import { RequestError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import { objectInOrder } from '../json/ordered.js';
import type { Attributes } from './attributes.js';

export type Reader = (value: JsonValue, attributes: Attributes) => JsonValue | undefined;

/** A text in a stored event is this deep in arrays and objects. */
const levelsAround = 3;

const parsed = (text: string): JsonValue | undefined => {
  try {
    return parseJson(text, 'attribute', {
      levels: levelsAround,
      position: () => ({ line: 0, column: 0 }),
    });
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
};

export const asItIs: Reader = (value) => value;

/** JSON text. */
export const json: Reader = (value) => (typeof value === 'string' ? parsed(value) : undefined);

/** JSON text, or a text that is none. */
export const jsonOrText: Reader = (value) =>
  typeof value === 'string' ? (parsed(value) ?? value) : value;

/** An array or an object, also as JSON text. */
export const structure: Reader = (value) => {
  const read = typeof value === 'string' ? parsed(value) : value;
  return Array.isArray(read) || isJsonObject(read) ? read : undefined;
};

export const number: Reader = (value) => (typeof value === 'number' ? value : undefined);

export const millisecondsInSeconds: Reader = (value) =>
  typeof value === 'number' ? value / 1000 : undefined;

export const filledText: Reader = (value) => (value === '' ? undefined : value);

/** What stands for a value, by its text; `others` for texts that are not named. */
export const oneOf =
  (types: Readonly<Record<string, string>>, others?: string): Reader =>
  (value) =>
    typeof value === 'string' && Object.hasOwn(types, value) ? types[value] : others;

export const always =
  (value: string): Reader =>
  () =>
    value;

/** `gpt-4o` of `openai/gpt-4o`. */
export const modelName: Reader = (value) =>
  typeof value === 'string' ? value.slice(value.lastIndexOf('/') + 1) : value;

export const hasProvider = (value: JsonValue): boolean =>
  typeof value === 'string' && value.includes('/');

const withMembers = (
  object: JsonObject,
  change: (name: string, value: JsonValue) => readonly [string, JsonValue],
): JsonObject =>
  objectInOrder(new Map(Array.from(membersOf(object), ([name, value]) => change(name, value))));

const objectOf = (value: JsonValue, attributes: Attributes): JsonObject | undefined => {
  const read = structure(value, attributes);
  return isJsonObject(read) ? read : undefined;
};

/** The parameters of a request. */
export const request: Reader = (value, attributes) => {
  const object = objectOf(value, attributes);
  return (
    object &&
    withMembers(object, (name, part) => [
      name,
      name === 'model' ? (modelName(part, attributes) ?? null) : part,
    ])
  );
};

export const requestHasProvider = (value: JsonValue, attributes: Attributes): boolean => {
  const object = objectOf(value, attributes);
  return object !== undefined && hasProvider(memberOf(object, 'model') ?? null);
};

const usageNames: Readonly<Record<string, string>> = {
  input_tokens: 'prompt_tokens',
  output_tokens: 'completion_tokens',
  total_tokens: 'tokens',
};

/** The numbers of a usage report, under the names of metrics. */
export const usage: Reader = (value, attributes) => {
  const object = objectOf(value, attributes);
  return object && withMembers(object, (name, part) => [usageNames[name] ?? name, part]);
};

/** Names of tools become definitions of tools. */
export const toolDefinitions: Reader = (value, attributes) => {
  const read = structure(value, attributes);
  if (!Array.isArray(read)) return read;
  return (read as readonly JsonValue[]).map((tool) =>
    typeof tool === 'string' ? { type: 'function', function: { name: tool } } : tool,
  );
};

/** Messages without the level that OpenInference puts each of them into. */
export const messagesInside: Reader = (value) =>
  Array.isArray(value)
    ? (value as readonly JsonValue[]).map((item) =>
        isJsonObject(item) ? (memberOf(item, 'message') ?? item) : item,
      )
    : undefined;

/** A text, or JSON where the attribute `typeName` says so. */
export const ofMimeType =
  (typeName: string): Reader =>
  (value, attributes) =>
    attributes.get(typeName) === 'application/json' ? jsonOrText(value, attributes) : value;
