// Binds an expression that is used several times to a name. Otherwise the SQL could double with each level of nesting.
import { hash } from 'node:crypto';
import { contentOf, join, numbered, sql, withWords, word, type Sql } from '../../duckdb/sql.js';

const atoms = [
  /^\w+(\.\w+)?$/,
  /^"(?:[^"]|"")*"$/,
  /^ltrim\(\w+(\.\w+)?, 'T'\)$/,
  /^TRY_CAST\((?:"\w+"|\w+(?:\.\w+)?) AS DOUBLE\)$/,
];

/** Whether the expression is a parameter, a column or about as simple, so that repeating it is cheap. */
export function isAtomic({ parts }: Sql): boolean {
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') return true;
  if (parts.length > 4) return false;
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length < parts.length) return false;
  const text = texts.join('');
  return atoms.some((atom) => atom.test(text));
}

/** Whether the expression is a parameter or a cast or call of one. */
export const isConstant = ({ parts }: Sql): boolean =>
  parts.length <= 3 && parts.some((part) => typeof part === 'object');

/** Equal expressions get equal names, so a name that shadows another one has the same value. */
const nameOf = (expressions: readonly Sql[]): string =>
  `v${hash('sha256', contentOf(join(expressions))).slice(0, 12)}`;

/** Whether copies of the expression would cost more than a list. */
const isNested = ({ parts }: Sql): boolean =>
  parts.filter((part) => typeof part === 'string' && /nullif\(|list_filter\(/.test(part)).length >
  1;

/**
 * `nullif(expression, other)`. The engine rewrites its `nullif` to a CASE with two copies of the operand, so planning time doubles
 * with each level of nesting.
 */
export const nullIf = (expression: Sql, other: Sql): Sql =>
  isNested(expression)
    ? sql`list_filter([${expression}], lambda n: n <> ${other})[1]`
    : sql`nullif(${expression}, ${other})`;

/** Returns the SQL of `body`, in which the expression is computed once. */
export const bindOnce = (expression: Sql, body: (name: Sql) => Sql): Sql =>
  bindAll([expression], ([name = expression]) => body(name));

/**
 * Returns the SQL of `body`, in which each expression is computed once. They are bound side by side in one list: the engine's
 * planning time doubles with each level of a lambda in the body of another one, but not with levels of lists.
 */
export function bindAll(expressions: readonly Sql[], body: (names: readonly Sql[]) => Sql): Sql {
  const bound = [...new Set(expressions.filter((each) => !isAtomic(each)))];
  if (bound.length === 0) return body(expressions);
  const isOne = bound.length === 1;
  const parameter = nameOf(bound);
  const names = bound.map((_, index) => (isOne ? parameter : `${parameter}.e${index}`));
  const words = new Map(bound.map((each, index) => [each, word(names[index]!)]));
  const result = body(expressions.map((each) => words.get(each) ?? each));
  const once = withWords(result, new Map(bound.map((each, index) => [names[index]!, each])));
  if (once !== null) return once;
  const fields = bound.map((each, index) => sql`${numbered('e', index)}: ${each}`);
  const element = isOne ? join(bound) : sql`{${join(fields)}}`;
  return sql`list_transform([${element}], lambda ${word(parameter)}: ${result})[1]`;
}
