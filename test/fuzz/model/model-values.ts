// What the operators of queries mean for JSON values: "Values in queries", one rule after the other. null is NULL.
import type { Calculation, Comparison } from '../expression.js';
import {
  byCodePoint,
  canonical,
  doubleOf,
  isArray,
  isNumber,
  isObject,
  isString,
  number,
  type Tagged,
} from './tagged-json.js';
import { memberOf } from './model-server.js';

export function stepInto(value: Tagged, step: string | number): Tagged {
  if (typeof step === 'string') return memberOf(value, step);
  return isArray(value) ? (value.at(step) ?? null) : null;
}

export const truth = (value: Tagged): boolean | null => (typeof value === 'boolean' ? value : null);
export const negation = (value: boolean | null) => (value === null ? null : !value);

export function both(left: boolean | null, right: boolean | null): boolean | null {
  if (left === false || right === false) return false;
  return left === null || right === null ? null : true;
}

export const either = (left: boolean | null, right: boolean | null) =>
  negation(both(negation(left), negation(right)));

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function kindOf(value: Tagged): Kind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (isNumber(value)) return 'number';
  if (isString(value)) return 'string';
  return isArray(value) ? 'array' : 'object';
}

const orders: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

export function compare(op: Comparison, left: Tagged, right: Tagged): boolean | null {
  const kind = kindOf(left);
  if (kind !== kindOf(right) || kind === 'null') return null;
  const isOrdered = kind !== 'array' && kind !== 'object';
  return isOrdered || op === '=' || op === '!=' ? orders[op](orderOf(left, right)) : null;
}

export const ranks: Readonly<Record<Kind, number>> = {
  boolean: 1,
  number: 2,
  string: 3,
  array: 4,
  object: 4,
  null: 5,
};

/** The order of `sort`: negative when `left` comes first. Neither is NULL. */
export function orderOf(left: Tagged, right: Tagged): number {
  const byKind = ranks[kindOf(left)] - ranks[kindOf(right)];
  if (byKind !== 0) return byKind;
  if (isString(left) && isString(right)) return byCodePoint(left, right);
  const [a, b] = [doubleOf(left), doubleOf(right)];
  if (a !== null && b !== null) return a === b ? 0 : a < b ? -1 : 1;
  if (typeof left === 'boolean') return Number(left) - Number(right);
  return byCodePoint(canonical(left), canonical(right));
}

const operations: Readonly<Record<Calculation, (a: number, b: number) => number | null>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (b === 0 ? null : a / b),
  '%': (a, b) => (b === 0 ? null : a % b),
};

export function calculate(op: Calculation, left: Tagged, right: Tagged): Tagged {
  const [a, b] = [doubleOf(left), doubleOf(right)];
  const result = a === null || b === null ? null : operations[op](a, b);
  return result === null ? null : number(result);
}

export const equal = (left: Tagged, right: Tagged): boolean => canonical(left) === canonical(right);

export function includes(container: Tagged, value: Tagged): boolean | null {
  if (value === null) return null;
  if (isArray(container)) return container.some((element) => equal(element, value));
  if (!isObject(container)) return null;
  if (Object.values(container).some((member) => equal(member, value))) return true;
  return isObject(value) && Object.keys(value).every((key) => holdsMember(container, value, key));
}

const holdsMember = (
  container: Readonly<Record<string, Tagged>>,
  value: Readonly<Record<string, Tagged>>,
  key: string,
): boolean => Object.hasOwn(container, key) && equal(container[key] ?? null, value[key] ?? null);
