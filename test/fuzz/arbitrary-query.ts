// Random queries of all clauses.
import * as fc from 'fast-check';
import { anyKind, bare, condition, ofKind, probe } from './arbitrary-expression.js';
import { apply, literal, type Expr } from './expression.js';
import type { Output, Query, SortItem } from './query.js';
import { aggregateNames } from './signatures.js';

/** Besides `c0`, `c1`, …; words of the language are ordinary names too. */
const oddNames = ['hour', 'Hour', 'date', 'x y', 'count', 'é', 'select', 'and', "it's", 'a"b', 'C0'];

/** Fields that every row has; an alias of that name means the field in `filter` and `sort`. */
const fieldNames = new Set<string>([
  ...(['id', 'created', 'input', 'output', 'expected', 'scores', 'metadata', 'metrics'] as const),
  ...(['tags', 'is_root', 'root_span_id', 'span_parents', 'span_attributes', 'error'] as const),
]);

interface Drawn {
  readonly expression: Expr;
  readonly name: string | null;
}

const drawn = (expression: fc.Arbitrary<Expr>): fc.Arbitrary<Drawn> =>
  fc.record({
    expression,
    name: fc.option(fc.constantFrom(...oddNames), { freq: 4 }),
  });

/** The last part of a path: its name when none is given. */
function implicitName(expression: Expr): string | null {
  if (expression.kind !== 'path') return null;
  const names = expression.steps.filter((step) => typeof step === 'string');
  return names.at(-1) ?? expression.field;
}

/** Names that differ: one that is taken, or that was not drawn, becomes `c` and the place. */
function named(items: readonly Drawn[], first: number, taken: Set<string>): readonly Output[] {
  return items.map(({ expression, name }, index) => {
    const implicit = implicitName(expression);
    const wanted = implicit !== null && name !== null && name > 'd' ? implicit : name;
    const isFree = wanted !== null && !taken.has(wanted);
    const alias = isFree ? wanted : `c${first + index}`;
    taken.add(alias);
    return { expression, alias, isNamed: alias !== implicit };
  });
}

const style: fc.Arbitrary<Query['style']> = fc.record({
  parentheses: fc.constantFrom('all' as const, 'few' as const),
  separator: fc.constantFrom(' | ' as const, '\n' as const, '\n\n  | ' as const),
  isUpperCase: fc.boolean(),
  order: fc.nat(6),
  comment: fc.constantFrom('', '', "it's | limit: 0 -- \"", 'é'),
});

const direction = fc.constantFrom<SortItem['direction']>('', ' desc', ' asc');

const limit = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 12 }) },
);

/** Outputs that a name alone refers to. */
const plain = /^[a-z]\w*$/i;
const words = new Set(['and', 'select', 'count', 'date']);
const namable = (outputs: readonly Output[]): readonly number[] =>
  outputs.flatMap(({ alias }, index) =>
    plain.test(alias) && !words.has(alias) && !fieldNames.has(alias) ? [index] : [],
  );

const aliasOf = (indexes: readonly number[]): fc.Arbitrary<Expr> =>
  fc.constantFrom(...indexes).map((output) => ({ kind: 'alias', output }));

function filterOver(outputs: readonly Output[]): fc.Arbitrary<Expr | null> {
  const indexes = namable(outputs);
  const plainFilter = fc.option(condition, { freq: 2 });
  if (indexes.length === 0) return plainFilter;
  const byAlias = fc
    .tuple(aliasOf(indexes), fc.constantFrom('is not null', 'is null', '=', '<', '!=', 'in'), anyKind)
    .chain(([alias, op, kind]) =>
      op.startsWith('is')
        ? fc.constant(apply(op, alias))
        : ofKind(kind, 0).map((other) => apply(op, alias, other)),
    );
  return fc.oneof({ weight: 4, arbitrary: plainFilter }, { weight: 1, arbitrary: byAlias });
}

const rowsQuery: fc.Arbitrary<Query> = fc
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
  .chain(({ items, ...rest }) => {
    const outputs = named(items, 0, new Set());
    const indexes = namable(outputs);
    const byExpression = fc.oneof(
      anyKind.chain((kind) => ofKind(kind, 1)),
      bare,
    );
    const sortable = (indexes.length === 0
      ? byExpression
      : fc.oneof({ weight: 2, arbitrary: aliasOf(indexes) }, byExpression)
    ).filter(isSortable);
    return fc
      .record({
        filter: filterOver(outputs),
        sort: fc.array(fc.record({ expression: sortable, direction }), { maxLength: 2 }),
      })
      .map(({ filter, sort }): Query => ({
        ...rest,
        kind: 'rows',
        keys: [],
        outputs,
        inSelect: false,
        filter,
        finalFilter: null,
        sort,
      }));
  });

/** Text in `sort` is an alias, and an unknown name is refused. */
const isSortable = (expression: Expr): boolean =>
  expression.kind !== 'literal' && !JSON.stringify(expression).includes('"nothing_here"');

/** Results that do not depend on the order of adding. */
const exactNames = new Set<string>(['count', 'count_distinct', 'min', 'max']);
const isExact = (expression: Expr): boolean =>
  expression.kind !== 'aggregate' || exactNames.has(expression.name);

const argument = fc.oneof(
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

const groupsQuery: fc.Arbitrary<Query> = fc
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
  .chain(({ keys: drawnKeys, measures, isSelect, ...rest }) => {
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
      .map((clauses): Query => ({
        ...rest,
        ...clauses,
        kind: 'groups',
        keys,
        outputs,
        inSelect: isSelect && keys.length === 0,
        limit: rest.shape === 'traces' ? null : rest.limit,
      }));
  });

export const query: fc.Arbitrary<Query> = fc.oneof(
  { weight: 3, arbitrary: rowsQuery },
  { weight: 2, arbitrary: groupsQuery },
);

export interface Request {
  readonly query: Query;
  readonly tzOffset: number | null;
  readonly useColumnstore: boolean | null;
  readonly source: 'experiment' | 'experiments' | 'project_logs' | 'project' | 'both kinds';
}

export const request: fc.Arbitrary<Request> = fc.record({
  query,
  tzOffset: fc.constantFrom(null, 0, 480, -330, 60, -720),
  useColumnstore: fc.constantFrom(null, true, false),
  source: fc.constantFrom('project', 'experiment', 'experiments', 'project_logs', 'both kinds'),
});
