import { expect } from 'chai';
import { identifier, join, sql } from '../../src/duckdb/sql.js';
import { kindsOfBits } from '../../src/json/result-row.js';
import type { ColumnType } from '../../src/query/bound/column-type.js';
import { typedSelect, undecidedKinds, type OutputColumn } from '../../src/query/sql/output.js';
import { oneBranch, sharedEngine } from './fixture.js';
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
    const { columns, rows } = compile(query, oneBranch);
    return typesOf(columns, sql`(${rows})`);
  };

  /** One column of JSON texts. */
  const jsonColumn = (...texts: readonly (string | null)[]) =>
    typesOf(
      [{ name: 'v', type: 'json' }],
      sql`(VALUES ${join(texts.map((text) => sql`(CAST(${text} AS VARCHAR))`))}) AS t(c0)`,
    );

  it('are those of the schema and of functions, whatever the values are', async () => {
    const query = `select: id, metadata.w = 1 as "is ""one""", scores.x, created, metadata.v, scores.y as a, tags,
        metrics.nothing, len(tags) as n, 1 as one, 0.5 as half, coalesce(scores.x, 0) as c, span_attributes.name,
        context.caller_lineno as line, scores, metadata.w + 1 as more, day(created) as day, tags[0] as tag,
        metadata.w = 1 ? 1 : 0.5 as either, to_integer(metadata.w) as whole, nullif(len(id), 2) as n2,
        greatest(scores.x, 2) as top, coalesce(null, created) as at
       from: project('p1') | sort: id`;
    const expected = {
      id: 'VARCHAR',
      'is "one"': 'BOOLEAN',
      x: 'DOUBLE',
      created: 'TIMESTAMP WITH TIME ZONE',
      a: 'DOUBLE',
      tags: 'VARCHAR[]',
      nothing: 'DOUBLE',
      n: 'BIGINT',
      one: 'BIGINT',
      half: 'DOUBLE',
      c: 'DOUBLE',
      name: 'VARCHAR',
      line: 'BIGINT',
      scores: 'JSON',
      more: 'DOUBLE',
      day: 'TIMESTAMP WITH TIME ZONE',
      tag: 'VARCHAR',
      either: 'DOUBLE',
      whole: 'BIGINT',
      n2: 'BIGINT',
      top: 'DOUBLE',
      at: 'TIMESTAMP WITH TIME ZONE',
    };
    const some = await resultOf(`${query} | filter: id in ['r2', 'r6']`);
    expect(some.types).to.deep.equal({ ...expected, v: 'VARCHAR' });
    expect(some.rows[0]).to.deep.include({
      'is "one"': true,
      x: 0.5,
      v: '1',
      a: null,
      tags: ['b'],
    });
    const none = await resultOf(`${query} | filter: id = 'nobody'`);
    expect(none.types).to.deep.equal({ ...expected, v: 'VARCHAR' });
  });

  it('are those of aggregates and of the keys of groups', async () => {
    const query = `dimensions: scores.x as x, tags, len(tags) as l, is_root | measures: count(*) as n, avg(scores.y) as mean,
      sum(metadata.nothing) as none, max(scores.x) as top, min(created) as first, any_value(len(id)) as some,
      count_distinct(id) as ids, max(tags) as t, percentile(metrics.start, 50%) as p from: project('p1')`;
    const expected = {
      x: 'DOUBLE',
      tags: 'VARCHAR[]',
      l: 'BIGINT',
      is_root: 'BOOLEAN',
      n: 'BIGINT',
      mean: 'DOUBLE',
      none: 'DOUBLE',
      top: 'DOUBLE',
      first: 'TIMESTAMP WITH TIME ZONE',
      some: 'BIGINT',
      ids: 'BIGINT',
      t: 'VARCHAR[]',
      p: 'DOUBLE',
    };
    expect((await resultOf(query)).types).to.deep.equal(expected);
    expect((await resultOf(`${query} | filter: id = 'nobody'`)).types).to.deep.equal(expected);
  });

  it('are those of the members of an unpivot', async () => {
    const query = `select: name, value, tag | unpivot: scores as (name, value), tags as tag from: project('p1')`;
    const expected = { name: 'VARCHAR', value: 'DOUBLE', tag: 'VARCHAR' };
    expect((await resultOf(query)).types).to.deep.equal(expected);
    expect((await resultOf(`${query} | filter: id = 'nobody'`)).types).to.deep.equal(expected);
  });

  const cases: readonly (readonly [string, readonly (string | null)[], string, unknown])[] = [
    ['integers', ['1', '-2.0', null], 'BIGINT', -2n],
    ['integers up to 2^53', ['9007199254740991', '0'], 'BIGINT', 0n],
    ['integers up to 2^63', ['1', '-9223372036854775808'], 'BIGINT', -(2n ** 63n)],
    ['integers that no double holds', ['1', '9007199254740993'], 'BIGINT', 9007199254740993n],
    ['integers from 2^63 on', ['9223372036854775808', '0'], 'JSON', '0'],
    ['integers beyond 2^53 and fractions', ['9007199254740993', '0.5'], 'JSON', '0.5'],
    ['integers and fractions', ['1', '0.5'], 'DOUBLE', 0.5],
    ['fractions of 17 digits', ['0.30000000000000004', '1.5e-7'], 'DOUBLE', 1.5e-7],
    ['fractions that no double holds', ['0.12345678901234567890', '1'], 'JSON', '1'],
    ['numbers beyond doubles', ['1e400', '1'], 'JSON', '1'],
    ['numbers that are nearly zero', ['-1e-400', '0'], 'JSON', '0'],
    ['numbers with fewer digits near zero', ['4e-324', '1'], 'JSON', '1'],
    ['the smallest numbers', ['0', '50e-325', '-2.5e-310'], 'DOUBLE', 5e-324],
    ['zeros', ['0.000', '-0e1', '0.00000e-400'], 'BIGINT', 0n],
    ['strings', ['"a"', '"\\"b\\""'], 'VARCHAR', '"b"'],
    ['booleans', ['true', 'false'], 'BOOLEAN', false],
    ['a string and a number', ['"a"', '1'], 'JSON', '1'],
    ['objects', ['{"a":1}', '[1]'], 'JSON', '[1]'],
    ['nothing', [null, null], 'VARCHAR', null],
  ];

  for (const [name, texts, type, second] of cases) {
    it(`${type} holds ${name}`, async () => {
      const { types, rows } = await jsonColumn(...texts);
      expect(types).to.deep.equal({ v: type });
      expect(rows[1]?.['v']).to.equal(second);
    });
  }

  /** JSON texts in a column of a given type, and how many of them do not fit it. */
  async function givenColumn(type: ColumnType, ...texts: readonly (string | null)[]) {
    const columns = [{ name: 'v', type: 'json', typedAs: type } as const];
    const table = sql`(VALUES ${join(texts.map((text) => sql`(CAST(${text} AS VARCHAR))`))}) AS t(c0)`;
    const [counted = {}] = await engine().all(undecidedKinds(columns, [''], table));
    const rows = await engine().all(typedSelect(columns, table, ['']));
    return { values: rows.map((row) => row['c0']), misfits: Number(counted['misfits']) };
  }

  const fits: readonly (readonly [ColumnType, readonly (string | null)[], readonly unknown[]])[] = [
    ['BIGINT', ['1', '2.0', '9007199254740993', null], [1n, 2n, 9007199254740993n, null]],
    ['BIGINT', ['0.5', '"1"', 'true', '9223372036854775808', '[1]', '1e400'], []],
    ['BIGINT', ['1.00000000000000000001', '{"a":1}'], []],
    ['DOUBLE', ['1', '0.5', '0.12345678901234567890'], [1, 0.5, 0.12345678901234568]],
    ['DOUBLE', ['9007199254740993', '1e22'], [9007199254740992, 1e22]],
    ['DOUBLE', ['1e400', '"0.5"', 'true', '[]', '{}'], []],
    ['BOOLEAN', ['true', 'false', null], [true, false, null]],
    ['BOOLEAN', ['0', '1', '"true"', '[true]'], []],
    ['VARCHAR', ['"a"', '"\\u0001\\""', '""'], ['a', '\u0001"', '']],
    ['VARCHAR', ['1', 'true', '["a"]', '{"a":"b"}'], []],
    ['TIMESTAMPTZ', ['"1970-01-01T00:00:01Z"', '"1970"'], [1_000_000n, 0n]],
    ['TIMESTAMPTZ', ['"today"', '0', 'true'], []],
    ['JSON', ['1', '"a"', '{"a":[1]}', null], ['1', '"a"', '{"a":[1]}', null]],
    ['VARCHAR[]', ['["a","\\u00e9\\u0000"]', '[]', null], [['a', 'é\0'], [], null]],
  ];

  for (const [type, texts, values] of fits)
    it(`${type}, when given, ${values.length > 0 ? 'holds' : 'is not for'} ${texts.join(', ')}`, async () => {
      expect(await givenColumn(type, ...texts)).to.deep.equal(
        values.length > 0
          ? { values, misfits: 0 }
          : { values: texts.map(() => null), misfits: texts.length },
      );
    });
});
