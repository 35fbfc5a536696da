// JSON values from schemas, and what happens to them on the way to becoming an attack.
import * as fc from 'fast-check';
import { Type, type TObject, type TSchema } from 'typebox';
import { oddText } from './odd-text.js';

/** Strings that mean something to this server: ids, cursors, versions, sources. */
export type KnownText = fc.Arbitrary<string>;

const oddNumber = fc.constantFrom(
  0,
  -0,
  1,
  -1,
  0.1,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e300,
  -1e308,
  5e-324,
);

const scalar = (known: KnownText): fc.Arbitrary<unknown> =>
  fc.oneof(oddText, known, oddNumber, fc.boolean(), fc.constant(null));

/** A small tree of odd values under odd names. */
const anyJson = (known: KnownText): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      scalar(known),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(oddText, tie('value')), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  })).value;

function objectOf(schema: TObject, known: KnownText): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties).map(
    ([name, property]) => [name, arbitraryOf(property, known)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}

/** Values that mostly fit the schema. */
export function arbitraryOf(schema: TSchema, known: KnownText): fc.Arbitrary<unknown> {
  if (Type.IsUnion(schema))
    return fc.oneof(...schema.anyOf.map((each: TSchema) => arbitraryOf(each, known)));
  if (Type.IsLiteral(schema)) return fc.constant(schema.const);
  if (Type.IsString(schema))
    return 'format' in schema ? known : fc.oneof({ weight: 2, arbitrary: known }, oddText);
  if (Type.IsInteger(schema)) return fc.oneof(fc.nat(20), oddNumber);
  if (Type.IsNumber(schema)) return fc.oneof(fc.double({ noNaN: true }), oddNumber);
  if (Type.IsBoolean(schema)) return fc.boolean();
  if (Type.IsNull(schema)) return fc.constant(null);
  if (Type.IsArray(schema)) return fc.array(arbitraryOf(schema.items, known), { maxLength: 4 });
  if (Type.IsObject(schema)) return objectOf(schema, known);
  if (Type.IsRecord(schema)) return recordOf(schema, known);
  return anyJson(known);
}

function recordOf(schema: TSchema, known: KnownText): fc.Arbitrary<unknown> {
  const [inner] = Object.values((schema as { patternProperties: object }).patternProperties);
  return fc
    .array(fc.tuple(fc.oneof(known, oddText), arbitraryOf(inner as TSchema, known)), {
      maxLength: 3,
    })
    .map((entries) => Object.fromEntries(entries));
}

interface Change {
  readonly kind: 'replace' | 'repeat' | 'add' | 'nest';
  /** Which of the values below the root, in the order of a walk. */
  readonly at: number;
  readonly name: string;
  readonly value: unknown;
  readonly times: number;
}

/** What is done to a value that was valid. */
export const change = (known: KnownText): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constantFrom('replace', 'repeat', 'add', 'nest'),
    at: fc.nat(60),
    name: oddText,
    value: anyJson(known),
    times: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(1, 2, 5) },
      { weight: 3, arbitrary: fc.constantFrom(100, 1100) },
      { weight: 1, arbitrary: fc.constantFrom(12_000, 150_000) },
    ),
  });

function nested(value: unknown, depth: number): unknown {
  let result = value;
  for (let level = 0; level < Math.min(depth, 1200); level++)
    result = level % 2 === 0 ? [result] : { a: result };
  return result;
}

/** Texts of many megabytes would measure the client. */
const textLengthMax = 3_000_000;

function repeated(value: unknown, times: number): readonly unknown[] {
  const length = Math.min(times, Math.ceil(textLengthMax / JSON.stringify(value).length));
  return Array.from({ length }, () => value);
}

function changeHere(value: unknown, { kind, name, value: other, times }: Change): unknown {
  if (kind === 'nest') return nested(value, times);
  if (kind === 'repeat' && Array.isArray(value) && value.length > 0)
    return [...repeated(value[0], times), ...(value as unknown[])];
  if (kind === 'repeat') return repeated(other, times);
  if (kind === 'add' && typeof value === 'object' && value !== null && !Array.isArray(value))
    return { ...value, ...Object.fromEntries([[name, other]]) };
  return other;
}

/** The value with the change made at one place in it. */
export function changed(root: unknown, made: Change): unknown {
  let left = made.at;
  const walk = (value: unknown): unknown => {
    if (left-- === 0) return changeHere(value, made);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  const result = walk(root);
  return left >= 0 ? changeHere(result, made) : result;
}
