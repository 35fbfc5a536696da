// Walks the expressions of a query.
import { assertNever } from '../../errors.js';
import type { Expr, Operation, QueryAst } from './ast.js';

/** The operation with other operands. */
export function withOperands<E, F>(
  operation: Operation<E>,
  visit: (operand: E) => F,
): Operation<F> {
  switch (operation.kind) {
    case 'unary':
    case 'isNull':
      return { ...operation, operand: visit(operation.operand) };
    case 'binary':
      return { ...operation, left: visit(operation.left), right: visit(operation.right) };
    case 'in':
      return { ...operation, operand: visit(operation.operand), list: operation.list.map(visit) };
    case 'conditional':
      return {
        ...operation,
        condition: visit(operation.condition),
        whenTrue: visit(operation.whenTrue),
        otherwise: visit(operation.otherwise),
      };
    default:
      return assertNever(operation);
  }
}

export function partsOf(expression: Expr): readonly Expr[] {
  switch (expression.kind) {
    case 'literal':
    case 'path':
    case 'interval':
      return [];
    case 'call':
      return expression.args === 'star' ? [] : expression.args;
    default: {
      const parts: Expr[] = [];
      withOperands(expression, (operand) => parts.push(operand));
      return parts;
    }
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
