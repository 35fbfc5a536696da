// Random queries over the names and values that random events use.
import * as fc from 'fast-check';
import { apply, calculations, comparisons, type Expr, type PathExpr } from '../expression.js';
import { outputsOf, plainQuery, type Output, type Query, type SortItem } from '../query.js';
import { key, rowId, scalar, word } from './arbitrary-event.js';

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

/** An operator or function of random operands. */
const applied = (
  op: fc.Arbitrary<string>,
  ...args: readonly fc.Arbitrary<Expr>[]
): fc.Arbitrary<Expr> => fc.tuple(op, fc.tuple(...args)).map(([op, args]) => apply(op, ...args));

const always = (op: string) => fc.constant(op);

const calculation = applied(
  fc.constantFrom(...calculations),
  measuredPath,
  fc.oneof(
    measuredPath,
    numeral.map((json): Expr => ({ kind: 'literal', json })),
  ),
);

const operand = fc.oneof(
  { weight: 5, arbitrary: path },
  { weight: 1, arbitrary: calculation },
  { weight: 1, arbitrary: applied(always('coalesce'), path, path) },
);

const comparison = applied(
  fc.constantFrom(...comparisons),
  operand,
  fc.oneof(
    { weight: 5, arbitrary: literal },
    { weight: 1, arbitrary: compositeLiteral },
    { weight: 2, arbitrary: path },
  ),
);

const elements = fc
  .array(
    scalar.filter((text) => text !== 'null'),
    { minLength: 1, maxLength: 3 },
  )
  .map((texts) => texts.map((json): Expr => ({ kind: 'literal', json })));

const test: fc.Arbitrary<Expr> = fc.oneof(
  { weight: 5, arbitrary: comparison },
  { weight: 2, arbitrary: applied(fc.constantFrom('is null', 'is not null'), operand) },
  {
    weight: 1,
    arbitrary: applied(always('includes'), path, fc.oneof(literal, compositeLiteral, path)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(path, elements).map(([operand, list]) => apply('in', operand, ...list)),
  },
);

export const condition: fc.Arbitrary<Expr> = fc.letrec<{ condition: Expr }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
    test,
    applied(fc.constantFrom('and', 'or'), tie('condition'), tie('condition')),
    applied(always('not'), tie('condition')),
  ),
})).condition;

const choice = applied(always('?:'), condition, operand, fc.oneof(operand, literal));

const expression = fc.oneof(
  { weight: 6, arbitrary: operand },
  { weight: 2, arbitrary: condition },
  { weight: 1, arbitrary: choice },
);

const aggregateOf = (names: readonly string[], argument: fc.Arbitrary<Expr>): fc.Arbitrary<Expr> =>
  fc
    .tuple(fc.constantFrom(...names), argument)
    .map(([name, argument]): Expr => ({ kind: 'aggregate', name, args: [argument] }));

const ofAnything = ['count', 'count_distinct', 'min', 'max'];

const measure: fc.Arbitrary<Expr> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Expr>({ kind: 'aggregate', name: 'count', args: [] }) },
  {
    weight: 5,
    arbitrary: aggregateOf(
      [...ofAnything, 'sum', 'avg'],
      fc.oneof(measuredPath, measuredPath, calculation),
    ),
  },
  { weight: 3, arbitrary: aggregateOf(ofAnything, expression) },
);

const clauses = {
  filter: fc.option(condition, { freq: 2 }),
  limit: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 6 }) },
  ),
};

/** The order of sums depends on how they are added up. */
const isInexact = ({ expression }: Output) =>
  expression.kind === 'aggregate' && ['sum', 'avg'].includes(expression.name);

function sorted(query: Query): fc.Arbitrary<Query> {
  const outputs = outputsOf(query).flatMap((each, output) => (isInexact(each) ? [] : [output]));
  if (outputs.length === 0) return fc.constant(query);
  const item: fc.Arbitrary<SortItem> = fc.record({
    expression: fc.constantFrom(...outputs.map((output): Expr => ({ kind: 'alias', output }))),
    direction: fc.constantFrom('' as const, ' desc' as const),
  });
  return fc
    .uniqueArray(item, { maxLength: 2, selector: textOfItem })
    .chain((sort) => fc.constant({ ...query, sort }));
}

const textOfItem = ({ expression }: SortItem) => JSON.stringify(expression);

/** Outputs are called c0, c1, …; those of a grouped query are its dimensions, then its measures. */
const named = (expressions: readonly Expr[], first: number): readonly Output[] =>
  expressions.map((each, index) => ({
    expression: each,
    alias: `c${first + index}`,
    isNamed: true,
  }));

interface Drawn {
  readonly filter: Expr | null;
  readonly limit: number | null;
}

const ofRows = ({ select, ...rest }: Drawn & { readonly select: readonly Expr[] }): Query => ({
  ...plainQuery('rows'),
  ...rest,
  outputs: named(select, 0),
});

const ofGroups = ({
  dimensions,
  measures,
  ...rest
}: Drawn & {
  readonly dimensions: readonly Expr[];
  readonly measures: readonly Expr[];
}): Query => ({
  ...plainQuery('groups'),
  ...rest,
  keys: named(dimensions, 0),
  outputs: named(measures, dimensions.length),
});

const rowsQuery = fc
  .record({ select: fc.array(expression, { minLength: 1, maxLength: 4 }), ...clauses })
  .map(ofRows);

const groupsQuery = fc
  .record({
    dimensions: fc.array(expression, { maxLength: 2 }),
    measures: fc.array(measure, { maxLength: 3 }),
    ...clauses,
  })
  .filter(({ dimensions, measures }) => dimensions.length + measures.length > 0)
  .map(ofGroups);

export const query: fc.Arbitrary<Query> = fc.oneof(rowsQuery, groupsQuery).chain(sorted);
