// What the schemas of the interface say of an answer, for every answer that a test gets.
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { operations } from '../../src/http/operations.js';

/** Bodies above it are left alone: reading them twice would slow the tests of large bodies. */
const checkedLengthMax = 1_000_000;

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly schema: TSchema;
}

/** A segment that is named comes before an id. */
const byPlace = operations.toSorted(
  (a, b) => Number(a.path.includes('/:')) - Number(b.path.includes('/:')),
);

const routes: readonly Route[] = byPlace.flatMap(({ method, path, about }) => {
  const schema = about.answers['application/json'];
  const pattern = new RegExp(`^${path.replace(/:\w+/, '[^/]+')}$`);
  return schema === undefined ? [] : [{ method: method.toUpperCase(), pattern, schema }];
});

const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/**
 * @param text the body of a 200
 * @throws when it is not what the reference says
 */
export function checkAnswer(method: string, path: string, type: string, text: string): void {
  if (!type.startsWith('application/json') || text.length > checkedLengthMax) return;
  const pathname = path.replace(/\?.*$/s, '');
  const route = routes.find(
    (candidate) => candidate.method === method && candidate.pattern.test(pathname),
  );
  if (route === undefined) return;
  const validator = validatorOf(route.schema);
  const body: unknown = JSON.parse(text);
  if (validator.Check(body)) return;
  const errors = validator.Errors(body).map(({ instancePath, message }) => [instancePath, message]);
  throw new Error(
    `${method} ${path}: the answer does not fit its schema: ${JSON.stringify(errors)} ${text.slice(0, 2000)}`,
  );
}
