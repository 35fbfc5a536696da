// Walks the expressions of a query.
import { assertNever } from '../../errors.js';
import type { Expr, QueryAst } from './ast.js';

export function partsOf(expression: Expr): readonly Expr[] {
  switch (expression.kind) {
    case 'literal':
    case 'path':
    case 'interval':
      return [];
    case 'call':
      return expression.args === 'star' ? [] : expression.args;
    case 'unary':
    case 'isNull':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'in':
      return [expression.operand, ...expression.list];
    case 'conditional':
      return [expression.condition, expression.whenTrue, expression.otherwise];
    default:
      return assertNever(expression);
  }
}

export const expressionsOf = (ast: QueryAst): readonly Expr[] => [
  ...(ast.select ?? []).flatMap((item) => (item.kind === 'star' ? [] : item.expression)),
  ...(ast.infer ?? []).filter((item) => item.kind !== 'star'),
  ...[...ast.dimensions, ...ast.measures, ...ast.unpivot, ...ast.sort].map(
    ({ expression }) => expression,
  ),
  ...(ast.groupBy ?? []),
  ...[ast.filter, ast.finalFilter, ast.traceFilter, ast.spanFilter].filter((each) => each !== null),
];

const clock: ReadonlySet<string> = new Set(['now', 'current_timestamp', 'current_date']);

/** Whether the result depends on the time at which the query runs. */
export function readsClock(ast: QueryAst): boolean {
  const found = (expression: Expr): boolean =>
    (expression.kind === 'call' && clock.has(expression.name)) || partsOf(expression).some(found);
  return expressionsOf(ast).some(found);
}

/** Whether the query uses one of these names, for a field or an alias. */
export function namesOneOf(ast: QueryAst, names: ReadonlySet<string>): boolean {
  const found = (expression: Expr): boolean =>
    (expression.kind === 'path' && names.has(expression.steps[0])) ||
    partsOf(expression).some(found);
  return expressionsOf(ast).some(found);
}
