// Random queries that show rows.
import * as fc from 'fast-check';
import { bare, probe } from './arbitrary-expression.js';
import { anyKind, ofKind } from './arbitrary-operand.js';
import { direction, filterOver, isSortable, limit, style } from './arbitrary-clauses.js';
import { aliasOf, drawn, named, namable } from './arbitrary-outputs.js';
import type { Query } from './query.js';

export const rowsQuery: fc.Arbitrary<Query> = fc
  .record({
    items: fc.array(
      drawn(fc.oneof({ weight: 6, arbitrary: probe }, { weight: 2, arbitrary: bare })),
      { minLength: 1, maxLength: 4 },
    ),
    shape: fc.oneof(
      { weight: 5, arbitrary: fc.constant('' as const) },
      { weight: 1, arbitrary: fc.constantFrom('spans' as const, 'traces' as const) },
    ),
    limit,
    style,
  })
  .chain(({ items, shape, limit, style }) => {
    const outputs = named(items, 0, new Set());
    const indexes = namable(outputs);
    const byExpression = fc.oneof(
      anyKind.chain((kind) => ofKind(kind, 1)),
      bare,
    );
    const sortable = (
      indexes.length === 0
        ? byExpression
        : fc.oneof({ weight: 2, arbitrary: aliasOf(indexes) }, byExpression)
    ).filter(isSortable);
    return fc
      .record({
        filter: filterOver(outputs),
        sort: fc.array(fc.record({ expression: sortable, direction }), { maxLength: 2 }),
      })
      .map(({ filter, sort }): Query => ({
        shape,
        limit,
        style,
        kind: 'rows',
        keys: [],
        outputs,
        inSelect: false,
        filter,
        finalFilter: null,
        sort,
      }));
  });
