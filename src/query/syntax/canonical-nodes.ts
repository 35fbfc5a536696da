// Nodes of the AST that are the same for every spelling of an expression.
import type { Expr, Position } from './ast.js';

/** The minus sign of a constant number is a part of the constant. */
export const negated = (operand: Expr, at: Position): Expr =>
  operand.kind === 'literal' && typeof operand.value === 'number' && 1 / operand.value > 0
    ? { kind: 'literal', value: -operand.value, at }
    : { kind: 'unary', operator: '-', operand, at };

/** `x <=> y`, which is `x is null` if y is the constant null. */
export const sameValue = (left: Expr, right: Expr, at: Position): Expr =>
  right.kind === 'literal' && right.value === null
    ? { kind: 'isNull', operand: left, at }
    : { kind: 'binary', operator: '<=>', left, right, at };
