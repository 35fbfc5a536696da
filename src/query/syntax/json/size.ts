// Limits the size of a JSON query. The limits are those of query text, counted in the tree.
import { QueryError } from '../../../errors.js';
import type { Expr, LiteralValue, QueryAst } from '../ast.js';
import { limits } from '../limits.js';
import { expressionsOf, partsOf } from '../walk.js';

interface Counts {
  parts: number;
  operators: number;
  calls: number;
}

/** @throws QueryError at the first part beyond a limit */
export function checkSize(ast: QueryAst): void {
  const counts: Counts = { parts: 0, operators: 0, calls: 0 };
  for (const expression of expressionsOf(ast)) count(expression, counts, 0);
}

function count(expression: Expr, counts: Counts, calls: number): void {
  counts.parts += expression.kind === 'literal' ? partsOfLiteral(expression.value) : 1;
  check(expression, counts.parts, limits.tokens, 'expressions, names and constants');
  if (expression.kind === 'binary' || expression.kind === 'unary') counts.operators += 1;
  check(expression, counts.operators, limits.operators, 'operators');
  const isCall = expression.kind === 'call';
  if (isCall) counts.calls += 1;
  check(expression, counts.calls, limits.calls, 'calls of functions');
  const around = calls + (isCall ? 1 : 0);
  if (around > limits.nestedCalls)
    throw new QueryError(
      expression.at,
      `functions are nested deeper than ${limits.nestedCalls} levels`,
    );
  for (const part of partsOf(expression)) count(part, counts, around);
}

function check({ at }: Expr, found: number, maximum: number, what: string): void {
  if (found > maximum)
    throw new QueryError(at, `more than ${maximum} ${what}: request fewer at a time`);
}

function partsOfLiteral(value: LiteralValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  for (const part of value instanceof Map ? value.values() : (value as readonly LiteralValue[]))
    parts += partsOfLiteral(part);
  return parts;
}
