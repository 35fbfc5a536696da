// Recognises queries for whole fields of the rows with given ids, of given traces, or of the newest rows, which are read without a
// statement.
import type { EventRow } from '../schema/event-row.js';
import { conjuncts, wholeField, type BoundExpr } from './bound/bound-query.js';
import type { PreparedQuery } from './compile.js';
import { isStorable, storedColumn, type StoredColumn } from './page/stored-values.js';

/** A query for whole fields of rows in page order. */
interface RowsLookup {
  readonly columns: readonly StoredColumn[];
  readonly limit: number | null;
  /** Whether further pages have the rows beyond the limit. */
  readonly hasPages: boolean;
}

export interface PointLookup extends RowsLookup {
  readonly by: 'id' | 'root_span_id';
  readonly values: readonly string[];
  /** Whether a row with one of the values passes the filter. */
  readonly passes: (row: EventRow) => boolean;
}

export interface NewestLookup extends RowsLookup {
  readonly limit: number;
}

/** The fields, if the query selects whole fields of rows in page order; null for any other query. */
function rowsLookup({ ast, plan, pages }: PreparedQuery): RowsLookup | null {
  if (plan.kind !== 'rows' || plan.shape !== 'spans' || plan.sort.length > 0) return null;
  const { spanFilter, traceFilter, sample, unpivots, previewLength } = plan;
  if (spanFilter !== null || traceFilter !== null || sample !== null) return null;
  if (unpivots.length > 0 || previewLength !== null) return null;
  if (ast.cursor !== null || ast.infer !== null || ast.pivot.length > 0) return null;
  const columns = plan.outputs.flatMap(({ name, expression }) => {
    const field = wholeField(expression);
    return field === null ? [] : (storedColumn(name, field) ?? []);
  });
  if (columns.length < plan.outputs.length) return null;
  const hasPages = pages !== null && plan.limit !== null && plan.limit > 0;
  return { columns, limit: plan.limit, hasPages };
}

/** The largest first page that is read without a statement: rows of a query, traces of a fetch. */
export const newestMax = 100;

/** A query for the first rows of its source; null for any other query. */
export function newestLookup(prepared: PreparedQuery): NewestLookup | null {
  if (prepared.plan.filter !== null) return null;
  const rows = rowsLookup(prepared);
  const limit = rows?.limit ?? 0;
  return rows === null || limit === 0 || limit > newestMax ? null : { ...rows, limit };
}

/** A query for the rows with given ids, or of given traces; null for any other query. */
export function pointLookup(prepared: PreparedQuery): PointLookup | null {
  const { filter } = prepared.plan;
  const rows = filter === null ? null : rowsLookup(prepared);
  if (filter === null || rows === null) return null;
  const parts = conjuncts(filter);
  const conditions = parts.flatMap((part) => membership(part) ?? []);
  const wanted = conditions.find(({ by }) => by === 'id') ?? conditions[0];
  if (wanted === undefined || conditions.length < parts.length) return null;
  const allowed = conditions.map(({ by, values }) => ({ by, values: new Set(values) }));
  return {
    ...rows,
    ...wanted,
    passes: (row) => allowed.every(({ by, values }) => values.has(row[by])),
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
