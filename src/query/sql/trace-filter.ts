// SQL for the filter of a trace. One row of the trace must pass the whole filter, except its `any_span` operands, each of which any
// row may pass.
import { sql, type Sql } from '../../duckdb/sql.js';
import { conjuncts, someExpr, type BoundExpr } from '../bound/bound-query.js';
import { evaluate, type Scope } from '../value/evaluate.js';

export const hasAnySpan = (filter: BoundExpr): boolean =>
  someExpr(filter, ({ kind }) => kind === 'anySpan');

/** An aggregate over the rows of a trace. */
export function traceCondition(filter: BoundExpr, scope: Scope): Sql {
  if (!hasAnySpan(filter)) return someRow(filter, scope);
  const of = (part: BoundExpr) => sql`coalesce(${traceCondition(part, scope)}, false)`;
  switch (filter.kind) {
    case 'anySpan':
      return someRow(filter.operand, scope);
    case 'unary':
      return sql`(NOT ${of(filter.operand)})`;
    case 'binary': {
      if (filter.operator === 'or') return sql`(${of(filter.left)} OR ${of(filter.right)})`;
      const parts = conjuncts<BoundExpr>(filter);
      const plain = parts.filter((part) => !hasAnySpan(part));
      const conditions = parts.filter(hasAnySpan).map(of);
      const all = plain.length === 0 ? conditions : [...conditions, of(plain.reduce(both))];
      return all.reduce((left, right) => sql`(${left} AND ${right})`);
    }
    default:
      throw new Error(`any_span inside ${filter.kind} is not bound`);
  }
}

const someRow = (filter: BoundExpr, scope: Scope): Sql =>
  sql`bool_or(${evaluate(filter, scope).facet('boolean')})`;

/** Combines conditions that the same row must pass. */
const both = (left: BoundExpr, right: BoundExpr): BoundExpr => ({
  kind: 'binary',
  operator: 'and',
  left,
  right,
});
