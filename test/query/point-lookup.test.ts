import { expect } from 'chai';
import { prepareQuery } from '../../src/query/compile.js';
import { newestLookup, pointLookup } from '../../src/query/point-lookup.js';
import { parseQuery } from '../../src/query/syntax/parse.js';

const lookupOf = (clauses: string, shape = 'spans') =>
  pointLookup(prepareQuery(parseQuery(`from: experiment('e1') ${shape} | ${clauses}`)));

const found: Readonly<Record<string, { readonly by: string; readonly values: readonly string[] }>> =
  {
    "select: * | filter: id = 'a'": { by: 'id', values: ['a'] },
    "select: id, input as i, _object_delete | filter: 'a' = id": { by: 'id', values: ['a'] },
    "select: tags | filter: root_span_id in ['a', 'b'] | limit: 0": {
      by: 'root_span_id',
      values: ['a', 'b'],
    },
    "select: id | filter: root_span_id = 'a' and id in ['b', 'c']": {
      by: 'id',
      values: ['b', 'c'],
    },
  };

const queried = [
  'select: *',
  "select: * | filter: id != 'a'",
  "select: * | filter: not (id in ['a'])",
  "select: * | filter: id = 'a' or id = 'b'",
  "select: * | filter: id = 'a' and is_root",
  "select: * | filter: id in ['a', 3]",
  'select: * | filter: id = 3',
  "select: * | filter: span_id = 'a'",
  "select: * | filter: metadata.id = 'a'",
  "select: * | filter: id = '\ud800'",
  "select: input.x | filter: id = 'a'",
  "select: 1 as one | filter: id = 'a'",
  "select: comments | filter: id = 'a'",
  "select: * | filter: id = 'a' | sort: created",
  "select: * | filter: id = 'a' | sample: 1",
  "select: * | filter: id = 'a' | preview_length: 3",
  "select: * | filter: id = 'a' | cursor: 'c'",
  "measures: count(1) | filter: id = 'a'",
  "dimensions: id | filter: id = 'a'",
  "infer: input | filter: id = 'a'",
  "select: * | unpivot: tags as tag | filter: id = 'a'",
];

describe('queries that are answered from stored rows', () => {
  for (const [clauses, expected] of Object.entries(found))
    it(clauses, () => {
      const { by, values } = lookupOf(clauses) ?? {};
      expect({ by, values }).to.deep.equal(expected);
    });

  for (const clauses of queried)
    it(`but not: ${clauses}`, () => {
      expect(lookupOf(clauses)).to.equal(null);
    });

  for (const shape of ['traces', 'summary', 'versions'])
    it(`but not of the shape ${shape}`, () => {
      expect(lookupOf("select: * | filter: id = 'a'", shape)).to.equal(null);
    });

  for (const [clauses, limit] of [
    ['select: * | limit: 10', 10],
    ['select: id, tags as t | limit: 100', 100],
    ['select: * | limit: 101', null],
    ['select: * | limit: 0', null],
    ['select: *', null],
    ["select: * | filter: id = 'a' | limit: 10", null],
    ['select: input.x | limit: 10', null],
    ['select: * | sort: _xact_id | limit: 10', null],
    ["select: * | limit: 10 | cursor: 'c'", null],
    ['select: * | sample: 1 | limit: 10', null],
    ['select: * | preview_length: 3 | limit: 10', null],
    ['infer: input | limit: 10', null],
  ] as const)
    it(`${clauses}: ${limit === null ? 'not of the newest rows' : 'the newest rows'}`, () => {
      const prepared = prepareQuery(parseQuery(`from: experiment('e1') | ${clauses}`));
      expect(newestLookup(prepared)?.limit ?? null).to.equal(limit);
    });
});
