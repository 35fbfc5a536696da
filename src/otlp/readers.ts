// Readers convert the value of an attribute for its field. Undefined means that the field cannot hold the value; the
// attribute then stays in the metadata.
import type { JsonObject, JsonValue } from '../json/json.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import { objectInOrder } from '../json/ordered.js';
import type { Attributes } from './attributes.js';
import type { ParseText } from './json-texts.js';

/** What a reader knows of the span. */
export interface ReaderContext {
  readonly attributes: Attributes;
  readonly parseText: ParseText;
}

export type Reader = (value: JsonValue, span: ReaderContext) => JsonValue | undefined;

export const unchanged: Reader = (value) => value;

/** JSON text. */
export const json: Reader = (value, { parseText }) =>
  typeof value === 'string' ? parseText(value) : undefined;

/** JSON text, or any other text. */
export const jsonOrText: Reader = (value, span) => {
  const read = json(value, span);
  return read === undefined ? value : read;
};

/** An array of JSON texts. */
export const jsonItems: Reader = (value, span) => {
  if (!Array.isArray(value)) return undefined;
  const items = (value as readonly JsonValue[]).map((item) => json(item, span));
  return items.every((item) => item !== undefined) ? items : undefined;
};

/** An array or an object, or its JSON text. */
export const structure: Reader = (value, { parseText }) => {
  const read = typeof value === 'string' ? parseText(value) : value;
  return Array.isArray(read) || isJsonObject(read) ? read : undefined;
};

export const number: Reader = (value) => (typeof value === 'number' ? value : undefined);

export const millisecondsInSeconds: Reader = (value) =>
  typeof value === 'number' ? value / 1000 : undefined;

export const filledText: Reader = (value) => (value === '' ? undefined : value);

/** Maps texts to values; `others` for unlisted texts. */
export const oneOf =
  (types: Readonly<Record<string, string>>, others?: string): Reader =>
  (value) =>
    typeof value === 'string' && Object.hasOwn(types, value) ? types[value] : others;

export const always =
  (value: string): Reader =>
  () =>
    value;

/** `openai/gpt-4o` becomes `gpt-4o`. */
export const modelName: Reader = (value) =>
  typeof value === 'string' ? value.slice(value.lastIndexOf('/') + 1) : value;

export const hasProvider = (value: JsonValue): boolean =>
  typeof value === 'string' && value.includes('/');

const withMembers = (
  object: JsonObject,
  change: (name: string, value: JsonValue) => readonly [string, JsonValue],
): JsonObject =>
  objectInOrder(new Map(Array.from(membersOf(object), ([name, value]) => change(name, value))));

const objectOf = (value: JsonValue, span: ReaderContext): JsonObject | undefined => {
  const read = structure(value, span);
  return isJsonObject(read) ? read : undefined;
};

/** Request parameters. */
export const request: Reader = (value, span) => {
  const object = objectOf(value, span);
  return (
    object &&
    withMembers(object, (name, part) => [
      name,
      name === 'model' ? (modelName(part, span) ?? null) : part,
    ])
  );
};

export const requestHasProvider = (value: JsonValue, span: ReaderContext): boolean => {
  const object = objectOf(value, span);
  return object !== undefined && hasProvider(memberOf(object, 'model') ?? null);
};

const usageNames: ReadonlyMap<string, string> = new Map([
  ['input_tokens', 'prompt_tokens'],
  ['output_tokens', 'completion_tokens'],
  ['total_tokens', 'tokens'],
]);

/** The numbers of a usage report, by metric name. One whose metric name is in use keeps its own name. */
export const usage: Reader = (value, span) => {
  const object = objectOf(value, span);
  if (object === undefined) return undefined;
  const names = new Set(Array.from(membersOf(object), ([name]) => name));
  const metricOf = (name: string): string => {
    const metric = usageNames.get(name) ?? name;
    return names.has(metric) ? name : metric;
  };
  return withMembers(object, (name, part) => [metricOf(name), part]);
};

/** Converts tool names to tool definitions. */
export const toolDefinitions: Reader = (value, span) => {
  const read = structure(value, span);
  if (!Array.isArray(read)) return read;
  return (read as readonly JsonValue[]).map((tool) =>
    typeof tool === 'string' ? { type: 'function', function: { name: tool } } : tool,
  );
};

/** Unwraps the messages of OpenInference. */
export const messagesInside: Reader = (value) =>
  Array.isArray(value)
    ? (value as readonly JsonValue[]).map((item) =>
        isJsonObject(item) ? (memberOf(item, 'message') ?? item) : item,
      )
    : undefined;

/** A text, or JSON if the attribute `typeName` says so. */
export const ofMimeType =
  (typeName: string): Reader =>
  (value, span) =>
    span.attributes.get(typeName) === 'application/json' ? jsonOrText(value, span) : value;
