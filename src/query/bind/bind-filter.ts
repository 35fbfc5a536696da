// The filters of a query: a condition of rows, or in shapes of traces one of traces; which traces stay by what they are as
// a whole; and which of their rows are shown.
import type { Expr, QueryAst } from '../syntax/ast.js';
import { bindExpression, queryError, type NameScope } from './bind-expression.js';
import type { RowNames } from './bind-unpivot.js';
import { conjuncts } from './conjuncts.js';
import { findExpr, type BoundExpr } from './bound.js';

export interface BoundFilter {
  readonly filter: BoundExpr | null;
  /** Which rows of the traces are shown; null for all. */
  readonly spanFilter: BoundExpr | null;
  /** Over the fields of the summaries of traces. */
  readonly traceFilter: BoundExpr | null;
}

/** @param alias what is selected, by its name */
export function bindFilter(ast: QueryAst, alias: NameScope['alias'], names: RowNames): BoundFilter {
  const { shape } = ast;
  const { condition, shown } = separated(ast);
  const bind = (expression: Expr | null, noSpans: string | null) =>
    expression === null ? null : bindCondition(expression, 'filter', { ...names, noSpans, alias });
  return {
    filter: bind(condition, shape === 'spans' ? names.noSpans : null),
    spanFilter: bind(shown, names.noSpans),
    traceFilter: bindTraceFilter(ast, alias, names),
  };
}

/** The condition on rows or traces, and the one on the rows of traces that are shown. */
function separated({
  filter,
  spanFilter,
  shape,
}: QueryAst): Record<'condition' | 'shown', Expr | null> {
  if (spanFilter !== null && shape !== 'traces')
    throw queryError(spanFilter.at, "span_filter stands beside the shape 'traces': use 'filter'");
  const parts = filter === null ? [] : conjuncts(filter);
  const calls = parts.filter(isFilterSpans);
  const [call] = calls;
  const second = spanFilter === null ? calls[1] : call;
  if (second !== undefined)
    throw queryError(
      second.at,
      spanFilter === null
        ? 'filter_spans: given twice: join the conditions with "and"'
        : "filter_spans: 'span_filter' says the same: give one of them",
    );
  if (call === undefined) return { condition: filter, shown: spanFilter };
  if (shape !== 'traces')
    throw queryError(call.at, "filter_spans stands in the filter of the shape 'traces'");
  const rest = parts.filter((part) => part !== call);
  return { condition: rest.length === 0 ? null : rest.reduce(both), shown: argumentOf(call) };
}

/** In summaries its fields, aliases and members are those of their rows; beside `traces` there are no such rows. */
function bindTraceFilter(
  { traceFilter, shape }: QueryAst,
  alias: NameScope['alias'],
  names: RowNames,
): BoundExpr | null {
  if (traceFilter === null) return null;
  if (shape === 'spans')
    throw queryError(
      traceFilter.at,
      "trace_filter stands beside the shapes 'traces' and 'summary': use 'filter'",
    );
  const ofRows =
    shape === 'summary' ? { ...names, alias } : { ...names, alias: none, member: none };
  return bindCondition(traceFilter, 'trace_filter', ofRows);
}

const none = () => null;

type Names = RowNames & Pick<NameScope, 'alias'>;

function bindCondition(
  expression: Expr,
  clause: 'filter' | 'trace_filter',
  names: Names,
): BoundExpr {
  const misplaced =
    clause === 'filter'
      ? "cannot stand in 'filter', which selects rows: use 'final_filter' (HAVING in SQL)"
      : "cannot stand in 'trace_filter', whose fields are those of whole traces already";
  const bound = bindExpression(expression, {
    ...names,
    aliasesFirst: false,
    noAggregates: misplaced,
  });
  if (findExpr(bound, ({ kind }) => kind === 'aggregate') !== null)
    throw queryError(expression.at, `an alias of an aggregate ${misplaced}`);
  return bound;
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
