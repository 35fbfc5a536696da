// Derives bounds on ids, times and transactions from a filter, so that the store can skip segments and row groups.
import { assertNever } from '../errors.js';
import { maxBigint, minBigint } from '../schema/xact-id.js';
import {
  isOfRows,
  type ComparisonOperator,
  type Expr,
  type Interval,
  type IntervalUnit,
  type QueryAst,
} from './syntax/ast.js';
import { transactionOf } from './value/comparison.js';
import { utcTimestamp } from './value/literal-value.js';
import type { QueryContext } from './value/time.js';

/** Bounds are inclusive. Times are microseconds since 1970. An absent member sets no bound. */
export interface FilterBounds {
  readonly ids?: readonly string[];
  readonly rootSpanIds?: readonly string[];
  readonly createdMin?: bigint;
  readonly createdMax?: bigint;
  readonly xactMin?: bigint;
  readonly xactMax?: bigint;
}

/** Bounds that include every row that can pass the filter, and possibly others. */
export function filterBounds(ast: QueryAst, context: QueryContext): FilterBounds {
  if (ast.filter === null) return {};
  const bounds = boundsOfCondition(ast.filter, context);
  return isOfRows(ast.shape) ? bounds : present({ rootSpanIds: bounds.rootSpanIds });
}

function boundsOfCondition(condition: Expr, context: QueryContext): FilterBounds {
  if (condition.kind === 'in') return boundsOfList(condition.operand, condition.list);
  if (condition.kind !== 'binary') return {};
  const { operator, left, right } = condition;
  switch (operator) {
    case 'and':
      return both(boundsOfCondition(left, context), boundsOfCondition(right, context));
    case 'or':
      return either(boundsOfCondition(left, context), boundsOfCondition(right, context));
    case '<=>':
      // Constants that set a bound are not null.
      return boundsOfOperands(left, '=', right, context);
    case '=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return boundsOfOperands(left, operator, right, context);
    default:
      return {};
  }
}

type Bound = Exclude<ComparisonOperator, '!='>;

const mirrored = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

const boundsOfOperands = (
  left: Expr,
  operator: Bound,
  right: Expr,
  context: QueryContext,
): FilterBounds =>
  both(
    boundsOfComparison(left, operator, right, context),
    boundsOfComparison(right, mirrored[operator], left, context),
  );

const fieldOf = (expression: Expr): string | null =>
  expression.kind === 'path' && expression.steps.length === 1 ? expression.steps[0] : null;

function boundsOfComparison(
  left: Expr,
  operator: Bound,
  right: Expr,
  context: QueryContext,
): FilterBounds {
  const text = right.kind === 'literal' && typeof right.value === 'string' ? right.value : null;
  switch (fieldOf(left)) {
    case 'id':
      return operator === '=' && text !== null ? { ids: [text] } : {};
    case 'root_span_id':
      return operator === '=' && text !== null ? { rootSpanIds: [text] } : {};
    case '_xact_id': {
      const { min, max } = rangeOf(operator, text === null ? null : exactly(transactionOf(text)));
      return present({ xactMin: min, xactMax: max });
    }
    case '_pagination_key': {
      const { min, max } = around(operator, exactly(text === null ? null : keyTransaction(text)));
      return present({ xactMin: min, xactMax: max });
    }
    case 'created': {
      const { min, max } = rangeOf(operator, momentOf(right, context));
      return present({ createdMin: min, createdMax: max });
    }
    default:
      return {};
  }
}

/** The bounds of `in` with a list of constants. A constant that is not a string equals none of these fields. */
function boundsOfList(operand: Expr, list: readonly Expr[]): FilterBounds {
  const field = fieldOf(operand);
  if (field !== 'id' && field !== 'root_span_id') return {};
  if (list.some(({ kind }) => kind !== 'literal')) return {};
  const texts = list.flatMap((element) =>
    element.kind === 'literal' && typeof element.value === 'string' ? [element.value] : [],
  );
  return field === 'id' ? { ids: texts } : { rootSpanIds: texts };
}

/** A value between two bounds. Times are inexact, since calendar intervals have no fixed length. */
interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

const exactly = (value: bigint | null): Span | null =>
  value === null ? null : { low: value, high: value };

interface Range {
  readonly min?: bigint | undefined;
  readonly max?: bigint | undefined;
}

function rangeOf(operator: Bound, span: Span | null): Range {
  if (span === null) return {};
  switch (operator) {
    case '>':
      return { min: span.low + 1n };
    case '>=':
      return { min: span.low };
    case '<':
      return { max: span.high - 1n };
    case '<=':
      return { max: span.high };
    case '=':
      return { min: span.low, max: span.high };
    default:
      return assertNever(operator);
  }
}

/** As `rangeOf`, for a transaction of which some rows are before the constant and some after it. */
function around(operator: Bound, span: Span | null): Range {
  const inclusive = { '<': '<=', '>': '>=', '<=': '<=', '>=': '>=', '=': '=' } as const;
  return rangeOf(inclusive[operator], span);
}

/** The transaction of a `_pagination_key`; null for any other text. */
const keyTransaction = (text: string): bigint | null =>
  /^p\d{29}$/.test(text) ? transactionOf(text.slice(1, 20)) : null;

function momentOf(expression: Expr, context: QueryContext): Span | null {
  if (expression.kind === 'literal') {
    return typeof expression.value === 'string' ? exactly(microsOf(expression.value)) : null;
  }
  if (expression.kind === 'call') return clockOf(expression.name, context);
  if (expression.kind !== 'binary' || expression.right.kind !== 'interval') return null;
  const { operator, left, right } = expression;
  const start = momentOf(left, context);
  if (start === null || (operator !== '+' && operator !== '-')) return null;
  const { low, high } = lengthOf(right);
  const moment =
    operator === '+'
      ? { low: start.low + low, high: start.high + high }
      : { low: start.low - high, high: start.high - low };
  return isBigint(moment.low) && isBigint(moment.high) ? moment : null;
}

/** Whether SQL has a BIGINT for it. A time beyond sets no bound. */
const isBigint = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

function clockOf(name: string, { nowMicros }: QueryContext): Span | null {
  if (name === 'now' || name === 'current_timestamp') return exactly(nowMicros);
  // Where the clocks change, a day may have 25 hours.
  return name === 'current_date' ? { low: nowMicros - (day * 25n) / 24n, high: nowMicros } : null;
}

function microsOf(text: string): bigint | null {
  const instant = utcTimestamp(text);
  if (instant === null) return null;
  const seconds = Date.parse(`${instant.slice(0, 19)}Z`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(instant.slice(20));
}

const day = 86_400_000_000n;

/** The shortest and the longest length of each unit, in microseconds. */
const unitLengths: Readonly<Record<IntervalUnit, readonly [bigint, bigint]>> = {
  microsecond: [1n, 1n],
  millisecond: [1000n, 1000n],
  second: [1_000_000n, 1_000_000n],
  minute: [60_000_000n, 60_000_000n],
  hour: [day / 24n, day / 24n],
  day: [day, day],
  week: [7n * day, 7n * day],
  month: [28n * day, 31n * day],
  quarter: [89n * day, 92n * day],
  year: [365n * day, 366n * day],
};

function lengthOf({ count, unit }: Interval): Span {
  const [shortest, longest] = unitLengths[unit];
  return { low: BigInt(count) * shortest, high: BigInt(count) * longest };
}

const intersected = <T>(a: T | undefined, b: T | undefined, combine: (a: T, b: T) => T) =>
  a === undefined ? b : b === undefined ? a : combine(a, b);

function intersection(a: readonly string[], b: readonly string[]): readonly string[] {
  const others = new Set(b);
  return a.filter((text) => others.has(text));
}

const both = (a: FilterBounds, b: FilterBounds): FilterBounds =>
  present({
    ids: intersected(a.ids, b.ids, intersection),
    rootSpanIds: intersected(a.rootSpanIds, b.rootSpanIds, intersection),
    createdMin: intersected(a.createdMin, b.createdMin, maxBigint),
    createdMax: intersected(a.createdMax, b.createdMax, minBigint),
    xactMin: intersected(a.xactMin, b.xactMin, maxBigint),
    xactMax: intersected(a.xactMax, b.xactMax, minBigint),
  });

const united = <T>(a: T | undefined, b: T | undefined, combine: (a: T, b: T) => T) =>
  a === undefined || b === undefined ? undefined : combine(a, b);

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...new Set([...a, ...b]),
];

const either = (a: FilterBounds, b: FilterBounds): FilterBounds =>
  present({
    ids: united(a.ids, b.ids, union),
    rootSpanIds: united(a.rootSpanIds, b.rootSpanIds, union),
    createdMin: united(a.createdMin, b.createdMin, minBigint),
    createdMax: united(a.createdMax, b.createdMax, maxBigint),
    xactMin: united(a.xactMin, b.xactMin, minBigint),
    xactMax: united(a.xactMax, b.xactMax, maxBigint),
  });

const present = (bounds: {
  [K in keyof FilterBounds]?: FilterBounds[K] | undefined;
}): FilterBounds =>
  Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));
