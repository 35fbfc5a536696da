// SQL for the filter of a trace. One row of the trace must pass the whole filter, in which each `any_span` is true if any row passes
// its condition.
import { join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import {
  conjuncts,
  partsOf,
  replaceExprs,
  someExpr,
  type BoundExpr,
} from '../bound/bound-query.js';
import { evaluate, type Scope } from '../value/evaluate.js';
import { scalarValue } from '../value/value.js';

export interface TraceFilter {
  /** An aggregate over the rows of a trace. */
  readonly passes: Sql;
  /** Rows of a FROM clause with the columns that `passes` reads in addition; `trace` are the columns that identify a trace. */
  readonly rowsFor: (rows: Sql, trace: readonly Sql[]) => Sql;
}

export const hasAnySpan = (filter: BoundExpr): boolean =>
  someExpr(filter, ({ kind }) => kind === 'anySpan');

export function traceFilter(filter: BoundExpr, scope: Scope): TraceFilter {
  const passes = apart(filter, scope);
  return passes === null ? byRow(filter, scope) : { passes, rowsFor: (rows) => rows };
}

/**
 * Evaluates each `any_span` and the conditions on rows apart from each other. Returns null where that could give another result than
 * evaluating the whole filter for each row.
 */
function apart(filter: BoundExpr, scope: Scope): Sql | null {
  if (!hasAnySpan(filter)) return someRow(filter, scope);
  switch (filter.kind) {
    case 'anySpan':
      return someRow(filter.operand, scope);
    case 'unary':
      return isOfTrace(filter) ? combined([filter.operand], scope, 'NOT') : null;
    case 'binary': {
      if (filter.operator === 'or') return combined([filter.left, filter.right], scope, 'OR');
      const parts = conjuncts<BoundExpr>(filter);
      const ofRows = parts.filter((part) => !isOfTrace(part));
      if (ofRows.length > 1 && ofRows.some(hasAnySpan)) return null;
      const ofTrace = parts.filter(isOfTrace);
      return combined(
        ofRows.length === 0 ? ofTrace : [...ofTrace, ofRows.reduce(both)],
        scope,
        'AND',
      );
    }
    default:
      throw new Error(`any_span inside ${filter.kind} is not bound`);
  }
}

/** Whether all rows of a trace have the same value, since it consists of `any_span` only. */
const isOfTrace = (filter: BoundExpr): boolean =>
  filter.kind === 'anySpan' ||
  ((filter.kind === 'unary' || filter.kind === 'binary') && partsOf(filter).every(isOfTrace));

function combined(
  parts: readonly BoundExpr[],
  scope: Scope,
  operator: 'NOT' | 'AND' | 'OR',
): Sql | null {
  const conditions: Sql[] = [];
  for (const part of parts) {
    const passes = apart(part, scope);
    if (passes === null) return null;
    conditions.push(sql`coalesce(${passes}, false)`);
  }
  return operator === 'NOT'
    ? sql`(NOT ${join(conditions)})`
    : sql`(${join(conditions, ` ${operator} `)})`;
}

/** Evaluates the whole filter for each row, with the values of `any_span` in its trace in additional columns. */
function byRow(filter: BoundExpr, scope: Scope): TraceFilter {
  const anySpans: Sql[] = [];
  const ofRow = replaceExprs(filter, (part) => {
    if (part.kind !== 'anySpan') return null;
    anySpans.push(someRow(part.operand, scope));
    return { kind: 'result', index: anySpans.length - 1 };
  });
  return {
    passes: someRow(ofRow, { ...scope, result: anySpanValue }),
    rowsFor: (rows, trace) => {
      const columns = anySpans.map(
        (some, index) =>
          sql`coalesce(${some} OVER (PARTITION BY ${join(trace)}), false) AS ${numbered('any', index)}`,
      );
      return sql`(SELECT *, ${join(columns)} FROM ${rows})`;
    },
  };
}

const anySpanValue = (index: number) => scalarValue('boolean', numbered('any', index));

const someRow = (filter: BoundExpr, scope: Scope): Sql =>
  sql`bool_or(${evaluate(filter, scope).form('boolean')})`;

/** Combines conditions that the same row must pass. */
const both = (left: BoundExpr, right: BoundExpr): BoundExpr => ({
  kind: 'binary',
  operator: 'and',
  left,
  right,
});
