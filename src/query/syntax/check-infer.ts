// Checks `infer` and the clauses of its query.
import { QueryError } from '../../errors.js';
import type { InferItem, Position, QueryAst, SelectItem } from './ast.js';

/** @throws QueryError for an operand that is not a path */
export function inferItem(item: SelectItem): InferItem {
  if (item.kind === 'star') return item;
  const { expression, alias } = item;
  if (expression.kind !== 'path' || alias !== null)
    throw new QueryError(item.at, "infer: expected '*' or a path, without an alias");
  return expression;
}

/** @throws QueryError for a clause that cannot be combined with `infer` */
export function checkInfer(ast: QueryAst): void {
  const { infer } = ast;
  if (infer === null) return;
  const at: Position = infer[0]?.at ?? { line: 1, column: 1 };
  const others: readonly (readonly [string, unknown])[] = [
    ['select', ast.select],
    ['dimensions', ast.dimensions],
    ['measures', ast.measures],
    ['final_filter', ast.finalFilter],
    ['trace_filter', ast.traceFilter],
    ['span_filter', ast.spanFilter],
    ['sort', ast.sort],
    ['unpivot', ast.unpivot],
    ['pivot', ast.pivot],
    ['cursor', ast.cursor],
    ['preview_length', ast.previewLength],
  ];
  const clause = others.find(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== null,
  );
  if (clause !== undefined)
    throw new QueryError(at, `'${clause[0]}' cannot be combined with 'infer': remove one of them`);
  if (ast.shape !== 'spans')
    throw new QueryError(at, `infer requires the shape 'spans': remove the shape '${ast.shape}'`);
}
