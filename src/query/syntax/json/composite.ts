// Reads the nodes of a JSON query that have several operands: logical operators, lists, conditions and intervals.
import { intervalUnits, type Expr, type LiteralValue } from '../ast.js';
import { limits } from '../limits.js';
import type { Read } from './call.js';
import {
  checkMembers,
  choiceOf,
  elementsOf,
  fail,
  integerOf,
  memberAt,
  placeOf,
  requiredAt,
  type JsonPart,
} from './node.js';

/** `depth` is the number of enclosing expressions. */
export type ReadAt = (part: JsonPart, depth: number) => Expr;

export const anExpression = 'an expression such as {"op": "ident", "name": ["id"]}';

/** The operands are `left`, `right` and `children`, in this order. Without operands, `and` is true and `or` is false. */
export function readLogical(part: JsonPart, operator: 'and' | 'or', read: Read): Expr {
  const children = memberAt(part, 'children');
  const parts = [
    ...[memberAt(part, 'left'), memberAt(part, 'right')].filter((side) => side !== null),
    ...(children === null ? [] : elementsOf(children, 'an array of expressions')),
  ];
  if (parts.length > limits.operatorsInARow + 1)
    fail(part, `more than ${limits.operatorsInARow} operators in a row: test long lists with "in"`);
  const at = placeOf(part);
  return parts.length === 0
    ? { kind: 'literal', value: operator === 'and', at }
    : parts
        .map((child) => read(child))
        .reduce((left, right) => ({ kind: 'binary', operator, left, right, at }));
}

export function readIn(part: JsonPart, read: Read): Expr {
  const right = requiredAt(part, 'right', 'a literal whose value is an array');
  const list = read(right);
  if (list.kind !== 'literal' || !Array.isArray(list.value))
    fail(right, 'expected a literal whose value is an array');
  const elements = (list.value as readonly LiteralValue[]).map((value): Expr => ({
    kind: 'literal',
    value,
    at: placeOf(right),
  }));
  if (elements.length > limits.listElements)
    fail(
      right,
      `more than ${limits.listElements} elements in a list of "in": request fewer at a time`,
    );
  return {
    kind: 'in',
    operand: read(requiredAt(part, 'left', anExpression)),
    list: elements,
    at: placeOf(part),
  };
}

/** @param depth the number of enclosing expressions; each condition encloses the next */
export function readConditions(part: JsonPart, depth: number, read: ReadAt): Expr {
  const conditions = elementsOf(
    requiredAt(part, 'conds', 'an array of {"cond": …, "then": …}'),
    'an array of {"cond": …, "then": …}',
  );
  if (depth + conditions.length > limits.nesting)
    fail(part, `the conditions are nested deeper than ${limits.nesting} levels`);
  const otherwise = memberAt(part, 'else');
  const last: Expr =
    otherwise === null
      ? { kind: 'literal', value: null, at: placeOf(part) }
      : read(otherwise, depth + conditions.length);
  return conditions.reduceRight((rest: Expr, each, index): Expr => {
    checkMembers(each, ['cond', 'then'], '{"cond": …, "then": …}');
    const level = depth + index;
    const condition = read(requiredAt(each, 'cond', anExpression), level);
    const whenTrue = read(requiredAt(each, 'then', anExpression), level);
    return { kind: 'conditional', condition, whenTrue, otherwise: rest, at: placeOf(each) };
  }, last);
}

export function readInterval(part: JsonPart): Expr {
  const count = integerOf(requiredAt(part, 'value', 'an integer'), 0);
  if (count > 1e9) fail(part, 'an interval has at most 1000000000 of its units');
  const unit = choiceOf(requiredAt(part, 'unit', 'the unit of the interval'), intervalUnits);
  return { kind: 'interval', count, unit, at: placeOf(part) };
}
