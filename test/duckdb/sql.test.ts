import { expect } from 'chai';
import {
  contentOf,
  emptySql,
  identifier,
  join,
  sql,
  toStatement,
  trusted,
  word,
  type Sql,
} from '../../src/duckdb/sql.js';

/** As a type assertion on parsed JSON would pass it off. */
const asFragment = (value: unknown) => value as Sql;

describe('SQL fragments', () => {
  it('hold any number of parts', () => {
    const values = Array.from({ length: 200_000 }, (_, index) => sql`${index}`);
    const { text, values: parameters } = toStatement(sql`SELECT 1 WHERE 1 IN (${join(values)})`);
    expect(text).to.match(/^SELECT 1 WHERE 1 IN \(\$1, \$2, .*\$200000\)$/);
    expect(parameters).to.have.length(200_000);
  });

  describe('are made in their module alone', () => {
    const real = sql`SELECT ${'x'}`;
    const likenesses: Readonly<Record<string, unknown>> = {
      'an object with parts': JSON.parse('{"parts":["DROP TABLE event"]}'),
      'an object with all keys of a fragment': Object.assign({}, real),
      'a copy of a fragment': structuredClone(real),
      'an object with the prototype of fragments': Object.assign(
        Object.create(Object.getPrototypeOf(real) as object),
        { parts: ['DROP TABLE event'] },
      ),
      'a statement': toStatement(real),
      'an object that inherits from a fragment': Object.create(real),
      'an empty object': {},
      'a map': new Map(),
      undefined: undefined,
      'a function': () => real,
      'a symbol': Symbol('x'),
      'an array with an object': ['a', { parts: ['b'] }],
      'an array of numbers': [1],
      'an array in an array': [['a']],
    };
    for (const [name, value] of Object.entries(likenesses))
      it(`so that ${name} is neither spliced, joined nor run`, () => {
        expect(() => sql`SELECT ${asFragment(value)}`).to.throw(
          TypeError,
          /^SQL: expected a fragment or a parameter, got /,
        );
        for (const use of [
          () => join([asFragment(value)]),
          () => join([real, asFragment(value)]),
          () => toStatement(asFragment(value)),
          () => contentOf(asFragment(value)),
        ])
          expect(use).to.throw(TypeError, /^SQL: expected a fragment, got /);
      });
  });

  it('take every kind of parameter, and nothing of its text', () => {
    const values = ['a"b\'$1', 1.5, 2n, true, null, [], ['a', 'b']] as const;
    const { text, values: parameters } = toStatement(join(values.map((value) => sql`${value}`)));
    expect(text).to.equal('$1, $2, $3, $4, $5, $6, $7');
    expect(parameters).to.deep.equal(values);
  });

  it('quote identifiers', () => {
    expect(toStatement(identifier('a"; DROP TABLE b; --')).text).to.equal(
      '"a""; DROP TABLE b; --"',
    );
  });

  it('take single words of the program without quotes, and nothing else', () => {
    for (const text of ['f0', 'e1.key', 'VARCHAR[]', -1, 18446744073709551615n.toString()])
      expect(toStatement(word(text)).text).to.equal(String(text));
    for (const text of ['', 'a b', 'a;', "'a'", '"a"', 'a)', 'a.', '[]', 'a\n', '1e+21', NaN + '!'])
      expect(() => word(text), text).to.throw(TypeError, 'SQL: expected one word');
  });

  it('take trusted text only as text', () => {
    expect(toStatement(trusted("SET x = 'y'")).text).to.equal("SET x = 'y'");
    expect(() => trusted(JSON.parse('["a"]') as string)).to.throw(TypeError, 'SQL: expected text');
  });

  it('can be empty', () => {
    expect(toStatement(sql`${emptySql}`)).to.deep.equal({ text: '', values: [] });
  });
});
