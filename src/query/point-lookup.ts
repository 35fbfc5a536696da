// Recognises queries for whole fields of the rows with given ids, or of given traces, which point reads can answer.
import type { EventRow } from '../schema/event-row.js';
import { conjuncts, type BoundExpr } from './bound/bound-query.js';
import type { PreparedQuery } from './compile.js';
import { isStorable, storedColumn, type StoredColumn } from './page/stored-values.js';

export interface PointLookup {
  readonly by: 'id' | 'root_span_id';
  readonly values: readonly string[];
  /** Whether a row with one of the values passes the filter. */
  readonly passes: (row: EventRow) => boolean;
  readonly columns: readonly StoredColumn[];
  readonly limit: number | null;
  /** Whether further pages have the rows beyond the limit. */
  readonly hasPages: boolean;
}

/** Returns null for any other query. */
export function pointLookup({ ast, plan, pages }: PreparedQuery): PointLookup | null {
  if (plan.kind !== 'rows' || plan.shape !== 'spans' || plan.sort.length > 0) return null;
  const { filter, spanFilter, traceFilter, sample, unpivots, previewLength } = plan;
  if (filter === null || spanFilter !== null || traceFilter !== null || sample !== null)
    return null;
  if (unpivots.length > 0 || previewLength !== null) return null;
  if (ast.cursor !== null || ast.infer !== null || ast.pivot.length > 0) return null;
  const parts = conjuncts(filter);
  const conditions = parts.flatMap((part) => membership(part) ?? []);
  const columns = plan.outputs.flatMap(({ name, expression }) =>
    expression.kind === 'field' && expression.steps.length === 0
      ? (storedColumn(name, expression.field) ?? [])
      : [],
  );
  if (conditions.length < parts.length || columns.length < plan.outputs.length) return null;
  const wanted = conditions.find(({ by }) => by === 'id') ?? conditions[0];
  if (wanted === undefined) return null;
  return {
    ...wanted,
    passes: (row) => conditions.every(({ by, values }) => values.includes(row[by])),
    columns,
    limit: plan.limit,
    hasPages: pages !== null && plan.limit !== null && plan.limit > 0,
  };
}

type Membership = Pick<PointLookup, 'by' | 'values'>;

/** The field and the values of `id = 'a'` or `root_span_id in ['a', 'b']`; null for any other condition. */
function membership(condition: BoundExpr): Membership | null {
  if (condition.kind === 'in') return membersOf(condition.operand, condition.list);
  if (condition.kind !== 'binary' || condition.operator !== '=') return null;
  const { left, right } = condition;
  return membersOf(left, [right]) ?? membersOf(right, [left]);
}

function membersOf(operand: BoundExpr, list: readonly BoundExpr[]): Membership | null {
  if (operand.kind !== 'field' || operand.steps.length > 0) return null;
  const by = operand.field;
  if (by !== 'id' && by !== 'root_span_id') return null;
  const values = list.flatMap((each) =>
    each.kind === 'literal' && isStorable(each.value) ? [each.value] : [],
  );
  return values.length === list.length ? { by, values } : null;
}
