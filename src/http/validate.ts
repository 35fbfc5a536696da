// Validates values against compiled schemas, with errors of one sentence that name the path.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { badRequest } from '../errors.js';
import { tooMany } from '../schema/limits.js';
import { describeSchema, describeValue } from './describe-schema.js';

/** The nouns for a value and its parts in error messages. */
export interface Nouns {
  /** The value itself, for example "request body". */
  readonly whole: string;
  /** A part of it, for example "field". */
  readonly part: string;
}

type Compiled = ReturnType<typeof Compile<TSchema>>;

/** Throws RequestError 400 unless the value is valid. */
export type Validator = (value: unknown) => void;

const segmentsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `/filters/0/type` as `filters[0].type`. */
const spellPath = (pointer: string): string =>
  segmentsOf(pointer)
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`))
    .join('')
    .replace(/^\./, '');

const follow = (value: unknown, pointer: string): unknown =>
  segmentsOf(pointer).reduce<unknown>(
    (inner, segment) => (inner as Record<string, unknown> | undefined)?.[segment],
    value,
  );

/** The depth of the error. A missing or unknown field is one level below its object. */
const depth = ({ keyword, instancePath }: TLocalizedValidationError) =>
  segmentsOf(instancePath).length +
  (keyword === 'additionalProperties' || keyword === 'required' ? 1 : 0);

/** Whether an array has too many elements, which is more specific than the errors of enclosing schemas. */
const isOverfull = ({ keyword }: TLocalizedValidationError) =>
  keyword === 'maxItems' || keyword === 'maxProperties';

/** Selects the error to report: the deepest one and, at the same path, the last, which is about the whole value. */
function mainError(errors: readonly TLocalizedValidationError[]) {
  const overfull = errors.find(isOverfull);
  if (overfull !== undefined) return overfull;
  const shown = errors.filter(({ keyword }) => keyword !== 'boolean');
  // The library stops after a few errors. With many unknown fields, it reports an error for each of some, and none for their object.
  if (shown.length === 0) return errors[0];
  const deepest = Math.max(...shown.map(depth));
  const candidates = shown.filter((error) => depth(error) === deepest);
  return candidates.findLast(({ instancePath }) => instancePath === candidates[0]?.instancePath);
}

function explain(
  schema: TSchema,
  value: unknown,
  error: TLocalizedValidationError,
  nouns: Nouns,
): string {
  const path = spellPath(error.instancePath);
  const fieldPath = (inner: string) => (inner === '' ? `the ${nouns.whole}` : inner);
  const inside = fieldPath(path);
  const unknown = (name: unknown, where: string) =>
    `unknown ${nouns.part} ${describeValue(name)} in ${where}`;
  if (error.keyword === 'boolean') {
    const end = error.instancePath.lastIndexOf('/');
    const [name] = segmentsOf(error.instancePath.slice(end));
    return unknown(name, fieldPath(spellPath(error.instancePath.slice(0, end))));
  }
  if (error.keyword === 'additionalProperties')
    return unknown(error.params.additionalProperties[0], inside);
  if (error.keyword === 'required') {
    const [name] = error.params.requiredProperties;
    return `${nouns.part} ${JSON.stringify(name)} is missing in ${inside}`;
  }
  if (error.keyword === 'maxItems' || error.keyword === 'maxProperties') {
    const parts = Object.keys(follow(value, error.instancePath) as object);
    return `${path}: ${tooMany(error.params.limit, parts.length)}`;
  }
  const expected = describeSchema(follow(schema, error.schemaPath) as TSchema);
  const got = describeValue(follow(value, error.instancePath));
  return `${path === '' ? nouns.whole : path}: expected ${expected}, got ${got}`;
}

/** Compiles the schema on first use: compiling all schemas at the start takes 0.25 s. */
export function compileValidator(schema: TSchema, nouns: Nouns): Validator {
  let compiled: Compiled | undefined;
  return (value) => {
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return;
    const error = mainError(compiled.Errors(value));
    throw badRequest(
      error === undefined
        ? `${nouns.whole}: expected ${describeSchema(schema)}`
        : explain(schema, value, error, nouns),
    );
  };
}
