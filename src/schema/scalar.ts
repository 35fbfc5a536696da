// The small schemas that all others are made of.
import { Type, type TObjectOptions, type TSchema } from 'typebox';
import { Memory } from 'typebox/system';
import { atMost, limits } from './limits.js';

/** The keyword `patternProperties` of `recordOf` has it alone. */
export const anyKeyPattern = '';

/** The same schema with what the reference says of the field that it is for. */
export const described = <S extends TSchema>(schema: S, description: string): S =>
  Memory.Update(schema, {}, { description });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** A field that may be left out and may be null, which then means the same. */
export const optional = <S extends TSchema>(schema: S, description?: string) =>
  Type.Optional(
    description === undefined ? nullable(schema) : described(nullable(schema), description),
  );

/** An object that takes no other fields. */
export const closed = { additionalProperties: false } as const;

export const Uuid = Type.String({ format: 'uuid' });

export const Timestamp = Type.String({ format: 'date-time' });

export const Name = Type.String({ minLength: 1 });

export const Text = Type.String();

export const Flag = Type.Boolean();

export const FiniteNumber = Type.Number();

export const Limit = Type.Integer({ minimum: 0 });

/** Every string. `Type.String()` as a key stands for `^.*$`, which no key with a line break fits: its value would go unchecked. */
const AnyKey = Type.String({ pattern: anyKeyPattern });

/** An object with any keys whose values fit `value`. */
export const recordOf = <S extends TSchema>(value: S, options: TObjectOptions = {}) =>
  Type.Record(AnyKey, value, options);

/** An object with any keys and any JSON values. */
export const AnyObject = recordOf(Type.Unknown());

/** Labels. */
export const Strings = Type.Array(Type.String(), atMost(limits.texts));
