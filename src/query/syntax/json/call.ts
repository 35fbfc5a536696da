// Reads paths and function calls of a JSON query.
import { doubleOf, isJsonObject, memberOf } from '../../../json/tree.js';
import type { Expr, Step } from '../ast.js';
import { limits } from '../limits.js';
import {
  checkMembers,
  choiceOf,
  describeJson,
  elementsOf,
  fail,
  memberAt,
  placeOf,
  requiredAt,
  stringOf,
  type JsonPart,
} from './node.js';

/** Reads a nested expression. */
export type Read = (part: JsonPart) => Expr;

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

/** @param read reads an argument */
export function readCall(part: JsonPart, read: Read): Expr {
  if (memberAt(part, 'shape') !== null) fail(part, '"shape" belongs to the source in "from"');
  const name = calleeOf(part);
  const list = memberAt(part, 'args');
  const parts = list === null ? [] : elementsOf(list, 'an array of expressions');
  const [first] = parts;
  const args =
    parts.length === 1 && first !== undefined && isStar(first)
      ? 'star'
      : parts.map((each) => read(argumentOf(each)));
  return { kind: 'call', name: withTreatment(part, name), args, at: placeOf(part) };
}

/** An argument can have an alias, which is ignored. */
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
