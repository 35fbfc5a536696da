// `x <=> y`: `x is null` where y is the constant null, so that every spelling gives the same AST.
import type { Expr, Position } from './ast.js';

export const sameValue = (left: Expr, right: Expr, at: Position): Expr =>
  right.kind === 'literal' && right.value === null
    ? { kind: 'isNull', operand: left, at }
    : { kind: 'binary', operator: '<=>', left, right, at };
