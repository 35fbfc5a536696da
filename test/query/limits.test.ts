// The limits on the size of a query: beyond them it is refused in words, and up to them time grows about with the size.
import { expect } from 'chai';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import { compileQuery } from '../../src/query/compile.js';
import { readJsonQuery } from '../../src/query/syntax/json/query.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { oneArm } from './fixture.js';

const list = (count: number, item: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

const many = <T>(count: number, each: T): readonly T[] => Array.from({ length: count }, () => each);

const literal = (value: unknown) => ({ op: 'literal', value });

const source = {
  op: 'function',
  name: { op: 'ident', name: ['experiment'] },
  args: [literal('e1')],
};

const from = `from: experiment('e1')`;

const pivotValues = (count: number) => Array.from({ length: count }, (_, value) => value);

const compile = (text: string, values: readonly number[] = []) =>
  compileQuery(parseQuery(text), {
    relation: oneArm,
    tzOffsetMinutes: 0,
    nowMicros: 0n,
    pivotValues: values,
  });

const columns = (count: number) => `select: ${list(count, (n) => `metadata.k${n}`)} | ${from}`;

const groups = (count: number) =>
  `dimensions: ${list(count - 1, (n) => `metadata.k${n}`)} | measures: count(*) as n | ${from}`;

const sorted = (count: number) =>
  `select: id | sort: ${list(count, (n) => `metadata.k${n}`)} | ${from}`;

const unpivoted = (count: number) =>
  `measures: count(*) as n | unpivot: ${list(count, (n) => `metadata.k${n} as x${n}`)} | ${from}`;

const among = (count: number) =>
  `select: id | filter: metadata.n in [${list(count, String)}] | ${from}`;

const path = (count: number) => `select: metadata${'.a'.repeat(count)} | ${from}`;

const constants = (count: number) => `select: [${list(count, String)}] as x | ${from}`;

const pivoted = `dimensions: metadata.a | measures: count(*) as m, sum(metadata.b) as n, max(metadata.c) as o | pivot: m, n, o | ${from}`;

const cases = (count: number) =>
  `SELECT CASE ${list(count, (n) => `WHEN id = 'a${n}' THEN ${n}`, ' ')} END AS x FROM experiment('e1')`;

const keys = (count: number) =>
  `SELECT count(*) AS n FROM experiment('e1') GROUP BY ${list(count, (n) => `metadata.k${n}`)}`;

const betweens = (count: number) =>
  `SELECT id FROM experiment('e1') WHERE ${list(count / 400, () => `(${list(400, (n) => `metadata.n BETWEEN ${n} AND 2`, ' OR ')})`, ' AND ')}`;

const casts = (depth: number) =>
  `SELECT ${list(depth, () => 'CAST(', '')}id${list(depth, () => ' AS text)', '')} AS x FROM experiment('e1')`;

describe('limits of a query', () => {
  const refusals: readonly (readonly [string, () => unknown, () => unknown, string])[] = [
    [
      'columns',
      () => compile(columns(1000)),
      () => compile(columns(1001)),
      'query line 1, column 14899: more than 1000 columns: ask for fewer at a time',
    ],
    [
      'dimensions and measures',
      () => compile(groups(1000)),
      () => compile(groups(1001)),
      'query line 1, column 14914: more than 1000 columns: ask for fewer at a time',
    ],
    [
      'sort keys',
      () => compile(sorted(100)),
      () => compile(sorted(101)),
      'query line 1, column 1410: more than 100 sort keys: ask for fewer at a time',
    ],
    [
      "parts of 'unpivot'",
      () => compile(unpivoted(10)),
      () => compile(unpivoted(11)),
      "query line 1, column 226: more than 10 parts of 'unpivot': ask for fewer at a time",
    ],
    [
      'elements of a list',
      () => compile(among(10_000)),
      () => compile(among(10_001)),
      "query line 1, column 58927: more than 10000 elements in a list of 'in': ask for fewer at a time",
    ],
    [
      'parts of a path',
      () => compile(path(100)),
      () => compile(path(101)),
      'query line 1, column 217: a path has more than 100 parts below its field',
    ],
    [
      'branches of CASE',
      () => compile(cases(90)),
      () => compile(cases(110)),
      'query line 1, column 2369: expression is nested deeper than 100 levels',
    ],
    [
      'keys of GROUP BY',
      () => compile(keys(1000)),
      () => compile(keys(1001)),
      'query line 1, column 14943: more than 1000 keys of GROUP BY: ask for fewer at a time',
    ],
    [
      'casts inside casts',
      () => compile(casts(30)),
      () => compile(casts(31)),
      'query line 1, column 162: functions are nested deeper than 30 levels',
    ],
    [
      'words and signs',
      () => compile(constants(19_990)),
      () => compile(constants(20_000)),
      'query line 1, column 128893: the query has more than 40000 words, numbers, strings and signs',
    ],
    [
      'columns of a pivot',
      () => compile(pivoted, pivotValues(333)),
      () => compile(pivoted, pivotValues(334)),
      "query line 1, column 103: pivot: it would make 1002 columns, at most 1000 are possible: narrow the query with 'filter'",
    ],
  ];

  for (const [name, allowed, refused, text] of refusals)
    it(`${name}: says which and where`, () => {
      expect(allowed).not.to.throw();
      expect(refused).to.throw(QueryError, text);
    });
});

/** Processor time, which other processes do not add to; the least of several runs, in milliseconds. */
function costOf(work: () => void): number {
  const costs = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...costs));
}

const costOfQuery = (query: string) => costOf(() => void toStatement(compile(query).valueRows));

function readOrRefuse(filter: object): void {
  try {
    readJsonQuery({ select: [{ op: 'star' }], from: source, filter });
  } catch (error) {
    expect(error).to.be.instanceOf(QueryError);
  }
}

/** Once takes too short a time to measure. */
const jsonReads = 10;

const costOfJson = (filter: object) =>
  costOf(() => {
    for (let read = 0; read < jsonReads; read += 1) readOrRefuse(filter);
  });

const costOfRefusal = (query: string) =>
  costOf(() => expect(() => parseQuery(query)).to.throw(QueryError));

describe('the time from text to SQL grows about with the size of', () => {
  const growing: Readonly<Record<string, readonly [number, (size: number) => string]>> = {
    columns: [1000, columns],
    dimensions: [1000, groups],
    'sort keys': [100, sorted],
    'lists of numbers': [8000, among],
    'lists of objects': [
      4000,
      (count) => `select: id | filter: input in [${list(count, (n) => `{a: ${n}}`)}] | ${from}`,
    ],
    constants: [12_000, constants],
    arguments: [
      1000,
      (count) => `select: least(${list(count, (n) => `metadata.k${n}`)}) as x | ${from}`,
    ],
    operators: [
      2400,
      (count) =>
        `select: id | filter: ${list(count / 400, () => `(${list(400, (n) => `id = 'a${n}'`, ' or ')})`, ' and ')} | ${from}`,
    ],
    'columns of SQL': [
      1000,
      (count) => `SELECT ${list(count, (n) => `metadata.k${n}`)} FROM experiment('e1')`,
    ],
    'keys of SQL': [1000, keys],
    'bounds of SQL': [1600, betweens],
    sources: [19_000, (count) => `select: id | from: experiment(${list(count, (n) => `'e${n}'`)})`],
  };
  for (const [name, [size, text]] of Object.entries(growing))
    it(name, () => {
      const [part, whole] = [text(size / 4), text(size)];
      costOfQuery(part);
      expect(costOfQuery(whole)).to.be.lessThan(10 * costOfQuery(part));
    });

  const ofJson: Readonly<Record<string, readonly [number, (size: number) => object]>> = {
    'operators of JSON': [
      4800,
      (count) => ({
        op: 'and',
        children: many(count / 400, { op: 'or', children: many(400, literal(true)) }),
      }),
    ],
    'constants of JSON': [30_000, (count) => literal(many(count, { a: 'b' }).slice(count / 2))],
    'texts of JSON': [100, (count) => ({ op: 'or', children: many(count, { btql: 'id = 1' }) })],
    'unknown members of JSON': [
      20_000,
      (count) => Object.fromEntries(many(count, 0).map((_, n) => [`x${n}`, null])),
    ],
  };
  for (const [name, [size, form]] of Object.entries(ofJson))
    it(name, () => {
      const [part, whole] = [form(size / 4), form(size)];
      // What runs first compiles the code for what runs later.
      costOfJson(whole);
      expect(costOfJson(whole)).to.be.lessThan(10 * costOfJson(part));
    });

  const garbage: Readonly<Record<string, (size: number) => string>> = {
    garbage: (size) => 'ab ; ( ] { '.repeat(size / 11),
    'what is not closed': (size) => `select: '${'a'.repeat(size)}`,
    'line breaks': (size) => `${'\n'.repeat(size)}selct: id`,
    colons: (size) => `select: id | ${from} | filter: ${'a:'.repeat(size / 2)}`,
    brackets: (size) => `select: ${'['.repeat(size)}`,
  };
  for (const [name, text] of Object.entries(garbage))
    it(`${name}, which is refused`, () => {
      const [part, whole] = [text(240_000), text(960_000)];
      costOfRefusal(part);
      expect(costOfRefusal(whole)).to.be.lessThan(10 * costOfRefusal(part));
    });
});
