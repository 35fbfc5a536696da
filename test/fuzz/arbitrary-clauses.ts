// The clauses that all random queries have.
import * as fc from 'fast-check';
import { condition } from './arbitrary-expression.js';
import { anyKind, ofKind } from './arbitrary-operand.js';
import { aliasOf, namable } from './arbitrary-outputs.js';
import { apply, type Expr } from './expression.js';
import type { Output, Query, SortItem } from './query.js';

export const style: fc.Arbitrary<Query['style']> = fc.record({
  parentheses: fc.constantFrom('all' as const, 'few' as const),
  separator: fc.constantFrom(' | ' as const, '\n' as const, '\n\n  | ' as const, ' ' as const),
  isUpperCase: fc.boolean(),
  order: fc.nat(6),
  comment: fc.constantFrom('', '', 'it\'s | limit: 0 -- "', 'é'),
});

export const direction = fc.constantFrom<SortItem['direction']>('', ' desc', ' asc');

export const limit = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 12 }) },
);

export function filterOver(outputs: readonly Output[]): fc.Arbitrary<Expr | null> {
  const indexes = namable(outputs);
  const plainFilter = fc.option(condition, { freq: 2 });
  if (indexes.length === 0) return plainFilter;
  const byAlias = fc
    .tuple(
      aliasOf(indexes),
      fc.constantFrom('is not null', 'is null', '=', '<=>', '<', '!=', 'in'),
      anyKind,
    )
    .chain(([alias, op, kind]) =>
      op.startsWith('is')
        ? fc.constant(apply(op, alias))
        : ofKind(kind, 0).map((other) => apply(op, alias, other)),
    );
  return fc.oneof({ weight: 4, arbitrary: plainFilter }, { weight: 1, arbitrary: byAlias });
}

/** Text in `sort` is an alias, and an unknown name is refused. */
export const isSortable = (expression: Expr): boolean =>
  expression.kind !== 'literal' && !JSON.stringify(expression).includes('"nothing_here"');
