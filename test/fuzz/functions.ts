// The functions of the language over values.
import { hash } from 'node:crypto';
import { memberOf } from './model/model-server.js';
import {
  canonical,
  doubleOf,
  isArray,
  isString,
  number,
  string,
  tag,
  type Tagged,
} from './model/tagged-json.js';
import { bucketUnits, type BucketUnit } from './expression.js';
import { comparison, known, lengthOf, operators, orderOf } from './operators.js';
import { isMatch, stringOf, textOf, wordsText } from './text.js';
import {
  asJson,
  bucketStart,
  instantAt,
  instantOf,
  inYears,
  readIso,
  timestamp,
  timestampOrNull,
  type Zone,
} from './timestamps.js';

/** What the request says beside the query. */
export interface Context {
  readonly zone: Zone;
  /** Microseconds since 1970. */
  readonly now: bigint;
}

type Function = (context: Context, ...args: Tagged[]) => Tagged;

const orNumber = (value: number | null): Tagged => (value === null ? null : known(number(value)));

const ofNumber =
  (calculate: (double: number) => number): Function =>
  (_context, value = null) => {
    const double = doubleOf(value);
    return double === null ? null : orNumber(calculate(double));
  };

const ofString =
  (change: (text: string) => string): Function =>
  (_context, value = null) => {
    const text = stringOf(value);
    return text === null ? null : string(change(text));
  };

const roundHalfAway = (double: number): number =>
  Math.sign(double) * Math.floor(Math.abs(double)) +
  (Math.abs(double) % 1 >= 0.5 ? Math.sign(double) : 0);

const numeric = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function toNumber(value: Tagged): number | null {
  if (typeof value === 'boolean') return Number(value);
  const text = stringOf(value);
  const double = text === null ? doubleOf(value) : numeric.test(text) ? Number(text) : null;
  return Number.isFinite(double) ? double : null;
}

function toBoolean(value: Tagged): boolean | null {
  if (typeof value === 'boolean') return value;
  const known = isString(value) ? value.slice(1) : String(doubleOf(value));
  if (isString(value) ? known === 'true' : known === '1') return true;
  return (isString(value) ? known === 'false' : known === '0') ? false : null;
}

const extreme =
  (isBetter: (order: number) => boolean): Function =>
  (_context, ...args) =>
    args
      .filter((value) => value !== null)
      .reduce<Tagged>(
        (best, next) => (best === null || isBetter(orderOf(next, best)) ? next : best),
        null,
      );

const bucket =
  (unit: BucketUnit): Function =>
  ({ zone }, value = null) => {
    const instant = instantOf(value);
    return instant === null ? null : timestampOrNull(bucketStart(unit, instant, zone));
  };

/** `a.b[0]` -> its steps. */
const stepsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(/\[(-?\d+)\]|([^.[\]]+)/g)].map(([, index, name = '']) =>
    index === undefined ? name : Number(index),
  );

function extract(value: Tagged, path: string): Tagged {
  const start = isString(value) ? readJson(value.slice(1)) : value;
  return stepsOf(path).reduce<Tagged>(stepInto, start);
}

export function stepInto(value: Tagged, step: string | number): Tagged {
  if (typeof step === 'string') return memberOf(value, step);
  return isArray(value) ? (value.at(step) ?? null) : null;
}

function readJson(text: string): Tagged {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return tag(text);
}

/** A text without time names a local day. */
function readDate(value: Tagged): bigint | null {
  const text = isString(value) ? value.slice(1) : '';
  return /^\d{4}-\d\d-\d\d$/.test(text) ? readIso(text) : null;
}

const now: Function = (context) => timestamp(context.now);

export const functions: Readonly<Record<string, Function>> = {
  hash: (_context, value = null) =>
    value === null ? null : string(hash('md5', canonical(asJson(value)))),
  ...Object.fromEntries(bucketUnits.map((unit) => [unit, bucket(unit)])),
  date_trunc: (context, unit = null, value = null) =>
    bucket((stringOf(unit) ?? 'day') as BucketUnit)(context, value),
  now,
  current_timestamp: now,
  current_date: (context) => bucket('day')(context, timestamp(context.now)),
  lower: ofString((text) => text.toLowerCase()),
  upper: ofString((text) => text.toUpperCase()),
  concat: (_context, ...args) => string(args.map((value) => textOf(value) ?? '').join('')),
  len: (_context, value = null) => orNumber(lengthOf(value)),
  'contains()': (_context, container = null, value = null) =>
    operators['includes']?.(container, value) ?? null,
  coalesce: (_context, ...args) => args.find((value) => value !== null) ?? null,
  nullif: (_context, left = null, right = null) =>
    comparison('=', left, right) === true ? null : left,
  least: extreme((order) => order < 0),
  greatest: extreme((order) => order > 0),
  round: ofNumber(roundHalfAway),
  abs: ofNumber(Math.abs),
  floor: ofNumber(Math.floor),
  ceil: ofNumber(Math.ceil),
  json_extract: (_context, value = null, path = null) => extract(value, stringOf(path) ?? ''),
  to_string: (_context, value = null) => {
    const text = textOf(value);
    return text === null ? null : string(text);
  },
  to_number: (_context, value = null) => orNumber(toNumber(value)),
  to_integer: (_context, value = null) => {
    const double = toNumber(value);
    return orNumber(double === null ? null : Math.trunc(double));
  },
  to_boolean: (_context, value = null) => toBoolean(value),
  to_date: (context, value = null) => {
    const day = readDate(value);
    return day === null
      ? bucket('day')(context, value)
      : timestampOrNull(inYears(instantAt(context.zone, day)));
  },
  to_datetime: (_context, value = null) => {
    const instant = instantOf(value);
    return instant === null ? null : timestamp(instant);
  },
};

/** Whether any of the fields that `search` looks into holds the words. */
export const isFound = (fields: readonly Tagged[], words: Tagged): boolean =>
  fields.some((field) => isMatch(wordsText(field) ?? '', stringOf(words) ?? ''));
