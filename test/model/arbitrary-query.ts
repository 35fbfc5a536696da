// Random queries over the names and values that random events use.
import * as fc from 'fast-check';
import { key, rowId, scalar, word } from './arbitrary-event.js';
import {
  aggregates,
  arithmetic,
  comparisons,
  type Expr,
  type Measure,
  type PathExpr,
  type Query,
  type SortItem,
} from './query.js';

const step = fc.oneof(
  { weight: 6, arbitrary: key },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, -1) },
);
const someSteps = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(step) },
  { weight: 1, arbitrary: fc.tuple(step, step) },
);
const wideField = fc.constantFrom('metadata', 'scores', 'metadata', 'input', 'output', 'expected');
const rareField = fc.constantFrom(
  'error',
  'metrics',
  'context',
  'span_attributes',
  'origin',
  'classifications',
);
const rowField = fc.constantFrom(
  'id',
  'tags',
  'span_id',
  'root_span_id',
  'span_parents',
  'is_root',
);

const path: fc.Arbitrary<PathExpr> = fc
  .oneof(
    { weight: 8, arbitrary: fc.tuple(wideField, someSteps) },
    { weight: 2, arbitrary: fc.tuple(rareField, fc.array(step, { maxLength: 2 })) },
    { weight: 1, arbitrary: fc.tuple(wideField, fc.constant([])) },
    { weight: 2, arbitrary: fc.tuple(rowField, fc.constant([])) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('experiment_id'), fc.constant([])) },
  )
  .map(([field, steps]) => ({ kind: 'path', field, steps }));

/** `input` may hold numbers beyond every double, which are not to be calculated with. */
const measuredPath: fc.Arbitrary<PathExpr> = fc
  .tuple(fc.constantFrom('scores', 'scores', 'metadata', 'metrics'), key)
  .map(([field, name]) => ({ kind: 'path', field, steps: [name] }));

const numeral = fc.constantFrom('0', '1', '2', '0.5', '100', '9007199254740993');
const composite = fc.constantFrom('[]', '[1]', '["x"]', '{}', '{"a":1}', '{"a":1.0,"b":"x"}');
const literal: fc.Arbitrary<Expr> = fc
  .oneof(
    numeral,
    word,
    rowId.map((id) => JSON.stringify(id)),
    fc.constantFrom('true', 'false'),
  )
  .map((json) => ({ kind: 'literal', json }));
const compositeLiteral: fc.Arbitrary<Expr> = composite.map((json) => ({ kind: 'literal', json }));

const calculation: fc.Arbitrary<Expr> = fc.record({
  kind: fc.constant('arithmetic'),
  op: fc.constantFrom(...arithmetic),
  left: measuredPath,
  right: fc.oneof(
    measuredPath,
    numeral.map((json): Expr => ({ kind: 'literal', json })),
  ),
});

const operand = fc.oneof(
  { weight: 5, arbitrary: path },
  { weight: 1, arbitrary: calculation },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('coalesce'), args: fc.tuple(path, path) }),
  },
);

const comparison: fc.Arbitrary<Expr> = fc.record({
  kind: fc.constant('compare'),
  op: fc.constantFrom(...comparisons),
  left: operand,
  right: fc.oneof(
    { weight: 5, arbitrary: literal },
    { weight: 1, arbitrary: compositeLiteral },
    { weight: 2, arbitrary: path },
  ),
});

const test: fc.Arbitrary<Expr> = fc.oneof(
  { weight: 5, arbitrary: comparison },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('isNull'), operand, negated: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('includes'),
      left: path,
      right: fc.oneof(literal, compositeLiteral, path),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('in'),
      operand: path,
      list: fc.array(
        scalar.filter((text) => text !== 'null'),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
);

const condition: fc.Arbitrary<Expr> = fc.letrec<{ condition: Expr }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
    test,
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      left: tie('condition'),
      right: tie('condition'),
    }),
    fc.record({ kind: fc.constant('not'), operand: tie('condition') }),
  ),
})).condition;

const choice: fc.Arbitrary<Expr> = fc.record({
  kind: fc.constant('choice'),
  condition,
  yes: operand,
  no: fc.oneof(operand, literal),
});

const expression = fc.oneof(
  { weight: 6, arbitrary: operand },
  { weight: 2, arbitrary: condition },
  { weight: 1, arbitrary: choice },
);

const measure: fc.Arbitrary<Measure> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Measure>({ name: 'count', argument: null }) },
  {
    weight: 5,
    arbitrary: fc.record({
      name: fc.constantFrom(...aggregates),
      argument: fc.oneof(measuredPath, measuredPath, calculation),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constantFrom('count', 'count_distinct', 'min', 'max'),
      argument: expression,
    }),
  },
);

const clauses = {
  filter: fc.option(condition, { freq: 2 }),
  limit: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 6 }) },
  ),
};

const sortBy = (outputs: readonly number[]) =>
  outputs.length === 0
    ? fc.constant([])
    : fc.uniqueArray(fc.record({ output: fc.constantFrom(...outputs), descending: fc.boolean() }), {
        maxLength: 2,
        selector: ({ output }) => output,
      });

const sorted = <Q extends object>(query: Q, outputs: readonly number[]) =>
  fc.record({ query: fc.constant(query), sort: sortBy(outputs) }).map(withSort);

const withSort = <Q extends object>({ query, sort }: { query: Q; sort: readonly SortItem[] }) => ({
  ...query,
  sort,
});

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

const rowsQuery: fc.Arbitrary<Query> = fc
  .record({
    kind: fc.constant('rows'),
    select: fc.array(expression, { minLength: 1, maxLength: 4 }),
    ...clauses,
  })
  .chain((query) => sorted(query, indexes(query.select.length)));

const isInexact = ({ name }: Measure) => name === 'sum' || name === 'avg';

const groupsQuery: fc.Arbitrary<Query> = fc
  .record({
    kind: fc.constant('groups'),
    dimensions: fc.array(expression, { maxLength: 2 }),
    measures: fc.array(measure, { maxLength: 3 }),
    ...clauses,
  })
  .filter(({ dimensions, measures }) => dimensions.length + measures.length > 0)
  .chain((query) => {
    const { dimensions, measures } = query;
    const exact = indexes(dimensions.length + measures.length).filter((output) => {
      const found = measures[output - dimensions.length];
      return found === undefined || !isInexact(found);
    });
    return sorted(query, exact);
  });

export const query: fc.Arbitrary<Query> = fc.oneof(rowsQuery, groupsQuery);
