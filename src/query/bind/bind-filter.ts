// Binds the filters of a query: on rows or traces, on summaries of traces, and on the rows of traces in the result.
import { isOfRows, type Expr, type QueryAst } from '../syntax/ast.js';
import { QueryError } from '../../errors.js';
import { bindExpression, type NameScope } from './bind-expression.js';
import type { RowNames } from './bind-unpivot.js';
import { conjuncts, hasAggregate, type BoundExpr } from '../bound/bound-query.js';

export interface BoundFilter {
  readonly filter: BoundExpr | null;
  /** The filter on the rows of a trace in the result; null for all rows. */
  readonly spanFilter: BoundExpr | null;
  /** The filter on whole traces, over the fields of their summaries. */
  readonly traceFilter: BoundExpr | null;
}

/** @param alias returns the selected expression with this name */
export function bindFilter(ast: QueryAst, alias: NameScope['alias'], names: RowNames): BoundFilter {
  const { shape } = ast;
  const { condition, shown } = separated(ast);
  const bind = (expression: Expr | null, noSpans: string | null) =>
    expression === null ? null : bindCondition(expression, 'filter', { ...names, noSpans, alias });
  return {
    filter: bind(condition, isOfRows(shape) ? names.noSpans : null),
    spanFilter: bind(shown, names.noSpans),
    traceFilter: bindTraceFilter(ast, alias, names),
  };
}

/** The condition on rows or traces, and the condition on the rows of traces in the result. */
function separated({
  filter,
  spanFilter,
  shape,
}: QueryAst): Record<'condition' | 'shown', Expr | null> {
  if (spanFilter !== null && shape !== 'traces')
    throw new QueryError(spanFilter.at, "span_filter requires the shape 'traces': use 'filter'");
  const parts = filter === null ? [] : conjuncts(filter);
  const calls = parts.filter(isFilterSpans);
  const [call] = calls;
  const second = spanFilter === null ? calls[1] : call;
  if (second !== undefined)
    throw new QueryError(
      second.at,
      spanFilter === null
        ? 'filter_spans occurs twice: combine the conditions with "and"'
        : "filter_spans: 'span_filter' has the same effect: remove one of them",
    );
  if (call === undefined) return { condition: filter, shown: spanFilter };
  if (shape !== 'traces')
    throw new QueryError(
      call.at,
      "filter_spans is allowed only in the filter of the shape 'traces'",
    );
  const rest = parts.filter((part) => part !== call);
  return { condition: rest.length === 0 ? null : rest.reduce(both), shown: argumentOf(call) };
}

/** In the shape `summary`, it may use aliases and members of `unpivot`. In `traces` it may not: the rows there are no summaries. */
function bindTraceFilter(
  { traceFilter, shape }: QueryAst,
  alias: NameScope['alias'],
  names: RowNames,
): BoundExpr | null {
  if (traceFilter === null) return null;
  if (isOfRows(shape))
    throw new QueryError(
      traceFilter.at,
      "trace_filter requires the shape 'traces' or 'summary': use 'filter'",
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
      ? "is not allowed in 'filter', which selects rows: use 'final_filter' (HAVING in SQL)"
      : "is not allowed in 'trace_filter', whose fields are already those of whole traces";
  const bound = bindExpression(expression, {
    ...names,
    aliasesFirst: false,
    noAggregates: misplaced,
  });
  if (hasAggregate(bound))
    throw new QueryError(expression.at, `an alias of an aggregate ${misplaced}`);
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
    throw new QueryError(call.at, 'filter_spans: expected 1 argument, a condition');
  return argument;
}
