// Binds an expression that is used several times to a name. Otherwise the SQL could double with each level of nesting.
import { hash } from 'node:crypto';
import { contentOf, sql, word, type Sql } from '../../duckdb/sql.js';

const atoms = [/^\w+(\.\w+)?$/, /^"(?:[^"]|"")*"$/, /^TRY_CAST\("?\w+"? AS DOUBLE\)$/];

/** Whether the expression is a parameter, a column or about as simple, so that repeating it is cheap. */
export function isAtomic({ parts }: Sql): boolean {
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') return true;
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length < parts.length || texts.length > 4) return false;
  const text = texts.join('');
  return atoms.some((atom) => atom.test(text));
}

/** Equal expressions get equal names, so a name that shadows another one has the same value. */
const nameOf = (expression: Sql): Sql =>
  word(`v${hash('sha256', contentOf(expression)).slice(0, 12)}`);

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
export function bindOnce(expression: Sql, body: (name: Sql) => Sql): Sql {
  if (isAtomic(expression)) return body(expression);
  const name = nameOf(expression);
  const result = body(name);
  const mentions = result.parts.filter((part) => part === name.parts[0]).length;
  if (mentions <= 1) return body(expression);
  return sql`list_transform([${expression}], lambda ${name}: ${result})[1]`;
}
