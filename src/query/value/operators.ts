// The operators by name.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { BinaryOperator } from '../syntax/ast.js';
import { compare, includes, same } from './comparison.js';
import { calculated, operandOf } from './finite.js';
import { ilike, like, match } from './pattern.js';
import { nullIf } from './share.js';
import { shiftedTimestamp } from './time.js';
import { nullOf, presence, scalarKind, scalarValue, type Value } from './value.js';

type Operator = (left: Value, right: Value) => Value;

const arithmetic =
  (combine: (left: Sql, right: Sql) => Sql): Operator =>
  (left, right) =>
    calculated(combine(operandOf(left), operandOf(right)));

const separators = { and: ' AND ', or: ' OR ' } as const;

export function logical(operator: keyof typeof separators, operands: readonly Value[]): Value {
  const tests = operands.map((operand) => operand.form('boolean'));
  return scalarValue('boolean', sql`(${join(tests, separators[operator])})`);
}

const isInterval = (value: Value): boolean => scalarKind(value) === 'interval';

/** Adds or subtracts an interval and a timestamp, or two numbers. */
function plus(left: Value, right: Value): Value {
  if (isInterval(left) && !isInterval(right)) return plus(right, left);
  if (!isInterval(right)) return arithmetic((a, b) => sql`(${a} + ${b})`)(left, right);
  return shifted(left, sql`+`, right);
}

function minus(left: Value, right: Value): Value {
  if (!isInterval(right)) return arithmetic((a, b) => sql`(${a} - ${b})`)(left, right);
  return shifted(left, sql`-`, right);
}

function shifted(moment: Value, operator: Sql, interval: Value): Value {
  if (isInterval(moment)) return scalarValue('interval', nullOf('interval'));
  return scalarValue(
    'timestamp',
    shiftedTimestamp(moment.form('timestamp'), operator, interval.form('interval')),
  );
}

export const binaryOperators = {
  '+': plus,
  '-': minus,
  '*': arithmetic((a, b) => sql`(${a} * ${b})`),
  '/': arithmetic((a, b) => sql`(${a} / ${nullIf(b, sql`0`)})`),
  '%': arithmetic((a, b) => sql`(${a} % ${nullIf(b, sql`0`)})`),
  '=': (left, right) => compare('=', left, right),
  '!=': (left, right) => compare('!=', left, right),
  '<=>': same,
  '<': (left, right) => compare('<', left, right),
  '<=': (left, right) => compare('<=', left, right),
  '>': (left, right) => compare('>', left, right),
  '>=': (left, right) => compare('>=', left, right),
  includes,
  like,
  ilike,
  match,
} as const satisfies Record<Exclude<BinaryOperator, keyof typeof separators>, Operator>;

export const not = (value: Value): Value =>
  scalarValue('boolean', sql`(NOT ${value.form('boolean')})`);

export const negate = (value: Value): Value => calculated(sql`(-${operandOf(value)})`);

export const isNull = (value: Value): Value =>
  scalarValue('boolean', sql`(${presence(value)} IS NULL)`);
