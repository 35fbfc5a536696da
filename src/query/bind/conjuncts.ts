// The operands of `and`.
import type { Expr } from '../syntax/ast.js';
import type { BoundExpr } from './bound.js';

/** Of a chain, which leans to the left; of anything else itself. */
export function conjuncts<T extends Expr | BoundExpr>(filter: T): readonly T[] {
  const parts: T[] = [];
  let rest: T = filter;
  while (rest.kind === 'binary' && rest.operator === 'and') {
    parts.unshift(rest.right as T);
    rest = rest.left as T;
  }
  return [rest, ...parts];
}
