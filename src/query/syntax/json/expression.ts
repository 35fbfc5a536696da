// Reads expressions of a JSON query, with one table entry per `op`. There is no intermediate text, so nothing needs quoting.
import { isJsonObject, memberOf } from '../../../json/tree.js';
import type { JsonObject } from '../../../json/json.js';
import type { BinaryOperator, Expr, Position } from '../ast.js';
import { limits } from '../limits.js';
import { negated, sameValue } from '../canonical-nodes.js';
import { parseExpression } from '../parse.js';
import { didYouMean } from '../suggest.js';
import { readCall, stepsOf, type Read } from './call.js';
import { anExpression, readConditions, readIn, readInterval, readLogical } from './composite.js';
import { literalOf } from './literal.js';
import {
  checkMembers,
  choiceOf,
  describeJson,
  fail,
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

/** @param depth the number of enclosing expressions */
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

/** Nodes that are not values. */
const misplaced: Readonly<Record<string, string>> = {
  star: 'a star is allowed only in "select" and as the argument of count',
};

const isText = (value: JsonObject): boolean => {
  const text = memberOf(value, 'btql');
  return text !== undefined && text !== null;
};

/** Reads query text inside the JSON. */
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

const within =
  (depth: number): Read =>
  (part) =>
    expressionOf(part, depth);

const logical = (operator: 'and' | 'or'): NodeReader =>
  node(['left', 'right', 'children'], (part, depth) => readLogical(part, operator, within(depth)));

const ofOne = (build: (operand: Expr, at: Position) => Expr): NodeReader =>
  node(['expr'], (part, depth) => build(operand(part, 'expr', depth), placeOf(part)));

const not = (operand: Expr): Expr => ({ kind: 'unary', operator: 'not', operand, at: operand.at });

const readers: Readonly<Record<string, NodeReader>> = {
  literal: node(['value'], (part, depth) => ({
    kind: 'literal',
    value: literalOf(memberAt(part, 'value') ?? { value: null, path: part.path }, depth),
    at: placeOf(part),
  })),
  interval: node(['value', 'unit'], readInterval),
  ident: node(['name'], (part) => ({ kind: 'path', steps: stepsOf(part), at: placeOf(part) })),
  function: node(['name', 'args', 'shape', 'duplicate_treatment'], (part, depth) =>
    readCall(part, within(depth)),
  ),
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
  in: node(['left', 'right'], (part, depth) => readIn(part, within(depth))),
  includes: node(['haystack', 'needle'], (part, depth) => ({
    kind: 'binary',
    operator: 'includes',
    left: operand(part, 'haystack', depth),
    right: operand(part, 'needle', depth),
    at: placeOf(part),
  })),
  and: logical('and'),
  or: logical('or'),
  if: node(['conds', 'else'], (part, depth) => readConditions(part, depth, expressionOf)),
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
