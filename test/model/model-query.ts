// The answer to a query by brute force over rows that are in the default order.
import { assertNever } from '../../src/errors.js';
import { evaluate, orderOf, type FieldValue } from './model-values.js';
import type { Measure, Query, SortItem } from './query.js';
import { canonical, doubleOf, number, type Tagged } from './tagged-json.js';

/** How a value of the answer may differ: `digits` says how far a sum of doubles may be off. */
export type Expected =
  | { readonly kind: 'exact'; readonly value: Tagged }
  | { readonly kind: 'canonical'; readonly value: Tagged }
  | { readonly kind: 'near'; readonly value: number | null; readonly tolerance: number };

export type ExpectedRow = readonly Expected[];

export function answer(query: Query, rows: readonly FieldValue[]): readonly ExpectedRow[] {
  const { filter } = query;
  const passing = filter === null ? rows : rows.filter((row) => evaluate(filter, row) === true);
  const results = query.kind === 'rows' ? selected(query, passing) : grouped(query, passing);
  const sorted = results.toSorted((left, right) => orderOfRows(query.sort, left, right));
  return query.limit === null ? sorted : sorted.slice(0, query.limit);
}

const selected = (
  { select }: Extract<Query, { kind: 'rows' }>,
  rows: readonly FieldValue[],
): readonly ExpectedRow[] =>
  rows.map((row) =>
    select.map((expression) => ({
      kind: expression.kind === 'path' ? 'exact' : 'canonical',
      value: evaluate(expression, row),
    })),
  );

interface Group {
  readonly keys: readonly Tagged[];
  readonly rows: FieldValue[];
}

function grouped(
  { dimensions, measures }: Extract<Query, { kind: 'groups' }>,
  rows: readonly FieldValue[],
): readonly ExpectedRow[] {
  const groups = new Map<string, Group>();
  if (dimensions.length === 0) groups.set('', { keys: [], rows: [] });
  for (const row of rows) {
    const keys = dimensions.map((dimension) => evaluate(dimension, row));
    const name = keys.map(canonical).join('\n');
    if (!groups.has(name)) groups.set(name, { keys, rows: [] });
    groups.get(name)?.rows.push(row);
  }
  return [...groups.values()]
    .toSorted((left, right) => orderOfKeys(left.keys, right.keys))
    .map(({ keys, rows }) => keys.map(asKey).concat(measures.map((each) => measured(each, rows))));
}

const asKey = (value: Tagged): Expected => ({ kind: 'canonical', value });

const orderOfKeys = (left: readonly Tagged[], right: readonly Tagged[]): number =>
  left.map((key, index) => nullsLast(key, right[index] ?? null, false)).find(Boolean) ?? 0;

function measured({ name, argument }: Measure, rows: readonly FieldValue[]): Expected {
  if (argument === null) return { kind: 'canonical', value: number(rows.length) };
  const values = rows.map((row) => evaluate(argument, row)).filter((value) => value !== null);
  switch (name) {
    case 'count':
      return { kind: 'canonical', value: number(values.length) };
    case 'count_distinct':
      return { kind: 'canonical', value: number(new Set(values.map(canonical)).size) };
    case 'min':
      return { kind: 'canonical', value: values.toSorted(orderOf)[0] ?? null };
    case 'max':
      return { kind: 'canonical', value: values.toSorted(orderOf).at(-1) ?? null };
    default:
      return total(name, values);
  }
}

/** Relative to the size of what is added. */
const digits = 1e-12;

function total(name: 'sum' | 'avg', values: readonly Tagged[]): Expected {
  const numbers = values
    .map((value) => (typeof value === 'boolean' ? Number(value) : doubleOf(value)))
    .filter((value) => value !== null);
  const divisor = name === 'avg' ? numbers.length : 1;
  const sum = numbers.reduce((left, right) => left + right, 0);
  const size = numbers.reduce((left, right) => left + Math.abs(right), 0);
  const value = numbers.length === 0 ? null : sum / divisor;
  return { kind: 'near', value, tolerance: (digits * size) / divisor };
}

function orderOfRows(sort: readonly SortItem[], left: ExpectedRow, right: ExpectedRow): number {
  const orders = sort.map(({ output, descending }) =>
    nullsLast(sortable(left[output]), sortable(right[output]), descending),
  );
  return orders.find(Boolean) ?? 0;
}

function sortable(expected: Expected | undefined): Tagged {
  if (expected === undefined || expected.kind === 'near')
    throw new Error('the model does not sort by sums');
  return expected.value;
}

function nullsLast(left: Tagged, right: Tagged, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return descending ? orderOf(right, left) : orderOf(left, right);
}

/** Whether an output of the server is the expected one. A number without a double prints as null. */
export function isExpected(expected: Expected, shown: Tagged): boolean {
  switch (expected.kind) {
    case 'exact':
      return JSON.stringify(expected.value) === JSON.stringify(shown);
    case 'canonical':
      return canonical(printed(expected.value)) === canonical(printed(shown));
    case 'near':
      return isNear(expected.value, doubleOf(shown), expected.tolerance);
    default:
      return assertNever(expected);
  }
}

const printed = (value: Tagged): Tagged => {
  const double = doubleOf(value);
  return double !== null && !Number.isFinite(double) ? null : value;
};

function isNear(expected: number | null, shown: number | null, tolerance: number): boolean {
  if (expected === null || !Number.isFinite(expected)) return shown === null;
  return shown !== null && Math.abs(expected - shown) <= tolerance;
}
