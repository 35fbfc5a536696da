// The expressions of the query language as plain data.

export interface PathExpr {
  readonly kind: 'path';
  readonly field: string;
  readonly steps: readonly (string | number)[];
}

export const comparisons = ['=', '!=', '<', '<=', '>', '>='] as const;
export const calculations = ['+', '-', '*', '/', '%'] as const;
export type Comparison = (typeof comparisons)[number];
export type Calculation = (typeof calculations)[number];

export type Expr =
  | PathExpr
  | { readonly kind: 'literal'; readonly json: string }
  | Apply
  | { readonly kind: 'aggregate'; readonly name: string; readonly args: readonly Expr[] }
  | { readonly kind: 'interval'; readonly amount: number; readonly unit: IntervalUnit }
  /** The output of the query at this place. */
  | { readonly kind: 'alias'; readonly output: number };

/** A function by its name, or an operator by its words. */
export interface Apply {
  readonly kind: 'apply';
  readonly op: string;
  readonly args: readonly Expr[];
}

export const intervalUnits = [
  ...(['microsecond', 'millisecond', 'second', 'minute', 'hour'] as const),
  ...(['day', 'week', 'month', 'year'] as const),
] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

export const bucketUnits = [
  ...(['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const),
] as const;
export type BucketUnit = (typeof bucketUnits)[number];

export const literal = (value: unknown): Expr => ({ kind: 'literal', json: JSON.stringify(value) });

export const apply = (op: string, ...args: readonly Expr[]): Expr => ({ kind: 'apply', op, args });

/** How an operator stands between its operands, from the weakest binding to the strongest. */
export const levels: Readonly<Record<string, number>> = {
  '?:': 0,
  or: 1,
  and: 2,
  not: 3,
  ...Object.fromEntries(['=', '<=>', '!=', '<>', '<', '<=', '>', '>='].map((op) => [op, 4])),
  ...Object.fromEntries(
    [
      ...(['includes', 'contains', 'not includes', 'not contains', 'match', 'not match'] as const),
      ...(['like', 'not like', 'ilike', 'not ilike'] as const),
      ...(['in', 'not in', 'is null', 'is not null'] as const),
    ].map((op) => [op, 5]),
  ),
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
  negate: 8,
};
