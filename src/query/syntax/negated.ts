// The unary minus.
import type { Expr, Position } from './ast.js';

/** The minus sign of a number is a part of it. */
export function negated(operand: Expr, at: Position): Expr {
  const isNumber = operand.kind === 'literal' && typeof operand.value === 'number';
  return isNumber && 1 / Number(operand.value) > 0
    ? { kind: 'literal', value: -Number(operand.value), at }
    : { kind: 'unary', operator: '-', operand, at };
}
