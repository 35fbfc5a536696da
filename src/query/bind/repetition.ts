// Limits how often aliases, column numbers and `pivot` repeat the expressions of a query. The limits on its text do not: a short text
// can use a long expression many times.
import { QueryError } from '../../errors.js';
import { partsOf, type BoundExpr } from '../bound/bound-query.js';
import type { Position } from '../syntax/ast.js';
import { limits } from '../syntax/limits.js';

export interface Repetition {
  /** @throws QueryError if the repeated expressions have too many parts */
  add(expression: BoundExpr, at: Position): void;
}

/** Counts the parts of the expressions that are added. Expressions that share operands are counted in the time of one of them. */
export function countedRepetition(): Repetition {
  const sizes = new Map<BoundExpr, number>();
  let total = 0;
  const sizeOf = (expression: BoundExpr): number => {
    const known = sizes.get(expression);
    if (known !== undefined) return known;
    const size = partsOf(expression).reduce((sum, part) => sum + sizeOf(part), 1);
    sizes.set(expression, size);
    return size;
  };
  return {
    add: (expression, at) => {
      total += sizeOf(expression);
      if (total > limits.repeatedParts)
        throw new QueryError(
          at,
          `aliases, column numbers and 'pivot' repeat more than ${limits.repeatedParts} operators, calls, fields and constants: use shorter expressions, or each less often`,
        );
    },
  };
}
