import { expect } from 'chai';
import * as fc from 'fast-check';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import type { QueryAst } from '../../src/query/syntax/ast.js';
import { compileQuery } from '../../src/query/compile.js';
import { textRows, typedSelect } from '../../src/query/sql/output.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { printQuery } from '../../src/query/syntax/print.js';
import { marker, query, withoutPlaces } from './arbitrary-query.js';
import { oneBranch, otherRelations, sharedEngine } from './fixture.js';
import { testTime } from './golden-file.js';

const compile = (ast: QueryAst, relation = oneBranch) =>
  compileQuery(ast, { relation, timeZone: 480, nowMicros: testTime });

/** Null for the queries that mean nothing. */
function compiled(ast: QueryAst, relation = oneBranch) {
  try {
    return compile(ast, relation);
  } catch (error) {
    if (error instanceof QueryError) return null;
    throw error;
  }
}

const nested = (depth: number) =>
  `select: ${'('.repeat(depth)}1${')'.repeat(depth)} as one | from: experiment('e1')`;

const wrapped = (wrap: (inner: string) => string, depth: number) =>
  `select: ${Array.from({ length: depth }).reduce<string>((inner) => wrap(inner), 'metadata.x')} as x | from: experiment('e1')`;

const chain = (length: number) =>
  `select: id | from: experiment('e1') | filter: ${Array.from({ length }, () => "id = 'a'").join(' or ')}`;

const ilike = (pattern: string) =>
  compile(parseQuery(`select: id | from: experiment('e1') | filter: input ilike ${pattern}`));

const sizeOf = (expression: string): number =>
  toStatement(
    compile(parseQuery(`select: ${expression} as x | from: experiment('e1') | sort: x`)).valueRows,
  ).text.length;

const quotedIdentifiers = /"(?:[^"]|"")*"/g;

const calls = (count: number) =>
  `select: ${Array.from({ length: count }, (_, n) => `len(id) as c${n}`).join(', ')} | from: experiment('e1')`;

/** Operators in a row, in parentheses in the next row. */
const chains = (rows: number, count: number, operator: string): string => {
  const rest = ` ${operator} metadata.b`.repeat(count);
  const filter = Array.from({ length: rows }).reduce<string>((inner) => `(${inner}${rest})`, 'id');
  return `select: id | from: experiment('e1') | filter: ${filter}`;
};

describe('query compiler', () => {
  const engine = sharedEngine();

  it('reads what it prints', () => {
    fc.assert(
      fc.property(query, (ast) => {
        const read = parseQuery(printQuery(ast));
        expect(withoutPlaces(read), printQuery(ast)).to.deep.equal(withoutPlaces(ast));
      }),
      { numRuns: 300 },
    );
  });

  it('writes no user text outside of parameters and quoted identifiers', () => {
    fc.assert(
      fc.property(query, (ast) => {
        const result = compiled(ast);
        if (result === null) return;
        const { columns, rows } = result;
        expect(toStatement(textRows(columns, rows)).text).not.to.contain(marker);
        const kinds = columns.map(() => 'j');
        const typed = toStatement(typedSelect(columns, rows, kinds)).text;
        expect(typed.replaceAll(quotedIdentifiers, '')).not.to.contain(marker);
      }),
      { numRuns: 300 },
    );
  });

  it('writes SQL that the engine runs, with the same rows however they are stored', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (ast) => {
        const one = compiled(ast);
        if (one === null) return;
        const rows = await engine().result(one.columns, one.valueRows);
        for (const [name, relation] of Object.entries(otherRelations)) {
          const other = compile(ast, relation);
          expect(await engine().result(other.columns, other.valueRows), name).to.deep.equal(rows);
          expect(other.columns, name).to.deep.equal(one.columns);
        }
        for (const { text, kinds } of rows)
          expect(Object.keys(JSON.parse(text) as object)).to.have.length(kinds.length);
        const written = await engine().all(textRows(one.columns, one.rows));
        expect(written.map(({ row }) => JSON.parse(String(row)) as object)).to.deep.equal(
          rows.map(({ text }) => JSON.parse(text) as object),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('writes SQL that grows with the depth of a query, not with its powers', () => {
    const wrappers: readonly ((inner: string) => string)[] = [
      (inner) => `coalesce(${inner}, metadata.v)`,
      (inner) => `least(${inner}, metadata.w, 1)`,
      (inner) => `nullif(${inner}, metadata.w)`,
      (inner) => `to_string(to_number(${inner}))`,
      (inner) => `to_datetime(concat(${inner}))`,
      (inner) => `json_extract(${inner}, 'a')`,
      (inner) => `(${inner} includes metadata.w ? ${inner.length} : metadata.v)`,
      (inner) => `(${inner} in [metadata.w, 1, [2]])`,
      (inner) => `(${inner} = metadata.w)`,
      (inner) => `(${inner} match metadata.w)`,
      (inner) => `(${inner} ilike metadata.w)`,
      (inner) => `(metadata.w like (${inner} match metadata.w))`,
      (inner) => `(metadata.w ilike (${inner} match metadata.w))`,
      (inner) => `(metadata.w match (${inner} match metadata.w))`,
      (inner) => `len(${inner})`,
      (inner) => `to_date(${inner})`,
      (inner) => `to_boolean(${inner})`,
    ];
    for (const wrap of wrappers) {
      const nested = (depth: number): string =>
        depth === 0 ? 'metadata.v' : wrap(nested(depth - 1));
      const [half, whole] = [sizeOf(nested(7)), sizeOf(nested(14))];
      expect(whole / half, wrap('x')).to.be.lessThan(2.5);
    }
  });

  it('refuses patterns that the engine cannot compile', async () => {
    await engine().all(ilike(`'${'%é'.repeat(5000)}'`).rows);
    expect(() => ilike(`'${'a'.repeat(10_001)}'`)).to.throw(
      QueryError,
      "query line 1, column 59: the pattern of 'ilike' has 10001 characters, the limit is 10000",
    );
    const long = `concat(${Array.from({ length: 30 }, () => `'${'é'.repeat(9999)}'`).join(', ')})`;
    expect(await engine().all(ilike(long).rows)).to.deep.equal([]);
  });

  it('refuses nesting that would exhaust the stack', () => {
    expect(() => parseQuery(nested(90))).not.to.throw();
    expect(() => parseQuery(nested(5000))).to.throw(QueryError, 'nested deeper than 100 levels');
    expect(() => compile(parseQuery(chain(500)))).not.to.throw();
    expect(() => parseQuery(chain(1000))).to.throw(QueryError, 'more than 500 operators in a row');
    expect(() => compile(parseQuery(chains(1, 480, 'and')))).not.to.throw();
    expect(() => parseQuery(chains(9, 480, 'and'))).to.throw(
      QueryError,
      'the expression is nested deeper than 1000 levels, including operators in a row',
    );
    expect(() => compile(parseQuery(chains(3, 10, '<=>')))).not.to.throw();
    expect(() => parseQuery(chains(3, 11, '<=>'))).to.throw(
      QueryError,
      "'<=>' is nested deeper than 30 levels, including several in a row",
    );
    for (const operator of ['like', 'ilike', 'match'])
      expect(() => parseQuery(chains(1, 31, operator))).to.throw(
        QueryError,
        `'${operator}' is nested deeper than 30 levels, including several in a row`,
      );
    expect(() => parseQuery(wrapped((inner) => `${inner} in [1]`, 31))).to.throw(
      QueryError,
      "'in' is nested deeper than 30 levels, including several in a row",
    );
  });

  it('refuses what would take long to parse or to plan', () => {
    expect(() => parseQuery(wrapped((inner) => `least(${inner}, 1)`, 31))).to.throw(
      QueryError,
      'query line 1, column 189: functions are nested deeper than 30 levels',
    );
    expect(() => parseQuery(chain(100_000))).to.throw(
      QueryError,
      /^query line 1, column 1: the query has 1\d{6} characters, the limit is 1000000$/,
    );
    expect(() => parseQuery(calls(501))).to.throw(QueryError, 'more than 500 calls of functions');
    expect(() => parseQuery(calls(500))).not.to.throw();
  });

  for (const wrap of [
    (inner: string) => `json_extract(${inner}, 'a')`,
    (inner: string) => `least(${inner}, 'a')`,
    (inner: string) => `(least(${inner}, 'a') ? tags : metadata)`,
    (inner: string) => `(json_extract(${inner}, 'a') ? tags : metadata)`,
    (inner: string) => `len(to_boolean(${inner}))`,
    (inner: string) => `concat(to_boolean(${inner}), 'a')`,
    (inner: string) => `to_boolean(to_number(${inner}))`,
    (inner: string) => `coalesce(json_extract(${inner}, 'a'), id)`,
    (inner: string) => `(1 / ${inner})`,
    (inner: string) => `(7 % ${inner})`,
    (inner: string) => `coalesce(is_root ? input : output, ${inner})`,
    (inner: string) => `nullif(is_root ? input : output, ${inner})`,
    (inner: string) => `contains(is_root ? input : output, ${inner})`,
  ])
    it(`the engine plans ${wrap('…')} nested 30 times`, async () => {
      const levels = wrap('').split('(').length - 1;
      const query = compile(parseQuery(wrapped(wrap, 30 / levels)));
      expect(await engine().all(query.rows)).not.to.deep.equal([]);
    });

  for (const wrap of [
    (inner: string) => `((is_root ? input : output) = ${inner} ? input : output)`,
    (inner: string) => `(is_root ? input : output) in [${inner}]`,
  ])
    it(`the engine plans ${wrap('…')} nested 30 times`, async () => {
      expect(await engine().all(compile(parseQuery(wrapped(wrap, 30))).rows)).not.to.deep.equal([]);
    });

  for (const argument of ['lower(metadata.k)', '(is_root ? input : output)'])
    it(`the engine plans 60 arguments ${argument} of coalesce`, async () => {
      const args = Array.from({ length: 60 }, () => argument).join(', ');
      await engine().all(
        compile(parseQuery(`select: coalesce(${args}) as x | from: experiment('e1')`)).rows,
      );
    });
});
