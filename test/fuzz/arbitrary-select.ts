// Random queries that show rows.
import * as fc from 'fast-check';
import { bare, probe, sweep } from './arbitrary-expression.js';
import { anyKind, ofKind } from './arbitrary-operand.js';
import { direction, filterOver, isSortable, limit, style } from './arbitrary-clauses.js';
import { aliasOf, drawn, named, namable } from './arbitrary-outputs.js';
import type { Expr } from './expression.js';
import type { Query } from './query.js';

export const rowsQuery: fc.Arbitrary<Query> = fc
  .record({
    items: fc.array(
      drawn(fc.oneof({ weight: 6, arbitrary: probe }, { weight: 2, arbitrary: bare })),
      { minLength: 1, maxLength: 4 },
    ),
    swept: fc.oneof(
      { weight: 1, arbitrary: fc.constant<readonly Expr[]>([]) },
      { weight: 9, arbitrary: sweep },
    ),
    shape: fc.oneof(
      { weight: 5, arbitrary: fc.constant('' as const) },
      { weight: 1, arbitrary: fc.constantFrom('spans' as const, 'traces' as const) },
    ),
    limit,
    style,
  })
  .chain(({ items, swept, shape, limit, style }) => {
    const unnamed = swept.map((expression) => ({ expression, name: null }));
    const outputs = named(items.concat(unnamed), 0, new Set());
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
        unpivot: null,
        pivot: [],
        sample: null,
        preview: null,
        kind: 'rows',
        keys: [],
        outputs,
        inSelect: false,
        filter,
        finalFilter: null,
        traceFilter: null,
        spanFilter: null,
        sort,
      }));
  });
