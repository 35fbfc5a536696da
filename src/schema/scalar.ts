// Basic schemas.
import { Type, type TObjectOptions, type TProperties, type TSchema } from 'typebox';
import { Format } from 'typebox/format';
import { Memory } from 'typebox/system';
import { atMost, limits } from './limits.js';

/** The only key of `patternProperties` in `recordOf`. */
export const anyKeyPattern = '';

/** Adds a description for the reference. */
export const described = <S extends TSchema>(schema: S, description: string): S =>
  Memory.Update(schema, {}, { description });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** An optional field for which null means absent. */
export const optional = <S extends TSchema>(schema: S, description: string) =>
  Type.Optional(described(nullable(schema), description));

/** A field that may be left out, and is not null. */
export const omittable = <S extends TSchema>(schema: S, description: string) =>
  Type.Optional(described(schema, description));

/** An object without other fields. */
export const exactly = <P extends TProperties>(fields: P, options: TObjectOptions = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options });

/** An object without other fields, which is a component of the reference with this name. */
export const component = <P extends TProperties>(
  title: string,
  fields: P,
  options: TObjectOptions = {},
) => exactly(fields, { title, ...options });

export const Uuid = Type.String({ format: 'uuid' });

export const Timestamp = Type.String({ format: 'date-time' });

export const Name = Type.String({ minLength: 1 });

export const Text = Type.String();

/** A transaction id in either spelling. The service that reads it checks it; the reference has the pattern. */
export const XactIdText = Type.String({
  documented: { pattern: '^([0-9]{1,20}|[0-9A-Fa-f]{16})$' },
});

export const Flag = Type.Boolean();

export const FiniteNumber = Type.Number();

export const Limit = Type.Integer({ minimum: 0 });

/** Whether the name is one of the IANA time zone database. The engine knows the same names. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  } catch {
    return false;
  }
  // Newer releases of Node.js take offsets, too.
  return /^[a-z]/i.test(name);
}

Format.Set('time-zone', isTimeZone);

export const TzOffset = Type.Union([
  Type.Integer({ minimum: -1440, maximum: 1440 }),
  Type.String({ format: 'time-zone', documented: { pattern: '^[A-Za-z][0-9A-Za-z_/+-]*$' } }),
]);
export const tzOffsetText =
  'Where days, weeks and other units start: minutes west of UTC, at most a day, or the name of a time zone, as `Europe/Berlin`, which also has the changes of its clocks.';

/** Matches every string. A key of `Type.String()` is `^.*$`, which does not match line breaks, so such values would not be validated. */
const AnyKey = Type.String({ pattern: anyKeyPattern });

/** An object with any keys and values that match `value`. */
export const recordOf = <S extends TSchema>(value: S, options: TObjectOptions = {}) =>
  Type.Record(AnyKey, value, options);

/** An object with any keys and any JSON values. */
export const AnyObject = recordOf(Type.Unknown());

/** Labels. */
export const Strings = Type.Array(Type.String(), atMost(limits.texts));
