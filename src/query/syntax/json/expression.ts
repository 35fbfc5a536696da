// JSON nodes of expressions to AST: one entry of a table for each `op`. Names and constants are data: no text is made of them.
import { doubleOf, isJsonObject, memberOf } from '../../../json/tree.js';
import type { JsonObject } from '../../../json/json.js';
import {
  intervalUnits,
  type BinaryOperator,
  type Expr,
  type LiteralValue,
  type Position,
  type Step,
} from '../ast.js';
import { limits } from '../limits.js';
import { negated } from '../negated.js';
import { sameValue } from '../same-value.js';
import { parseExpression } from '../parse.js';
import { didYouMean } from '../suggest.js';
import { literalOf } from './literal.js';
import {
  checkMembers,
  choiceOf,
  describeJson,
  elementsOf,
  fail,
  integerOf,
  memberAt,
  placeOf,
  requiredAt,
  stringOf,
  type JsonPart,
} from './node.js';

interface NodeReader {
  readonly members: readonly string[];
  readonly read: (node: JsonPart, depth: number) => Expr;
}

const node = (members: readonly string[], read: NodeReader['read']): NodeReader => ({
  members: ['op', ...members],
  read,
});

const anExpression = 'an expression such as {"op": "ident", "name": ["id"]}';

/** @param depth how many expressions are around it */
export function expressionOf(part: JsonPart, depth = 0): Expr {
  if (depth > limits.nesting)
    fail(part, `the expression is nested deeper than ${limits.nesting} levels`);
  const { value } = part;
  if (!isJsonObject(value)) fail(part, `expected ${anExpression}, got ${describeJson(value)}`);
  if (isText(value)) return readText(part);
  const op = memberAt(part, 'op') ?? fail(part, `expected ${anExpression}: "op" is missing`);
  const name = stringOf(op, 'the name of an operation');
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader === undefined)
    fail(
      op,
      Object.hasOwn(misplaced, name)
        ? (misplaced[name] ?? '')
        : `unknown operation ${describeJson(name)}${didYouMean(name, Object.keys(readers))}`,
    );
  checkMembers(part, reader.members, 'an expression');
  return reader.read(part, depth + 1);
}

/** Nodes that are no values. */
const misplaced: Readonly<Record<string, string>> = {
  star: 'a star stands in "select", and as the argument of count',
};

const isText = (value: JsonObject): boolean => {
  const text = memberOf(value, 'btql');
  return text !== undefined && text !== null;
};

/** Text of the language inside the JSON. */
function readText(part: JsonPart): Expr {
  checkMembers(part, ['btql', 'op'], 'an expression');
  const op = memberAt(part, 'op');
  if (op !== null) choiceOf(op, ['btql']);
  const text = requiredAt(part, 'btql', 'the text of an expression');
  return parseExpression(stringOf(text, 'the text of an expression'), text.path);
}

const operand = (part: JsonPart, name: string, depth: number): Expr =>
  expressionOf(requiredAt(part, name, anExpression), depth);

const binary = (operator: BinaryOperator): NodeReader =>
  node(['left', 'right'], (part, depth) => ({
    kind: 'binary',
    operator,
    left: operand(part, 'left', depth),
    right: operand(part, 'right', depth),
    at: placeOf(part),
  }));

/** `left`, `right` and `children` in this order; without any of them it is `empty`. */
const logical = (operator: 'and' | 'or', empty: boolean): NodeReader =>
  node(['left', 'right', 'children'], (part, depth) => {
    const children = memberAt(part, 'children');
    const parts = [
      ...[memberAt(part, 'left'), memberAt(part, 'right')].filter((side) => side !== null),
      ...(children === null ? [] : elementsOf(children, 'an array of expressions')),
    ];
    if (parts.length > limits.operatorsInARow + 1)
      fail(
        part,
        `more than ${limits.operatorsInARow} operators in a row: test long lists with "in"`,
      );
    const at = placeOf(part);
    return parts.length === 0
      ? { kind: 'literal', value: empty, at }
      : parts
          .map((child) => expressionOf(child, depth))
          .reduce((left, right) => ({ kind: 'binary', operator, left, right, at }));
  });

const ofOne = (build: (operand: Expr, at: Position) => Expr): NodeReader =>
  node(['expr'], (part, depth) => build(operand(part, 'expr', depth), placeOf(part)));

const not = (operand: Expr): Expr => ({ kind: 'unary', operator: 'not', operand, at: operand.at });

function readIn(part: JsonPart, depth: number): Expr {
  const right = requiredAt(part, 'right', 'a literal whose value is an array');
  const list = expressionOf(right, depth);
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
      `more than ${limits.listElements} elements in a list of "in": ask for fewer at a time`,
    );
  return { kind: 'in', operand: operand(part, 'left', depth), list: elements, at: placeOf(part) };
}

function readConditions(part: JsonPart, depth: number): Expr {
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
      : expressionOf(otherwise, depth + conditions.length);
  return conditions.reduceRight((rest: Expr, each, index): Expr => {
    checkMembers(each, ['cond', 'then'], '{"cond": …, "then": …}');
    const level = depth + index;
    const condition = operand(each, 'cond', level);
    const whenTrue = operand(each, 'then', level);
    return { kind: 'conditional', condition, whenTrue, otherwise: rest, at: placeOf(each) };
  }, last);
}

function readInterval(part: JsonPart): Expr {
  const count = integerOf(requiredAt(part, 'value', 'an integer'), 0);
  if (count > 1e9) fail(part, 'an interval has at most 1000000000 of its units');
  const unit = choiceOf(requiredAt(part, 'unit', 'the unit of the interval'), intervalUnits);
  return { kind: 'interval', count, unit, at: placeOf(part) };
}

/** The steps of an `ident`. */
export function stepsOf(part: JsonPart): readonly [string, ...Step[]] {
  const name = requiredAt(part, 'name', 'an array of names and indexes');
  const [first, ...steps] = elementsOf(name, 'an array of names and indexes');
  if (first === undefined) fail(name, 'expected at least one name');
  if (steps.length > limits.pathSteps)
    fail(name, `a path has more than ${limits.pathSteps} parts below its field`);
  return [stringOf(first, 'the name of a field'), ...steps.map(stepOf)];
}

function stepOf(part: JsonPart): Step {
  if (typeof part.value === 'string') return part.value;
  const index = doubleOf(part.value);
  if (index === null || !Number.isInteger(index) || Math.abs(index) > 999_999_999)
    fail(part, `expected a name or an index, got ${describeJson(part.value)}`);
  return index + 0;
}

/** The name of a function, in lower case. */
export function calleeOf(part: JsonPart): string {
  const name = requiredAt(part, 'name', 'the name of the function as an "ident"');
  checkMembers(name, ['op', 'name'], 'an "ident"');
  choiceOf(requiredAt(name, 'op', '"ident"'), ['ident']);
  const [callee, ...rest] = stepsOf(name);
  if (rest.length > 0) fail(name, 'the name of a function has one part');
  return callee.toLowerCase();
}

function readCall(part: JsonPart, depth: number): Expr {
  if (memberAt(part, 'shape') !== null) fail(part, '"shape" belongs to the source in "from"');
  const name = calleeOf(part);
  const given = memberAt(part, 'args');
  const parts = given === null ? [] : elementsOf(given, 'an array of expressions');
  const [first] = parts;
  const args =
    parts.length === 1 && first !== undefined && isStar(first)
      ? 'star'
      : parts.map((each) => expressionOf(argumentOf(each), depth));
  return { kind: 'call', name: withTreatment(part, name), args, at: placeOf(part) };
}

/** An argument may stand beside an alias, which says nothing. */
function argumentOf(part: JsonPart): JsonPart {
  const inner = isJsonObject(part.value) ? memberAt(part, 'expr') : null;
  if (inner === null || memberAt(part, 'op') !== null) return part;
  checkMembers(part, ['expr', 'alias'], 'an expression');
  return inner;
}

export const isStar = (part: JsonPart): boolean =>
  isJsonObject(part.value) && memberOf(part.value, 'op') === 'star';

function withTreatment(part: JsonPart, name: string): string {
  const treatment = memberAt(part, 'duplicate_treatment');
  if (treatment === null || choiceOf(treatment, ['Distinct', 'All']) === 'All') return name;
  return name === 'count'
    ? 'count_distinct'
    : fail(treatment, 'only count takes "Distinct": it is the function count_distinct');
}

const readers: Readonly<Record<string, NodeReader>> = {
  literal: node(['value'], (part, depth) => ({
    kind: 'literal',
    value: literalOf(memberAt(part, 'value') ?? { value: null, path: part.path }, depth),
    at: placeOf(part),
  })),
  interval: node(['value', 'unit'], readInterval),
  ident: node(['name'], (part) => ({ kind: 'path', steps: stepsOf(part), at: placeOf(part) })),
  function: node(['name', 'args', 'shape', 'duplicate_treatment'], readCall),
  eq: binary('='),
  ne: binary('!='),
  lt: binary('<'),
  le: binary('<='),
  gt: binary('>'),
  ge: binary('>='),
  like: binary('like'),
  ilike: binary('ilike'),
  match: binary('match'),
  is: node(['left', 'right'], (part, depth) =>
    sameValue(operand(part, 'left', depth), operand(part, 'right', depth), placeOf(part)),
  ),
  in: node(['left', 'right'], readIn),
  includes: node(['haystack', 'needle'], (part, depth) => ({
    kind: 'binary',
    operator: 'includes',
    left: operand(part, 'haystack', depth),
    right: operand(part, 'needle', depth),
    at: placeOf(part),
  })),
  and: logical('and', true),
  or: logical('or', false),
  if: node(['conds', 'else'], readConditions),
  add: binary('+'),
  sub: binary('-'),
  mul: binary('*'),
  div: binary('/'),
  mod: binary('%'),
  neg: ofOne(negated),
  not: ofOne((operand) => not(operand)),
  singlespanfilter: ofOne((operand, at) => ({
    kind: 'call',
    name: 'any_span',
    args: [operand],
    at,
  })),
  matchingspansfilter: ofOne((operand, at) => ({
    kind: 'call',
    name: 'filter_spans',
    args: [operand],
    at,
  })),
  isnull: ofOne((operand, at) => ({ kind: 'isNull', operand, at })),
  isnotnull: ofOne((operand, at) => not({ kind: 'isNull', operand, at })),
};

/** The operations of expressions. */
export const operations: readonly string[] = Object.keys(readers);
