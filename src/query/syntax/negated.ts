// The unary minus.
import type { Expr, Position } from './ast.js';

/** The minus sign of a number is a part of it. */
export const negated = (operand: Expr, at: Position): Expr =>
  operand.kind === 'literal' && typeof operand.value === 'number' && 1 / operand.value > 0
    ? { kind: 'literal', value: -operand.value, at }
    : { kind: 'unary', operator: '-', operand, at };
