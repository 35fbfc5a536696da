// Random queries that show groups.
import * as fc from 'fast-check';
import { bare, probe } from './arbitrary-expression.js';
import { anyKind, ofKind } from './arbitrary-operand.js';
import { direction, filterOver, isSortable, limit, style } from './arbitrary-clauses.js';
import { aliasOf, drawn, named, namable } from './arbitrary-outputs.js';
import { apply, literal, type Expr } from './expression.js';
import { mixedPlace } from './pools.js';
import type { Query } from './query.js';
import { aggregateNames } from './signatures.js';

/** Results that do not depend on the order of adding. */
const exactNames = new Set<string>(['count', 'count_distinct', 'min', 'max']);
const isExact = (expression: Expr): boolean =>
  expression.kind !== 'aggregate' || exactNames.has(expression.name);

const argument = fc.oneof(
  { weight: 2, arbitrary: ofKind('timestamp', 0) },
  { weight: 2, arbitrary: fc.constant<Expr>(mixedPlace) },
  { weight: 3, arbitrary: anyKind.chain((kind) => ofKind(kind, 0)) },
  { weight: 1, arbitrary: anyKind.chain((kind) => ofKind(kind, 1)) },
);

const aggregate: fc.Arbitrary<Expr> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Expr>({ kind: 'aggregate', name: 'count', args: [] }) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...aggregateNames), argument, fc.constantFrom(0, 0.25, 0.5, 0.95, 1))
      .map(([name, arg, fraction]): Expr => ({
        kind: 'aggregate',
        name,
        args: name === 'percentile' ? [arg, literal(fraction)] : [arg],
      })),
  },
);

const exactAggregate = aggregate.filter(isExact).filter(isSortable);

const calculated: fc.Arbitrary<Expr> = fc
  .tuple(
    fc.constantFrom('+', '*', '>', '=', 'coalesce', 'is null', '?:'),
    exactAggregate,
    exactAggregate,
    ofKind('number', 0).filter(({ kind }) => kind === 'literal'),
  )
  .map(([op, first, second, constant]) => {
    if (op === 'is null') return apply(op, first);
    if (op === '?:') return apply(op, apply('>', first, constant), constant, second);
    return apply(op, first, op === 'coalesce' ? constant : second);
  })
  .filter((expression) => !mixesTimestamps(expression));

/** Whether any part of the expression may be a timestamp. */
function mixesTimestamps(expression: Expr): boolean {
  return /"field":"created"|to_date|"(second|minute|hour|day|week|month|year|date_trunc)"/.test(
    JSON.stringify(expression),
  );
}

const key = fc.oneof(
  { weight: 3, arbitrary: bare },
  { weight: 2, arbitrary: probe },
  { weight: 1, arbitrary: anyKind.chain((kind) => ofKind(kind, 1)) },
);

export const groupsQuery: fc.Arbitrary<Query> = fc
  .record({
    keys: fc.array(drawn(key), { maxLength: 2 }),
    measures: fc.array(
      drawn(fc.oneof({ weight: 5, arbitrary: aggregate }, { weight: 1, arbitrary: calculated })),
      { maxLength: 3 },
    ),
    limit,
    style,
    isSelect: fc.boolean(),
    shape: fc.oneof(
      { weight: 6, arbitrary: fc.constant('' as const) },
      { weight: 1, arbitrary: fc.constant('traces' as const) },
    ),
  })
  .filter(({ keys, measures }) => keys.length + measures.length > 0)
  .chain(({ keys: drawnKeys, measures, isSelect, shape, limit, style }) => {
    const taken = new Set<string>();
    const keys = named(drawnKeys, 0, taken);
    const outputs = named(measures, keys.length, taken);
    const all = [...keys, ...outputs];
    const indexes = namable(all).filter((index) => isExact(all[index]?.expression ?? literal(0)));
    const byAlias = indexes.length === 0 ? exactAggregate : aliasOf(indexes);
    const sortable = fc.oneof({ weight: 3, arbitrary: byAlias }, exactAggregate);
    const test = fc
      .tuple(sortable, fc.constantFrom('>', '=', 'is not null', '<='), fc.constantFrom(0, 1, 2, 5))
      .map(([value, op, number]) =>
        op === 'is not null' ? apply(op, value) : apply(op, value, literal(number)),
      );
    return fc
      .record({
        filter: filterOver(keys),
        finalFilter: fc.oneof(
          { weight: 3, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: test },
        ),
        sort: fc.array(fc.record({ expression: sortable, direction }), { maxLength: 2 }),
      })
      .map(({ filter, finalFilter, sort }): Query => ({
        shape,
        unpivot: null,
        pivot: [],
        sample: null,
        preview: null,
        style,
        filter,
        finalFilter,
        traceFilter: null,
        spanFilter: null,
        sort,
        kind: 'groups',
        keys,
        outputs,
        inSelect: isSelect && keys.length === 0,
        limit: shape === 'traces' ? null : limit,
      }));
  });
