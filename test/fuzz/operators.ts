// The operators of the language over values; null is NULL.
import {
  both,
  calculate,
  compare,
  either,
  includes,
  negation,
  orderOf as orderOfJson,
  truth,
} from './model/model-values.js';
import { doubleOf, isArray, isObject, isString, number, type Tagged } from './model/tagged-json.js';
import { calculations, comparisons, type Calculation, type Comparison } from './expression.js';
import { isIlike, isLike, isMatch, textOf, Unspecified, wordsText } from './text.js';
import { asJson, instantOf, isTimestamp } from './timestamps.js';

type Operator = (...args: Tagged[]) => Tagged;

/** A timestamp compares with another one and with the text of one. */
export function comparison(op: Comparison, left: Tagged, right: Tagged): boolean | null {
  if (!isTimestamp(left) && !isTimestamp(right)) return compare(op, left, right);
  const [a, b] = [instantOf(left), instantOf(right)];
  return a === null || b === null ? null : compare(op, number(0), number(Number(b - a)));
}

/** The order of `sort`. Neither is NULL. */
export function orderOf(left: Tagged, right: Tagged): number {
  if (isTimestamp(left) && isTimestamp(right)) return Number(instantOf(left)! - instantOf(right)!);
  if (isTimestamp(left) !== isTimestamp(right) && isString(asJson(left)) && isString(asJson(right)))
    throw new Unspecified('the order of timestamps among strings');
  return orderOfJson(asJson(left), asJson(right));
}

function arithmetic(op: Calculation): Operator {
  return (left = null, right = null) => known(calculate(op, asJson(left), asJson(right)));
}

/** What is not a number in the sense of IEEE has no place in the documents. */
export function known(value: Tagged): Tagged {
  if (Number.isNaN(doubleOf(value))) throw new Unspecified('a number that is none');
  return value;
}

const ofTexts =
  (test: (text: string, pattern: string) => boolean, read = textOf): Operator =>
  (left = null, right = null) => {
    const [text, pattern] = [read(left), read(right)];
    return text === null || pattern === null ? null : test(text, pattern);
  };

const holds: Operator = (container = null, value = null) =>
  includes(asJson(container), asJson(value));

const not =
  (operator: Operator): Operator =>
  (...args) =>
    negation(truth(operator(...args)));

/** An `or` of equalities; an element of another type counts as false. */
const isIn: Operator = (operand = null, ...list) => {
  if (operand === null) return null;
  if (list.some((element) => comparison('=', operand, element) === true)) return true;
  return list.includes(null) ? null : false;
};

const compares = Object.fromEntries(
  comparisons.map((op): [string, Operator] => [
    op,
    (left = null, right = null) => comparison(op, left, right),
  ]),
);

const calculates = Object.fromEntries(calculations.map((op) => [op, arithmetic(op)]));

export const operators: Readonly<Record<string, Operator>> = {
  or: (left = null, right = null) => either(truth(left), truth(right)),
  and: (left = null, right = null) => both(truth(left), truth(right)),
  not: (value = null) => negation(truth(value)),
  '?:': (condition = null, yes = null, no = null) => (condition === true ? yes : no),
  ...compares,
  '<=>': (left = null, right = null) =>
    left === null || right === null ? left === right : comparison('=', left, right) === true,
  '<>': (left = null, right = null) => comparison('!=', left, right),
  ...calculates,
  negate: (value = null) => {
    const double = doubleOf(asJson(value));
    return double === null ? null : number(-double);
  },
  includes: holds,
  contains: holds,
  'not includes': not(holds),
  'not contains': not(holds),
  like: ofTexts(isLike),
  'not like': not(ofTexts(isLike)),
  ilike: ofTexts(isIlike),
  'not ilike': not(ofTexts(isIlike)),
  match: ofTexts(isMatch, wordsText),
  'is null': (value = null) => value === null,
  'is not null': (value = null) => value !== null,
  in: isIn,
  'not in': not(isIn),
};

export const lengthOf = (value: Tagged): number | null => {
  const json = asJson(value);
  if (isString(json)) return Array.from(json.slice(1)).length;
  if (isArray(json)) return json.length;
  return isObject(json) ? Object.keys(json).length : null;
};
