// Bound expressions as values of Trino: what is not in the table of nodes declines.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { BoundExpr } from '../bound/bound-query.js';
import { operandsOf } from '../bound/operands.js';
import type { LiteralValue, Step } from '../syntax/ast.js';
import type { QueryContext } from '../value/time.js';
import { functions } from './functions.js';
import { calculated, comparable, operandOf, operators } from './operators.js';
import { decline } from './statement.js';
import { moved } from './time.js';
import { alike, as, nullOf, nullValue, scalar, valueOf, type TrinoValue } from './value.js';

/** The values of the leaves of an expression: fields in rows, keys and results in groups. */
export interface Scope {
  readonly context: QueryContext;
  field(name: string, steps: readonly Step[]): TrinoValue;
  key(index: number): TrinoValue;
  result(index: number): TrinoValue;
}

type Node<K extends BoundExpr['kind']> = Extract<BoundExpr, { readonly kind: K }>;

type Nodes = {
  readonly [K in BoundExpr['kind']]?: (node: Node<K>, scope: Scope) => TrinoValue;
};

/** Texts are repeated in a row of functions and arithmetic. */
const partsMax = 20_000;

export function evaluate(expression: BoundExpr, scope: Scope): TrinoValue {
  const rule = nodes[expression.kind] as
    ((node: BoundExpr, scope: Scope) => TrinoValue) | undefined;
  if (rule === undefined) return decline(declinedNodes[expression.kind] ?? expression.kind);
  const value = rule(expression, scope);
  return value.sql.parts.length > partsMax ? decline('an expression of many parts') : value;
}

const declinedNodes: Partial<Record<BoundExpr['kind'], string>> = {
  interval: 'an interval that is not added to a time',
  member: 'unpivot',
  extract: 'a part of a computed value',
  anySpan: 'a condition on traces',
};

function literal(value: LiteralValue): TrinoValue {
  if (value === null) return nullValue;
  if (typeof value === 'boolean') return { ...valueOf('boolean', sql`${value}`), literal: value };
  if (typeof value === 'number') return { ...valueOf('number', sql`${value}`), literal: value };
  if (typeof value === 'string') return { ...valueOf('string', sql`${value}`), literal: value };
  return decline('a constant array or object');
}

const separators = { and: ' AND ', or: ' OR ' } as const;

const nodes: Nodes = {
  literal: ({ value }) => literal(value),
  field: ({ field, steps }, scope) => scope.field(field, steps),
  key: ({ index }, scope) => scope.key(index),
  result: ({ index }, scope) => scope.result(index),
  call: ({ name, args }, scope) =>
    (functions[name] ?? decline(`the function ${name}`))(
      args.map((arg) => evaluate(arg, scope)),
      scope.context,
    ),
  unary: ({ operator, operand }, scope) => {
    const value = evaluate(operand, scope);
    return operator === 'not'
      ? valueOf('boolean', sql`(NOT ${as('boolean', value)})`)
      : calculated(sql`(-${operandOf(value)})`);
  },
  binary: (node, scope) => {
    const { operator, left, right } = node;
    const value = (operand: BoundExpr) => evaluate(operand, scope);
    if (operator === 'and' || operator === 'or') {
      const tests = operandsOf(node, operator).map((each) => as('boolean', value(each)));
      return valueOf('boolean', sql`(${join(tests, separators[operator])})`);
    }
    if (operator === '+' && left.kind === 'interval') return moved(value(right), 1, left);
    if ((operator === '+' || operator === '-') && right.kind === 'interval')
      return moved(value(left), operator === '+' ? 1 : -1, right);
    return (operators[operator] ?? decline(`the operator ${operator}`))(value(left), value(right));
  },
  in: ({ operand, list }, scope) => {
    const value = scalar(evaluate(operand, scope), 'with in');
    return valueOf(
      'boolean',
      isIn(
        value,
        list.map((each) => evaluate(each, scope)),
      ),
    );
  },
  isNull: ({ operand }, scope) =>
    valueOf('boolean', sql`(${evaluate(operand, scope).sql} IS NULL)`),
  conditional: ({ condition, whenTrue, otherwise }, scope) => {
    const test = as('boolean', evaluate(condition, scope));
    const { kind, parts } = alike([whenTrue, otherwise].map((each) => evaluate(each, scope)));
    const [yes = nullOf(kind), no = nullOf(kind)] = parts;
    return valueOf(kind, sql`CASE WHEN ${test} THEN ${yes} ELSE ${no} END`);
  },
};

/** An element of another kind is not in the value; null makes NULL of false, as everywhere in SQL. */
function isIn(value: TrinoValue, elements: readonly TrinoValue[]): Sql {
  if (elements.length === 0) return sql`false`;
  if (elements.some((element) => element.literal === undefined))
    return decline('in with anything but constants');
  if (value.kind === 'null') return nullOf('boolean');
  const found = elements.flatMap((element) => comparable(value, element)?.slice(1) ?? []);
  const hasNull = elements.some(({ kind }) => kind === 'null');
  const test =
    found.length === 0 ? sql`false` : sql`coalesce(${value.sql} IN (${join(found)}), false)`;
  const orNull = hasNull ? sql`(${test} OR ${nullOf('boolean')})` : test;
  return sql`CASE WHEN ${value.sql} IS NOT NULL THEN ${orNull} END`;
}
