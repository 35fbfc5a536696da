// A row of the answer before it is printed, and what it is made of.
import { textIn, type Tagged } from './model/tagged-json.js';
import { exactly, type Aggregated } from './aggregates.js';
import { evaluate, type Kind, type Scope } from './evaluate.js';
import type { Expr } from './expression.js';
import type { Context } from './functions.js';
import { orderOf } from './operators.js';

/** The value of a top-level field of a row. */
export type Field = (name: string) => Tagged;

export interface Setting {
  readonly context: Context;
  readonly observe: (op: string, kind: Kind) => void;
}

/** A row of the answer before it is printed. */
export interface Candidate {
  /** The rows that it is made of. */
  readonly rows: readonly Field[];
  readonly scope: Scope;
  readonly outputs: readonly (() => Aggregated)[];
  /** The trace of a row; empty for a group. */
  readonly trace: string;
}

export const traceOf = (row: Field): string => textIn(row('root_span_id'));

export function rowCandidate(
  row: Field,
  expressions: readonly Expr[],
  setting: Setting,
): Candidate {
  const scope: Scope = {
    ...setting,
    field: row,
    output: (index) => evaluate(expressions[index]!, scope),
    aggregate: () => {
      throw new Error('an aggregate of a row');
    },
  };
  const outputs = expressions.map((_, index) => () => exactly(scope.output(index)));
  return { rows: [row], scope, outputs, trace: traceOf(row) };
}

export function nullsLast(left: Tagged, right: Tagged, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return descending ? orderOf(right, left) : orderOf(left, right);
}
