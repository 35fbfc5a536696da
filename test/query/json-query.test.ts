// A query that is JSON means what its text means, and each part that means nothing is refused with its place.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { QueryError } from '../../src/errors.js';
import { parseJson } from '../../src/json/parse.js';
import { operations } from '../../src/query/syntax/json/expression.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { query as anyQuery, withoutPlaces } from './arbitrary-query.js';
import { oneBranch } from './fixture.js';
import { compile } from './golden-file.js';
import { branch, jsonForm } from './json-form.js';
import {
  call,
  compileJson,
  eq,
  filtered,
  from,
  ident,
  literal,
  read,
  selected,
  star,
} from './json-nodes.js';

const textFilter = (text: string) =>
  parseQuery(`select: * | from: experiment('e1') | filter: ${text}`);

const jsonFormOfAll = () =>
  jsonForm(
    textFilter(
      "not (1 + 2 - 3 * 4 / 5 % 6 = 7 and 1 != 2 and 1 < 2 and 1 <= 2 and 1 > 2 and 1 >= 2 and id like 'a' and id ilike 'a' and id match 'a' and tags includes 'a' and id is null and created > now() - interval 1 day)",
    ),
  );

describe('queries as JSON', () => {
  it('are what their texts are', () => {
    fc.assert(
      fc.property(
        anyQuery.filter(({ from }) => new Set(from.map(({ kind }) => kind)).size === 1),
        (ast) => {
          expect(withoutPlaces(read(jsonForm(ast)))).to.deep.equal(withoutPlaces(ast));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('sample the share that a text has as a percentage', () => {
    for (let tenths = 0; tenths <= 1000; tenths += 1) {
      const text = `select: * | from: experiment('e1') | sample: ${tenths / 10}%`;
      const sample = { method: { type: 'rate', value: Number(`${tenths}e-3`) } };
      const { sample: expected } = parseQuery(text);
      expect(read({ select: star, from, sample }).sample, text).to.deep.equal(expected);
    }
  });

  const conditions: readonly (readonly [string, unknown, string])[] = [
    ['is', { op: 'is', left: ident('id'), right: literal(null) }, 'id is null'],
    ['is of values', { op: 'is', left: ident('id'), right: literal('a') }, "id <=> 'a'"],
    ['isnotnull', { op: 'isnotnull', expr: ident('id') }, 'id is not null'],
    ['in', { op: 'in', left: ident('id'), right: literal(['a', 'b']) }, "id in ['a', 'b']"],
    [
      'or of left, right and children',
      { op: 'or', left: literal(1), right: literal(2), children: [literal(3)] },
      '1 or 2 or 3',
    ],
    ['and of one', { op: 'and', children: [literal(true)] }, 'true'],
    ['and of none', { op: 'and', children: [] }, 'true'],
    ['or of none', { op: 'or' }, 'false'],
    [
      'if',
      {
        op: 'if',
        conds: [branch(ident('is_root'), literal(1)), branch(ident('tags'), literal(2))],
      },
      'is_root ? 1 : tags ? 2 : null',
    ],
    ['neg', eq({ op: 'neg', expr: literal(1) }, { op: 'neg', expr: ident('id') }), '-1 = -id'],
    ['singlespanfilter', { op: 'singlespanfilter', expr: ident('is_root') }, 'any_span(is_root)'],
    [
      'matchingspansfilter',
      { op: 'matchingspansfilter', expr: ident('is_root') },
      'filter_spans(is_root)',
    ],
    ['text', { btql: "metadata.split = 'odd'" }, "metadata.split = 'odd'"],
    ['text, with an op', { op: 'btql', btql: 'id = id' }, 'id = id'],
    [
      'a path with indexes',
      eq(ident('metadata', 'a b', -1, 0), literal(1)),
      'metadata["a b"][-1][0] = 1',
    ],
    ['a function in any case', call('LOWER', ident('id')), 'lower(id)'],
    ['an argument with an alias', call('lower', { expr: ident('id'), alias: 'x' }), 'lower(id)'],
    [
      'loc, which says nothing',
      { ...eq(ident('id'), literal('a')), loc: { start: 1 } },
      "id = 'a'",
    ],
    ['null, which is absent', { op: 'or', left: literal(1), right: null, children: null }, '1'],
  ];
  for (const [name, filter, text] of conditions)
    it(`${name}: ${text}`, () => {
      expect(withoutPlaces(filtered(filter))).to.deep.equal(withoutPlaces(textFilter(text)));
    });

  it('are read by every operation', () => {
    const forms = JSON.stringify(conditions) + JSON.stringify(jsonFormOfAll());
    expect(operations.filter((name) => !forms.includes(`"op":"${name}"`))).to.deep.equal([]);
  });

  it('count distinct values', () => {
    const distinct = { ...call('count', ident('id')), duplicate_treatment: 'Distinct' };
    const text = parseQuery("measures: count_distinct(id) as x | from: experiment('e1')");
    const json = read({ measures: [{ expr: distinct, alias: 'x' }], from });
    expect(withoutPlaces(json)).to.deep.equal(withoutPlaces(text));
  });

  const unnamed: readonly (readonly [string, unknown])[] = [
    ['metadata.model', ident('metadata', 'model')],
    ['lower(id)', call('lower', ident('id'))],
    ['avg(scores.accuracy)', call('avg', ident('scores', 'accuracy'))],
    ['scores.größe = tags[0]', eq(ident('scores', 'größe'), ident('tags', 0))],
    ['max(metadata["a b"][-1].from)', call('max', ident('metadata', 'a b', -1, 'from'))],
  ];
  for (const [text, expr] of unnamed)
    it(`name the column of ${text} without alias as the text does`, () => {
      const { columns } = compile(`select: ${text} | from: experiment('e1')`, oneBranch);
      expect(compileJson({ select: [{ expr }], from }).columns).to.deep.equal(columns);
    });

  it('take names like __proto__ as data', () => {
    const value = parseJson('{"__proto__": {"constructor": 1}, "toString": [2], "10": 3, "9": 4}');
    const { select } = selected(literal(value));
    const [item] = select ?? [];
    expect(item).to.have.nested.property('expression.value');
    const constant = (item as { expression: { value: ReadonlyMap<string, unknown> } }).expression;
    expect([...constant.value.keys()]).to.deep.equal(['__proto__', 'toString', '10', '9']);
    expect(() => filtered(call('__proto__', literal(1)))).not.to.throw();
    expect(() => filtered({ op: '__proto__' })).to.throw(
      QueryError,
      'query.filter.op: unknown operation "__proto__"',
    );
    expect(() => filtered({ op: 'constructor' })).to.throw(QueryError, 'unknown operation');
    expect(() => read(parseJson('{"__proto__": {}, "select": [], "from": {}}'))).to.throw(
      QueryError,
      'query: unknown member "__proto__"',
    );
  });
});
