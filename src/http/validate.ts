// Checks values against schemas that are compiled once, and says in one sentence what is wrong where.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { badRequest } from '../errors.js';
import { tooMany } from '../schema/limits.js';
import { describeSchema, describeValue } from './schema-words.js';

/** Words for a value that is checked as a whole. */
export interface Place {
  /** The value itself: "request body". */
  readonly whole: string;
  /** One of its parts: "field". */
  readonly part: string;
}

/** Throws a RequestError 400 unless the value fits. */
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

/** How deep the mistake is: a missing or unknown field lies one below the object that is complained about. */
const depth = ({ keyword, instancePath }: TLocalizedValidationError) =>
  segmentsOf(instancePath).length +
  (keyword === 'additionalProperties' || keyword === 'required' ? 1 : 0);

/** Has more parts than its schema allows, which says more than what the schemas around it complain about. */
const isOverfull = ({ keyword }: TLocalizedValidationError) =>
  keyword === 'maxItems' || keyword === 'maxProperties';

/** Of all complaints the deepest is nearest to the mistake; at one place the last is about the whole of it. */
function mainError(errors: readonly TLocalizedValidationError[]) {
  const overfull = errors.find(isOverfull);
  if (overfull !== undefined) return overfull;
  const shown = errors.filter(({ keyword }) => keyword !== 'boolean');
  const deepest = Math.max(...shown.map(depth));
  const candidates = shown.filter((error) => depth(error) === deepest);
  return candidates.findLast(({ instancePath }) => instancePath === candidates[0]?.instancePath);
}

function explain(
  schema: TSchema,
  value: unknown,
  error: TLocalizedValidationError,
  place: Place,
): string {
  const path = spellPath(error.instancePath);
  const inside = path === '' ? `the ${place.whole}` : path;
  if (error.keyword === 'additionalProperties') {
    const [name] = error.params.additionalProperties;
    return `unknown ${place.part} ${describeValue(name)} in ${inside}`;
  }
  if (error.keyword === 'required') {
    const [name] = error.params.requiredProperties;
    return `${place.part} ${JSON.stringify(name)} is missing in ${inside}`;
  }
  if (error.keyword === 'maxItems' || error.keyword === 'maxProperties') {
    const parts = Object.keys(follow(value, error.instancePath) as object);
    return `${path}: ${tooMany(error.params.limit, parts.length)}`;
  }
  const expected = describeSchema(follow(schema, error.schemaPath) as TSchema);
  const got = describeValue(follow(value, error.instancePath));
  return `${path === '' ? place.whole : path}: expected ${expected}, got ${got}`;
}

export function compileValidator(schema: TSchema, place: Place): Validator {
  const compiled = Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return;
    const error = mainError(compiled.Errors(value));
    throw badRequest(
      error === undefined
        ? `${place.whole}: expected ${describeSchema(schema)}`
        : explain(schema, value, error, place),
    );
  };
}
