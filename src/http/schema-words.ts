// Describes schemas and values in the words of error texts.
import Type, { type TSchema } from 'typebox';

const shownCharactersMax = 80;

/** A value short enough for one sentence. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
}

const list = (words: readonly string[]): string =>
  words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;

const describeString = (schema: Type.TString): string => {
  if (schema.format === 'uuid') return 'a UUID';
  return schema.minLength === 1 ? 'a non-empty string' : 'a string';
};

const describeInteger = (schema: Type.TInteger): string =>
  schema.minimum === undefined ? 'an integer' : `an integer of at least ${schema.minimum}`;

/** What a schema accepts, to follow "expected". */
export function describeSchema(schema: TSchema): string {
  if (Type.IsUnion(schema)) return list(schema.anyOf.map(describeSchema));
  if (Type.IsLiteral(schema)) return JSON.stringify(schema.const);
  if (Type.IsString(schema)) return describeString(schema);
  if (Type.IsInteger(schema)) return describeInteger(schema);
  if (Type.IsBoolean(schema)) return 'true or false';
  if (Type.IsNull(schema)) return 'null';
  if (Type.IsArray(schema)) return 'an array';
  return 'an object';
}
