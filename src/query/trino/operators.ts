// The operators by name, as the engine's: what is not in the table declines.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { piecesOf } from '../../text/pattern.js';
import type { BinaryOperator, ComparisonOperator } from '../syntax/ast.js';
import { comparisonSigns } from '../value/comparison.js';
import { utcTimestamp } from '../value/literal-value.js';
import { decline } from './statement.js';
import { timeLiteral } from './time.js';
import { as, nameOf, nullOf, valueOf, type TrinoValue } from './value.js';

type Operator = (left: TrinoValue, right: TrinoValue) => TrinoValue;

/** Infinity and NaN become NULL, but further arithmetic uses the unchecked number. */
export const calculated = (number: Sql): TrinoValue => ({
  ...valueOf('number', sql`CASE WHEN is_finite(${number}) THEN ${number} END`),
  unchecked: number,
});

export const operandOf = (value: TrinoValue): Sql => value.unchecked ?? as('number', value);

const arithmetic =
  (combine: (left: Sql, right: Sql) => Sql): Operator =>
  (left, right) =>
    calculated(combine(operandOf(left), operandOf(right)));

/** Both sides as one kind; null if they have different kinds, which are never equal. */
export function comparable(left: TrinoValue, right: TrinoValue): readonly [Sql, Sql] | null {
  if (left.kind === 'null' || right.kind === 'null') return null;
  if ([left, right].some(({ kind }) => kind === 'json' || kind === 'strings'))
    return decline(`a comparison of ${nameOf(left)} with ${nameOf(right)}`);
  if (left.kind === right.kind) return [left.sql, right.sql];
  if (left.kind !== 'timestamp' && right.kind !== 'timestamp') return null;
  const [a, b] = [timeOf(left), timeOf(right)];
  return a && b && [a, b];
}

/** The time that a value is, or that a constant in ISO 8601 spells; null for other kinds. */
function timeOf({ kind, sql: native, literal }: TrinoValue): Sql | null {
  if (kind === 'timestamp') return native;
  if (kind !== 'string') return null;
  if (typeof literal !== 'string') return decline('a comparison of a time with a string of a row');
  const text = utcTimestamp(literal);
  return text === null ? nullOf('timestamp') : timeLiteral(text);
}

const comparison =
  (operator: ComparisonOperator): Operator =>
  (left, right) => {
    const sides = comparable(left, right);
    const test = sides && sql`(${sides[0]} ${comparisonSigns[operator]} ${sides[1]})`;
    return valueOf('boolean', test ?? nullOf('boolean'));
  };

/** Null equals null, and the result is never NULL. */
function same(left: TrinoValue, right: TrinoValue): TrinoValue {
  const sides = comparable(left, right);
  const neither = sql`(${left.sql} IS NULL AND ${right.sql} IS NULL)`;
  if (sides === null) return valueOf('boolean', neither);
  return valueOf('boolean', sql`coalesce(${sides[0]} = ${sides[1]}, ${neither})`);
}

function includes(container: TrinoValue, { kind, literal, sql: element }: TrinoValue): TrinoValue {
  if (container.kind === 'json') return decline('includes of a whole JSON field');
  if (container.kind !== 'strings') return valueOf('boolean', nullOf('boolean'));
  if (kind !== 'string' || typeof literal !== 'string')
    return decline('includes of anything but a constant string');
  // An element that is NULL would make NULL of false.
  const found = sql`coalesce(contains(${container.sql}, ${element}), false)`;
  return valueOf('boolean', sql`CASE WHEN ${container.sql} IS NOT NULL THEN ${found} END`);
}

/** What the text of a number can have, beside a sign and digits. */
const inNumbers = /^[-+.\deE]*$/;

/**
 * The text that patterns search: a string as it is, any other JSON as it is stored. The text of a number depends on who prints it, so
 * the pattern must have something that no number has.
 */
function searched(value: TrinoValue, pieces: readonly string[]): Sql {
  if (value.kind !== 'json') return as('string', searchable(value));
  if (inNumbers.test(pieces.join('')))
    return decline('a pattern that may match a number, over a whole JSON field');
  const text = value.sql;
  const string = sql`WHEN '"' THEN json_extract_scalar(${text}, '$')`;
  const others = ['[', '{', 't', 'f'].map((first) => sql`WHEN ${first} THEN ${text}`);
  return sql`CASE substr(${text}, 1, 1) ${string} ${join(others, ' ')} ELSE CASE WHEN is_finite(TRY_CAST(${text} AS double)) THEN '' END END`;
}

const searchable = (value: TrinoValue): TrinoValue =>
  value.kind === 'string' || value.kind === 'null'
    ? value
    : decline(`a pattern over ${nameOf(value)}`);

const likeEscaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

function matches(text: Sql, pieces: readonly string[]): TrinoValue {
  const pattern = pieces.map(likeEscaped).join('%');
  return valueOf('boolean', sql`(${text} LIKE ${pattern} ESCAPE ${'\\'})`);
}

const patternOf = ({ literal }: TrinoValue): readonly string[] =>
  typeof literal === 'string'
    ? piecesOf(literal)
    : decline('a pattern that is not a constant string');

function like(value: TrinoValue, pattern: TrinoValue): TrinoValue {
  const pieces = patternOf(pattern);
  return matches(searched(value, pieces), pieces);
}

const upperCase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ\u212a\u017f';
const lowerCase = 'abcdefghijklmnopqrstuvwxyzks';

/** Letters beyond ASCII that match k and s without regard to case are the signs of Kelvin and the long s alone. */
function ilike(value: TrinoValue, pattern: TrinoValue): TrinoValue {
  const pieces = patternOf(pattern);
  if (/\P{ASCII}/u.test(pieces.join(''))) return decline('ilike with letters beyond ASCII');
  const text = sql`translate(${searched(value, pieces)}, ${upperCase}, ${lowerCase})`;
  const folded = pieces.map((piece) => piece.toLowerCase());
  return matches(text, folded.length === 1 ? ['', ...folded, ''] : folded);
}

export const operators: Partial<Record<BinaryOperator, Operator>> = {
  '+': arithmetic((a, b) => sql`(${a} + ${b})`),
  '-': arithmetic((a, b) => sql`(${a} - ${b})`),
  '*': arithmetic((a, b) => sql`(${a} * ${b})`),
  '/': arithmetic((a, b) => sql`(${a} / nullif(${b}, ${0}))`),
  '%': arithmetic((a, b) => sql`(${a} % nullif(${b}, ${0}))`),
  '=': comparison('='),
  '!=': comparison('!='),
  '<': comparison('<'),
  '<=': comparison('<='),
  '>': comparison('>'),
  '>=': comparison('>='),
  '<=>': same,
  includes,
  like,
  ilike,
};
