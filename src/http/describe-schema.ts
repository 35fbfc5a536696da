// Describes schemas and values for error messages.
import { abbreviated } from '../errors.js';
import { Type, type TSchema } from 'typebox';

/** A value, abbreviated for an error message. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value === Infinity || value === -Infinity) return 'a number beyond all doubles';
  if (typeof value === 'object' && value !== null) return 'an object';
  return abbreviated(JSON.stringify(value), 80);
}

const list = (words: readonly string[]): string =>
  words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;

/** The keywords of limits that schemas of requests use. */
interface Limits {
  /** A description of the values that takes precedence. */
  readonly expected?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const describeString = ({ expected, format, minLength }: Limits): string => {
  if (expected !== undefined) return expected;
  if (format === 'uuid') return 'a UUID';
  if (format === 'date-time') return 'an ISO 8601 date-time';
  if (format === 'time-zone') return 'the name of a time zone';
  return minLength === 1 ? 'a non-empty string' : 'a string';
};

function describeInteger({ minimum, maximum }: Limits): string {
  if (minimum === undefined) return 'an integer';
  return maximum === undefined
    ? `an integer of at least ${minimum}`
    : `an integer from ${minimum} to ${maximum}`;
}

function alternatives(schema: TSchema): readonly string[] {
  if (Type.IsUnion(schema)) return schema.anyOf.flatMap(alternatives);
  if (Type.IsEnum(schema)) return schema.enum.map((value) => JSON.stringify(value));
  if (Type.IsLiteral(schema)) return [JSON.stringify(schema.const)];
  if (Type.IsString(schema)) return [describeString(schema as Limits)];
  if (Type.IsInteger(schema)) return [describeInteger(schema as Limits)];
  if (Type.IsNumber(schema)) return ['a number'];
  if (Type.IsBoolean(schema)) return ['true', 'false'];
  if (Type.IsNull(schema)) return ['null'];
  return [Type.IsArray(schema) ? 'an array' : 'an object'];
}

/** Describes the values that a schema accepts; follows "expected". */
export const describeSchema = (schema: TSchema): string => list(alternatives(schema));
