// Random queries, as ASTs without positions that mean anything.
import * as fc from 'fast-check';
import {
  intervalUnits,
  isOfRows,
  shapes,
  sourceKinds,
  type BinaryOperator,
  type Expr,
  type ExpressionItem,
  type LiteralValue,
  type PathExpr,
  type QueryAst,
  type Step,
  type UnpivotItem,
} from '../../src/query/syntax/ast.js';
import { sameValue } from '../../src/query/syntax/canonical-nodes.js';
import { fieldNames } from '../../src/query/bound/fields.js';
import { scalarFunctions } from '../../src/query/value/functions.js';

const at = { line: 1, column: 1 };

/** In every text that a user could choose, so that it can be found again. */
export const marker = 'zqx';

export const userText = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('"', "'", '\\', "'; --", '"" ""', '$1', 'select', '%', '\n', "\\'", '\u001f'),
  )
  .map((text) => `${marker}${text}`);

const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const literal: fc.Arbitrary<LiteralValue> = fc.letrec<{ value: LiteralValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    userText,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(userText, tie('value')), { maxLength: 3 }).map((members) => new Map(members)),
  ),
})).value;

const step: fc.Arbitrary<Step> = fc.oneof(
  userText,
  fc.constantFrom('model', 'v', 'x', '', '*', '0', 'select', 'and'),
  fc.integer({ min: -3, max: 3 }).map((index) => index + 0),
);

const path: fc.Arbitrary<PathExpr> = fc
  .tuple(fc.constantFrom(...fieldNames, 'unheard_of'), fc.array(step, { maxLength: 3 }))
  .map(([head, steps]) => ({ kind: 'path', steps: [head, ...steps], at }));

const operators: readonly BinaryOperator[] = [
  ...(['+', '-', '*', '/', '%', '=', '<=>', '!=', '<', '<=', '>', '>='] as const),
  ...(['and', 'or', 'includes', 'like', 'ilike', 'match'] as const),
];

const leaf: fc.Arbitrary<Expr> = fc.oneof(
  path,
  literal.map((value): Expr => ({ kind: 'literal', value, at })),
);

export const rowExpression: fc.Arbitrary<Expr> = fc.letrec<{ expr: Expr }>((tie) => ({
  expr: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom(...operators), tie('expr'), tie('expr'))
      .map(([operator, left, right]): Expr =>
        operator === '<=>'
          ? sameValue(left, right, at)
          : { kind: 'binary', operator, left, right, at },
      ),
    fc
      .tuple(fc.constantFrom('not' as const, '-' as const), tie('expr'))
      .map(([operator, operand]): Expr => negated(operator, operand)),
    tie('expr').map((operand): Expr => ({ kind: 'isNull', operand, at })),
    fc
      .tuple(tie('expr'), fc.array(tie('expr'), { maxLength: 3 }))
      .map(([operand, list]): Expr => ({ kind: 'in', operand, list, at })),
    fc
      .tuple(tie('expr'), tie('expr'), tie('expr'))
      .map(([condition, whenTrue, otherwise]): Expr => ({
        kind: 'conditional',
        condition,
        whenTrue,
        otherwise,
        at,
      })),
    fc
      .tuple(
        fc.constantFrom(...Object.entries(scalarFunctions)),
        fc.array(tie('expr'), { minLength: 2, maxLength: 2 }),
      )
      .map(([[name, { minimum, maximum }], args]): Expr => {
        const count = Math.min(Math.max(minimum, args.length), maximum);
        return { kind: 'call', name, args: args.slice(0, count), at };
      }),
    tie('expr').map((arg): Expr => ({
      kind: 'call',
      name: 'json_extract',
      args: [arg, constant('a[0]')],
      at,
    })),
    tie('expr').map((arg): Expr => ({
      kind: 'call',
      name: 'date_trunc',
      args: [constant('week'), arg],
      at,
    })),
    fc
      .tuple(tie('expr'), fc.nat(50), fc.constantFrom(...intervalUnits))
      .map(([left, count, unit]): Expr => ({
        kind: 'binary',
        operator: '+',
        left,
        right: { kind: 'interval', count, unit, at },
        at,
      })),
  ),
})).expr;

const constant = (value: LiteralValue): Expr => ({ kind: 'literal', value, at });

/** The parser folds a minus sign into the number behind it. */
function negated(operator: 'not' | '-', operand: Expr): Expr {
  const isNumber = operand.kind === 'literal' && typeof operand.value === 'number';
  if (operator === 'not' || !isNumber || operand.value < 0 || Object.is(operand.value, -0)) {
    return { kind: 'unary', operator, operand, at };
  }
  return { ...operand, value: -operand.value };
}

const aggregate: fc.Arbitrary<Expr> = fc.oneof(
  fc.constant<Expr>({ kind: 'call', name: 'count', args: 'star', at }),
  fc
    .tuple(fc.constantFrom('count', 'count_distinct', 'sum', 'avg', 'min', 'max'), rowExpression)
    .map(([name, arg]): Expr => ({ kind: 'call', name, args: [arg], at })),
  fc.tuple(rowExpression, fc.constantFrom(0, 0.5, 0.95, 1)).map(([arg, fraction]): Expr => ({
    kind: 'call',
    name: 'percentile',
    args: [arg, constant(fraction)],
    at,
  })),
);

const items = (expression: fc.Arbitrary<Expr>, prefix: string, minLength: number) =>
  fc.array(fc.tuple(expression, userText), { minLength, maxLength: 3 }).map((list) =>
    list.map(([each, text], index): ExpressionItem => ({
      kind: 'expression',
      expression: each,
      alias: `${prefix}${index}${text}`,
      text: '',
      at,
    })),
  );

const sources = fc.array(
  fc.record({
    kind: fc.constantFrom(...sourceKinds),
    id: userText,
    at: fc.constant(at),
  }),
  { minLength: 1, maxLength: 2 },
);

const unpivot = fc
  .array(fc.tuple(rowExpression, fc.option(userText), userText), { maxLength: 2 })
  .map((list) =>
    list.map(([expression, key, value], index): UnpivotItem => ({
      expression,
      key: key === null ? null : `k${index}${key}`,
      value: `v${index}${value}`,
      at,
    })),
  );

const tail = {
  groupBy: fc.constant(null),
  from: sources,
  filter: fc.option(rowExpression),
  sample: fc.option(
    fc.oneof(
      fc.record({ unit: fc.constant('rows' as const), amount: fc.nat(5) }),
      fc.record({ unit: fc.constant('percent' as const), amount: fc.nat(100) }),
    ),
  ),
  limit: fc.option(fc.nat(5)),
  pivot: fc.constant([]),
  unpivot,
  cursor: fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ text: userText, at: fc.constant(at) }) },
  ),
  shape: fc.constantFrom(...shapes),
  traceFilter: fc.option(rowExpression, { freq: 1 }),
  spanFilter: fc.option(rowExpression, { freq: 1 }),
  previewLength: fc.option(fc.oneof(fc.nat(9), fc.constant('all' as const))),
};

const rowQuery: fc.Arbitrary<QueryAst> = fc.record({
  ...tail,
  select: items(rowExpression, 's', 1),
  dimensions: fc.constant([]),
  measures: fc.constant([]),
  infer: fc.constant(null),
  finalFilter: fc.constant(null),
  sort: fc.array(
    fc.record({ expression: rowExpression, descending: fc.boolean(), at: fc.constant(at) }),
    { maxLength: 2 },
  ),
});

const groupQuery: fc.Arbitrary<QueryAst> = fc.record({
  ...tail,
  select: fc.constant(null),
  infer: fc.constant(null),
  dimensions: items(rowExpression, 'd', 1),
  measures: items(aggregate, 'm', 1),
  finalFilter: fc.option(aggregate.map((left): Expr => ({ kind: 'isNull', operand: left, at }))),
  sort: fc.array(
    fc.record({ expression: aggregate, descending: fc.boolean(), at: fc.constant(at) }),
    { maxLength: 2 },
  ),
});

const inferQuery: fc.Arbitrary<QueryAst> = fc.record({
  ...tail,
  infer: fc.array(fc.oneof(fc.constant({ kind: 'star' as const, at }), path), {
    minLength: 1,
    maxLength: 3,
  }),
  select: fc.constant(null),
  dimensions: fc.constant([]),
  measures: fc.constant([]),
  finalFilter: fc.constant(null),
  sort: fc.constant([]),
  unpivot: fc.constant([]),
  cursor: fc.constant(null),
  shape: fc.constant('spans' as const),
  previewLength: fc.constant(null),
});

const withFiltersOfShape = (ast: QueryAst): QueryAst => ({
  ...ast,
  traceFilter: isOfRows(ast.shape) ? null : ast.traceFilter,
  spanFilter: ast.shape === 'traces' ? ast.spanFilter : null,
});

export const query: fc.Arbitrary<QueryAst> = fc
  .oneof(
    { weight: 5, arbitrary: rowQuery },
    { weight: 5, arbitrary: groupQuery },
    { weight: 1, arbitrary: inferQuery },
  )
  .map(withFiltersOfShape)
  .filter((ast) => ast.sort.every(sortsAnything));

/** Text in `sort` is an alias. */
const sortsAnything = ({ expression }: { expression: Expr }): boolean =>
  expression.kind !== 'literal' && (expression.kind !== 'path' || expression.steps.length > 1);

const places = new Set(['at', 'text']);

/** The same AST wherever its parts stood. */
export function withoutPlaces(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([k, v]) => [k, withoutPlaces(v)]));
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !places.has(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutPlaces(member)]));
}
