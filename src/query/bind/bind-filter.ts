// The filter of a query: a condition of rows, or in shapes of traces one of traces, and which of their rows are shown.
import type { Expr, QueryAst } from '../syntax/ast.js';
import { bindExpression, queryError, type NameScope } from './bind-expression.js';
import type { RowNames } from './bind-unpivot.js';
import { conjuncts } from './conjuncts.js';
import { findExpr, type BoundExpr } from './bound.js';

export interface BoundFilter {
  readonly filter: BoundExpr | null;
  /** Which rows of the traces are shown; null for all. */
  readonly spanFilter: BoundExpr | null;
}

/** @param alias what is selected, by its name */
export function bindFilter(
  { filter, shape }: QueryAst,
  alias: NameScope['alias'],
  names: RowNames,
): BoundFilter {
  if (filter === null) return { filter: null, spanFilter: null };
  const parts = conjuncts(filter);
  const shown = parts.flatMap((part) => (isFilterSpans(part) ? [part] : []));
  const [first, second] = shown;
  if (second !== undefined)
    throw queryError(second.at, 'filter_spans: given twice: join the conditions with "and"');
  if (first !== undefined && shape !== 'traces')
    throw queryError(first.at, "filter_spans stands in the filter of the shape 'traces'");
  const bind = (expression: Expr, noSpans: string | null): BoundExpr => {
    const bound = bindExpression(expression, {
      ...names,
      alias,
      aliasesFirst: false,
      noAggregates:
        "cannot stand in 'filter', which selects rows: use 'final_filter' (HAVING in SQL)",
      noSpans,
    });
    if (findExpr(bound, ({ kind }) => kind === 'aggregate') !== null)
      throw queryError(
        expression.at,
        "an alias of an aggregate cannot stand in 'filter', which selects rows: use 'final_filter' (HAVING in SQL)",
      );
    return bound;
  };
  const rest = first === undefined ? [filter] : parts.filter((part) => part !== first);
  const noSpans = shape === 'spans' ? names.noSpans : null;
  return {
    filter: rest.length === 0 ? null : bind(rest.reduce(both), noSpans),
    spanFilter: first === undefined ? null : bind(argumentOf(first), names.noSpans),
  };
}

const both = (left: Expr, right: Expr): Expr => ({
  kind: 'binary',
  operator: 'and',
  left,
  right,
  at: left.at,
});

const isFilterSpans = (part: Expr): boolean => part.kind === 'call' && part.name === 'filter_spans';

function argumentOf(call: Expr): Expr {
  const [argument, ...others] = call.kind === 'call' && call.args !== 'star' ? call.args : [];
  if (argument === undefined || others.length > 0)
    throw queryError(call.at, 'filter_spans: expected 1 argument, a condition');
  return argument;
}
