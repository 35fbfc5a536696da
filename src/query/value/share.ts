// Binds an expression that is used several times to a name. Otherwise the SQL would double with each level of nesting.
import { hash } from 'node:crypto';
import { contentOf, sql, word, type Sql } from '../../duckdb/sql.js';

const atoms = [/^\w+(\.\w+)?$/, /^"(?:[^"]|"")*"$/, /^TRY_CAST\("?\w+"? AS DOUBLE\)$/];

/** A parameter, a column or little more: repeating it costs next to nothing. */
export function isAtomic({ parts }: Sql): boolean {
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') return true;
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length < parts.length || texts.length > 4) return false;
  const text = texts.join('');
  return atoms.some((atom) => atom.test(text));
}

/** Equal expressions have equal names, so that a name that hides another one hides the same value. */
const nameOf = (expression: Sql): Sql =>
  word(`v${hash('sha256', contentOf(expression)).slice(0, 12)}`);

/** A few copies of small expressions cost less than a list. */
const isNested = ({ parts }: Sql): boolean =>
  parts.filter((part) => typeof part === 'string' && /nullif\(|list_filter\(/.test(part)).length >
  1;

/**
 * The expression, NULL where it equals `other`. The engine's own `nullif` becomes a CASE that holds its operand
 * twice, so nested ones would take twice as long to plan with every level.
 */
export const nullIf = (expression: Sql, other: Sql): Sql =>
  isNested(expression)
    ? sql`list_filter([${expression}], lambda n: n <> ${other})[1]`
    : sql`nullif(${expression}, ${other})`;

/** The SQL that `body` makes of the expression, in which it is computed once. */
export function bindOnce(expression: Sql, body: (name: Sql) => Sql): Sql {
  if (isAtomic(expression)) return body(expression);
  const name = nameOf(expression);
  const result = body(name);
  const mentions = result.parts.filter((part) => part === name.parts[0]).length;
  if (mentions <= 1) return body(expression);
  return sql`list_transform([${expression}], lambda ${name}: ${result})[1]`;
}
