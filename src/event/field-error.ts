// A value that does not fit its schema -> the sentence that names the innermost part at fault.
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { tooMany } from '../schema/limits.js';
import { badRequest, type RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, membersOf, plainJson } from '../json/tree.js';

const shownLengthMax = 100;

export const expected = (place: string, what: string, value: JsonValue): RequestError =>
  badRequest(`${place}: expected ${what}, got ${shown(value)}`);

/** `value` is known not to fit `schema`; the keyword `expected` of schemas says what does. */
export function fieldError(schema: TSchema, value: JsonValue, place: string): RequestError {
  for (const part of partsWithSchema(schema, value)) {
    if (part.schema !== undefined && !Check(part.schema, plainJson(part.value))) {
      return fieldError(part.schema, part.value, place + part.step);
    }
  }
  const { maxItems } = containerKeywords(schema);
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems)
    return badRequest(`${place}: ${tooMany(maxItems, value.length)}`);
  return expected(place, (schema as Expecting).expected, value);
}

/** Every schema of a field says it. */
interface Expecting {
  readonly expected: string;
}

interface Part {
  readonly step: string;
  readonly value: JsonValue;
  readonly schema: TSchema | undefined;
}

/** The keywords of JSON schema that the fields of events use. */
interface Keywords {
  readonly anyOf?: readonly Keywords[];
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: TSchema;
}

function partsWithSchema(schema: TSchema, value: JsonValue): readonly Part[] {
  const { items, properties, additionalProperties } = containerKeywords(schema);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((part, index) => ({
      step: `[${index}]`,
      value: part,
      schema: items,
    }));
  }
  if (!isJsonObject(value)) return [];
  return Array.from(membersOf(value), ([key, part]) => ({
    step: stepTo(key),
    value: part,
    schema:
      properties !== undefined && Object.hasOwn(properties, key)
        ? properties[key]
        : additionalProperties,
  }));
}

/** The alternative for arrays or objects of a schema that also allows null. */
function containerKeywords(schema: Keywords): Keywords {
  const isContainer = ({ items, properties }: Keywords) =>
    items !== undefined || properties !== undefined;
  return schema.anyOf?.find(isContainer) ?? schema;
}

const stepTo = (key: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;

/** The value as JSON, short enough for one sentence. */
export function shown(value: JsonValue): string {
  const text = stringifyJson(value);
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
