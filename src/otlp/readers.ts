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

type Read = (value: JsonValue, span: ReaderContext) => JsonValue | undefined;

export interface Reader {
  readonly read: Read;
  /** What becomes of the value, for the manual; empty if it stays as it is. */
  readonly about: string;
  /** The results for those texts that have one of their own. */
  readonly results?: Readonly<Record<string, string>>;
}

export const unchanged: Reader = { about: '', read: (value) => value };

const parsed: Read = (value, { parseText }) =>
  typeof value === 'string' ? parseText(value) : undefined;

const parsedOrText: Read = (value, span) => {
  const read = parsed(value, span);
  return read === undefined ? value : read;
};

export const json: Reader = { about: 'JSON text', read: parsed };

export const jsonOrText: Reader = { about: 'JSON text or other text', read: parsedOrText };

/** An array or an object, or its JSON text. */
export const structureOf: Read = (value, { parseText }) => {
  const read = typeof value === 'string' ? parseText(value) : value;
  return Array.isArray(read) || isJsonObject(read) ? read : undefined;
};

export const structure: Reader = {
  about: 'an array or an object, or JSON text of one',
  read: structureOf,
};

export const structureOrText: Reader = {
  about: 'JSON text of an array or an object, or other text',
  read: (value, span) => structureOf(value, span) ?? value,
};

export const jsonItems: Reader = {
  about: 'an array of JSON texts',
  read: (value, span) => {
    if (!Array.isArray(value)) return undefined;
    const items = (value as readonly JsonValue[]).map((item) => parsed(item, span));
    return items.every((item) => item !== undefined) ? items : undefined;
  },
};

const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/;

const numberIn = (value: JsonValue): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && decimal.test(value) ? Number(value) : undefined;
};

export const number: Reader = { about: 'a number, or decimal text', read: numberIn };

export const millisecondsInSeconds: Reader = {
  about: 'milliseconds, which become seconds',
  read: (value) => {
    const milliseconds = numberIn(value);
    return milliseconds === undefined ? undefined : milliseconds / 1000;
  },
};

export const filledText: Reader = {
  about: 'text that is not empty',
  read: (value) => (value === '' ? undefined : value),
};

/** Maps texts to values; `others` for unlisted texts. */
export const oneOf = (results: Readonly<Record<string, string>>, others?: string): Reader => ({
  about: others === undefined ? '' : `\`${others}\` for any other text`,
  results,
  read: (value) =>
    typeof value === 'string' && Object.hasOwn(results, value) ? results[value] : others,
});

export const always = (value: string): Reader => ({
  about: `\`${value}\``,
  read: () => value,
});

const nameOfModel = (value: JsonValue): JsonValue =>
  typeof value === 'string' ? value.slice(value.lastIndexOf('/') + 1) : value;

export const modelName: Reader = {
  about: '`openai/gpt-4o` becomes `gpt-4o`',
  read: nameOfModel,
};

export const hasProvider = (value: JsonValue): boolean =>
  typeof value === 'string' && value.includes('/');

const withMembers = (
  object: JsonObject,
  change: (name: string, value: JsonValue) => readonly [string, JsonValue],
): JsonObject =>
  objectInOrder(new Map(Array.from(membersOf(object), ([name, value]) => change(name, value))));

const objectOf = (value: JsonValue, span: ReaderContext): JsonObject | undefined => {
  const read = structureOf(value, span);
  return isJsonObject(read) ? read : undefined;
};

export const request: Reader = {
  about: 'parameters, or JSON text of them',
  read: (value, span) => {
    const object = objectOf(value, span);
    return (
      object &&
      withMembers(object, (name, part) => [name, name === 'model' ? nameOfModel(part) : part])
    );
  },
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

/** One whose metric name is in use keeps its own name. */
export const usage: Reader = {
  about: 'counts, or JSON text of them',
  read: (value, span) => {
    const object = objectOf(value, span);
    if (object === undefined) return undefined;
    const names = new Set(Array.from(membersOf(object), ([name]) => name));
    const metricOf = (name: string): string => {
      const metric = usageNames.get(name) ?? name;
      return names.has(metric) ? name : metric;
    };
    return withMembers(object, (name, part) => [metricOf(name), numberIn(part) ?? part]);
  },
};

export const toolDefinitions: Reader = {
  about: 'definitions of tools, or names, which become definitions',
  read: (value, span) => {
    const read = structureOf(value, span);
    if (!Array.isArray(read)) return read;
    return (read as readonly JsonValue[]).map((tool) =>
      typeof tool === 'string' ? { type: 'function', function: { name: tool } } : tool,
    );
  },
};

/** The levels of OpenInference that only name what is inside. */
const itemLevels: ReadonlySet<string> = new Set([
  'message',
  'tool_call',
  'message_content',
  'document',
]);

/** The value of the only member, if it has one of the names. */
function insideOf(value: JsonValue, names: ReadonlySet<string>): JsonValue {
  const [only, ...others] = isJsonObject(value) ? membersOf(value) : [];
  return only !== undefined && others.length === 0 && names.has(only[0]) ? only[1] : value;
}

function withoutLevels(value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item) => withoutLevels(insideOf(item, itemLevels)));
  if (!isJsonObject(value)) return value;
  return withMembers(value, (name, part) => [
    name,
    withoutLevels(name === 'image' ? insideOf(part, new Set([name])) : part),
  ]);
}

export const listInside: Reader = {
  about: 'without the levels `message`, `tool_call`, `message_content`, `image` and `document`',
  read: (value) => (Array.isArray(value) ? withoutLevels(value) : undefined),
};

/** @param typeName the attribute with the MIME type of the text */
export const ofMimeType = (typeName: string): Reader => ({
  about: `JSON text if \`${typeName}\` is \`application/json\`, else text`,
  read: (value, span) =>
    span.attributes.get(typeName) === 'application/json' ? parsedOrText(value, span) : value,
});

/** A message of the system. Its parts may be text. */
export const systemMessage: Reader = {
  about: 'a message of the system in front of the others',
  read: (value, span) => {
    const parts = structureOf(value, span) ?? value;
    if (isMessage(parts)) return parts;
    return { role: 'system', [Array.isArray(parts) ? 'parts' : 'content']: parts };
  },
};

const isMessage = (value: JsonValue): boolean =>
  isJsonObject(value) && ['role', 'event.name'].some((name) => memberOf(value, name) !== undefined);

/** Messages, or events of messages. */
export const conversation: Reader = {
  about: 'messages; the answer at the end is the output',
  read: (value, span) => {
    const list = structureOf(value, span);
    return Array.isArray(list) && list.every(isMessage) ? list : undefined;
  },
};
