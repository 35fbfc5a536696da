// Rows of one operator, which the binder nests to the left.
import type { BoundExpr } from './bound-query.js';

/** The operands of an operator and of those in a row before it. To nest their SQL would take time with the square of their number. */
export function operandsOf(expression: BoundExpr, operator: 'and' | 'or'): readonly BoundExpr[] {
  const operands: BoundExpr[] = [];
  let left = expression;
  while (left.kind === 'binary' && left.operator === operator) {
    operands.push(left.right);
    left = left.left;
  }
  return [left, ...operands.reverse()];
}
