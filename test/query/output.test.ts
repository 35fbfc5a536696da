import { expect } from 'chai';
import { identifier, join, sql } from '../../src/duckdb/sql.js';
import { kindsOfBits } from '../../src/json/result-row.js';
import { typedSelect, undecidedKinds, type OutputColumn } from '../../src/query/sql/output.js';
import { oneArm, sharedEngine } from './fixture.js';
import { compile } from './golden-file.js';

describe('typed columns of a result', () => {
  const engine = sharedEngine();

  async function typesOf(columns: readonly OutputColumn[], table: ReturnType<typeof sql>) {
    const nothing = columns.map(() => '');
    const [found = {}] = await engine().all(undecidedKinds(columns, nothing, table));
    const kinds = columns.map((_, index) => kindsOfBits(Number(found[`c${index}`] ?? 0)));
    const names = join(columns.map(({ name }) => identifier(name)));
    const select = sql`FROM (${typedSelect(columns, table, kinds)}) AS typed(${names})`;
    const described = await engine().all(sql`DESCRIBE ${select}`);
    const types = described.map(({ column_name: name, column_type: type }) => [name, type]);
    return { types: Object.fromEntries(types) as object, rows: await engine().all(select) };
  }

  const resultOf = (query: string) => {
    const { columns, rows } = compile(query, oneArm);
    return typesOf(columns, sql`(${rows})`);
  };

  /** One column of JSON texts. */
  const jsonColumn = (...texts: readonly (string | null)[]) =>
    typesOf(
      [{ name: 'v', type: 'json' }],
      sql`(VALUES ${join(texts.map((text) => sql`(CAST(${text} AS VARCHAR))`))}) AS t(c0)`,
    );

  it('follow from the values', async () => {
    const { types, rows } = await resultOf(
      `select: id, metadata.w = 1 as "is ""one""", scores.x, created, metadata.v, scores.y as a, tags
       from: project('p1') | filter: id in ['r2', 'r6'] | sort: id`,
    );
    expect(types).to.deep.equal({
      id: 'VARCHAR',
      'is "one"': 'BOOLEAN',
      x: 'DOUBLE',
      created: 'TIMESTAMP WITH TIME ZONE',
      v: 'VARCHAR',
      a: 'DOUBLE',
      tags: 'VARCHAR',
    });
    expect(rows[0]).to.deep.include({ 'is "one"': true, x: 0.5, v: '1', a: null, tags: '["b"]' });
  });

  const cases: readonly (readonly [string, readonly (string | null)[], string, unknown])[] = [
    ['integers', ['1', '-2.0', null], 'BIGINT', -2n],
    ['integers up to 2^53', ['9007199254740991', '0'], 'BIGINT', 0n],
    ['integers from 2^53 on', ['9007199254740992', '0'], 'VARCHAR', '0'],
    ['integers and fractions', ['1', '0.5'], 'DOUBLE', 0.5],
    ['fractions of 17 digits', ['0.30000000000000004', '1.5e-7'], 'DOUBLE', 1.5e-7],
    ['fractions that no double holds', ['0.12345678901234567890', '1'], 'VARCHAR', '1'],
    ['numbers beyond doubles', ['1e400', '1'], 'VARCHAR', '1'],
    ['numbers that are nearly zero', ['-1e-400', '0'], 'VARCHAR', '0'],
    ['numbers with fewer digits near zero', ['4e-324', '1'], 'VARCHAR', '1'],
    ['the smallest numbers', ['0', '50e-325', '-2.5e-310'], 'DOUBLE', 5e-324],
    ['zeros', ['0.000', '-0e1', '0.00000e-400'], 'BIGINT', 0n],
    ['strings', ['"a"', '"\\"b\\""'], 'VARCHAR', '"b"'],
    ['booleans', ['true', 'false'], 'BOOLEAN', false],
    ['a string and a number', ['"a"', '1'], 'VARCHAR', '1'],
    ['objects', ['{"a":1}', '[1]'], 'VARCHAR', '[1]'],
    ['nothing', [null, null], 'VARCHAR', null],
  ];

  for (const [name, texts, type, second] of cases) {
    it(`${type} holds ${name}`, async () => {
      const { types, rows } = await jsonColumn(...texts);
      expect(types).to.deep.equal({ v: type });
      expect(rows[1]?.['v']).to.equal(second);
    });
  }

  it('hold computed numbers as integers when all are', async () => {
    const { types } = await resultOf(
      "measures: count(*) as n, avg(scores.y) as mean, sum(metadata.nothing) as none | from: project('p1')",
    );
    expect(types).to.deep.equal({ n: 'BIGINT', mean: 'DOUBLE', none: 'DOUBLE' });
  });
});
