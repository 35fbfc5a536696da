import { expect } from 'chai';
import * as fc from 'fast-check';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import type { Expr, LiteralValue } from '../../src/query/syntax/ast.js';
import { compileQuery } from '../../src/query/compile.js';
import { filterBounds, type FilterBounds } from '../../src/query/filter-bounds.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { printExpression } from '../../src/query/syntax/print.js';
import { oneBranch, sharedEngine } from './fixture.js';
import { testTime } from './golden-file.js';

const context = { nowMicros: testTime, timeZone: 480 };

const queryOf = (filter: string) =>
  parseQuery(`select: id | from: experiment('e1') | filter: ${filter}`);

const micros = (text: string) => BigInt(Date.parse(text)) * 1000n;

const cases: readonly (readonly [string, FilterBounds])[] = [
  ["id = 'a'", { ids: ['a'] }],
  ["id <=> 'a' or 'b' <=> id", { ids: ['a', 'b'] }],
  ['id <=> null', {}],
  ['null <=> id', {}],
  ["'a' = id and metadata.x > 1", { ids: ['a'] }],
  ["id in ['a', 'b', 3, null] and id in ['b', 'c']", { ids: ['b'] }],
  ["id in ['c', 'b', 'a', 'b'] and id in ['b', 'd', 'c']", { ids: ['c', 'b', 'b'] }],
  ["id = 'a' and id = 'b'", { ids: [] }],
  ["id = 'a' or id in ['b']", { ids: ['a', 'b'] }],
  ["id = 'a' or scores.x > 1", {}],
  ["not id = 'a'", {}],
  ["id != 'a'", {}],
  ["id in ['a', metadata.b]", {}],
  ["metadata.id = 'a'", {}],
  ["root_span_id = 'r'", { rootSpanIds: ['r'] }],
  ["root_span_id in ['r', 's']", { rootSpanIds: ['r', 's'] }],
  ["_xact_id > '1000196022104358900'", { xactMin: 1000196022104358901n }],
  ["'1000196022104358900' >= _xact_id", { xactMax: 1000196022104358900n }],
  [
    "_xact_id = '1000196022104358900'",
    { xactMin: 1000196022104358900n, xactMax: 1000196022104358900n },
  ],
  ["_xact_id > '2'", {}],
  // Other rows of the transaction lie on both sides.
  ["_pagination_key > 'p10001960221043589000000000001'", { xactMin: 1000196022104358900n }],
  ["_pagination_key < 'p10001960221043589000000000001'", { xactMax: 1000196022104358900n }],
  [
    "'p10001960221043589000000000001' = _pagination_key",
    { xactMin: 1000196022104358900n, xactMax: 1000196022104358900n },
  ],
  ["_pagination_key > 'p1'", {}],
  ["_pagination_key > '10001960221043589000000000001'", {}],
  ["_xact_id > '9999999999999999999'", {}],
  ["created >= '2024-01-01T01:00+01:00'", { createdMin: micros('2024-01-01T00:00:00Z') }],
  [
    "created > '2024-01-01' and created < '2024-01-02T00:00:00.000001'",
    {
      createdMin: micros('2024-01-01T00:00:00Z') + 1n,
      createdMax: micros('2024-01-02T00:00:00Z'),
    },
  ],
  ["created < '1969-12-31T23:59:59.999999Z'", { createdMax: -2n }],
  [
    "created > '2024-01-01' or created > '2023-01-01'",
    { createdMin: micros('2023-01-01T00:00:00Z') + 1n },
  ],
  ["created > 'yesterday'", {}],
  ['created > now() - interval 7 day', { createdMin: testTime - 7n * 86_400_000_000n + 1n }],
  ['created <= now() - interval 1 month', { createdMax: testTime - 28n * 86_400_000_000n }],
  ['created >= now() - interval 1 month', { createdMin: testTime - 31n * 86_400_000_000n }],
  ['created < now() + interval 2 years', { createdMax: testTime + 732n * 86_400_000_000n - 1n }],
  ['created >= current_date()', { createdMin: testTime - 25n * 3_600_000_000n }],
  ['created < current_date()', { createdMax: testTime - 1n }],
  ['created > metadata.when', {}],
  ['scores.x ? true : false', {}],
];

const at = { line: 1, column: 1 };

const literal = (value: LiteralValue): Expr => ({ kind: 'literal', value, at });

const comparison = fc
  .oneof(
    fc.tuple(fc.constantFrom('id', 'root_span_id'), fc.constantFrom('r1', 'r2', 's1', 's4', 'x')),
    fc.tuple(
      fc.constant('created'),
      fc.constantFrom('2024-01-01T05:00:00Z', '2024-01-02', '2024-02-11T12:00:00.000001', 'x'),
    ),
    fc.tuple(
      fc.constant('_xact_id'),
      fc.constantFrom('1000196022104358900', '1000196022104361000', '1000196022104361001', '2'),
    ),
  )
  .chain(([field, text]) =>
    fc.record({
      kind: fc.constant('binary' as const),
      operator: fc.constantFrom(...(['=', '<=>', '!=', '<', '<=', '>', '>='] as const)),
      left: fc.constant<Expr>({ kind: 'path', steps: [field], at }),
      right: fc.constant(literal(text)),
      at: fc.constant(at),
    }),
  );

const filter: fc.Arbitrary<Expr> = fc.letrec<{ filter: Expr }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    comparison,
    tie('filter').map((operand): Expr => ({ kind: 'unary', operator: 'not', operand, at })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), tie('filter'), tie('filter'))
      .map(([operator, left, right]): Expr => ({ kind: 'binary', operator, left, right, at })),
  ),
})).filter;

const among = (column: Sql, list: readonly string[] | undefined) =>
  list === undefined
    ? sql`true`
    : sql`list_contains(${JSON.stringify(list)}::VARCHAR[], ${column})`;

const between = (column: Sql, min: bigint | undefined, max: bigint | undefined) =>
  sql`${column} BETWEEN coalesce(${min ?? null}, ${column}) AND coalesce(${max ?? null}, ${column})`;

/** The naive meaning of the bounds. */
const within = ({
  ids,
  rootSpanIds,
  createdMin,
  createdMax,
  xactMin,
  xactMax,
}: FilterBounds): Sql =>
  sql`${among(sql`id`, ids)} AND ${among(sql`root_span_id`, rootSpanIds)} AND ${between(sql`epoch_us(created)`, createdMin, createdMax)} AND ${between(sql`_xact_id`, xactMin, xactMax)}`;

describe('bounds of a filter', () => {
  for (const [text, bounds] of cases) {
    it(text, () => {
      expect(filterBounds(queryOf(text), context)).to.deep.equal(bounds);
    });
  }

  it('of a query without filter say nothing', () => {
    expect(filterBounds(parseQuery("select: id | from: experiment('e1')"), context)).to.deep.equal(
      {},
    );
  });

  it('of whole traces are about traces only', () => {
    const filter = "id = 'a' and root_span_id = 'r' and created > '2024-01-01'";
    for (const shape of ['traces', 'summary']) {
      const ast = parseQuery(`select: id | from: experiment('e1') ${shape} | filter: ${filter}`);
      expect(filterBounds(ast, context)).to.deep.equal({ rootSpanIds: ['r'] });
    }
  });

  describe('leave in every row that passes', () => {
    const engine = sharedEngine();

    it('whatever the filter', async () => {
      await fc.assert(
        fc.asyncProperty(filter, async (expression) => {
          const ast = queryOf(printExpression(expression));
          const branch = oneBranch.branches[0];
          if (branch === undefined) throw new Error('no branch');
          const rows = sql`(SELECT * FROM event WHERE ${within(filterBounds(ast, context))})`;
          const passed = await engine().all(
            compileQuery(ast, { relation: oneBranch, ...context }).rows,
          );
          const relation = { branches: [{ ...branch, rows }] };
          const found = await engine().all(compileQuery(ast, { relation, ...context }).rows);
          expect(found).to.deep.equal(passed);
        }),
        { numRuns: 200 },
      );
    });
  });
});
