// Explains why a value does not match its schema: the error names the innermost invalid part.
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { tooMany } from '../schema/limits.js';
import { abbreviated, badRequest, type RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, membersOf, plainJson } from '../json/tree.js';

export const expected = (path: string, what: string, value: JsonValue): RequestError =>
  badRequest(`${path}: expected ${what}, got ${jsonForError(value)}`);

/** The error for a `value` that does not match `schema`. The keyword `expected` of a schema describes valid values. */
export function fieldError(schema: TSchema, value: JsonValue, path: string): RequestError {
  for (const part of partsWithSchema(schema, value)) {
    if (part.schema !== undefined && !Check(part.schema, plainJson(part.value))) {
      return fieldError(part.schema, part.value, path + part.step);
    }
  }
  const { maxItems } = containerKeywords(schema);
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems)
    return badRequest(`${path}: ${tooMany(maxItems, value.length)}`);
  return expected(path, (schema as Expecting).expected, value);
}

/** Every schema of a field has this keyword. */
interface Expecting {
  readonly expected: string;
}

interface Part {
  readonly step: string;
  readonly value: JsonValue;
  readonly schema: TSchema | undefined;
}

/** The JSON schema keywords in schemas of event fields. */
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

/** The array or object alternative of a nullable schema. */
function containerKeywords(schema: Keywords): Keywords {
  const isContainer = ({ items, properties }: Keywords) =>
    items !== undefined || properties !== undefined;
  return schema.anyOf?.find(isContainer) ?? schema;
}

const stepTo = (key: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)
    ? `.${abbreviated(key)}`
    : `[${abbreviated(JSON.stringify(key))}]`;

/** The value as JSON, abbreviated. */
export const jsonForError = (value: JsonValue): string => abbreviated(stringifyJson(value));
