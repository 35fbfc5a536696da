// Up to the limits on the size of a query, the time from text to SQL grows about with the size.
import { expect } from 'chai';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import { readJsonQuery } from '../../src/query/syntax/json/query.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import {
  among,
  betweens,
  columns,
  compile,
  constants,
  from,
  groups,
  keys,
  list,
  sorted,
} from './large-queries.js';

const many = <T>(count: number, each: T): readonly T[] => Array.from({ length: count }, () => each);

/** How much longer four times the size may take: quadratic growth is 16, and garbage collection makes linear growth up to 10. */
const subquadratic = 14;

const literal = (value: unknown) => ({ op: 'literal', value });

const source = {
  op: 'function',
  name: { op: 'ident', name: ['experiment'] },
  args: [literal('e1')],
};

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
    sources: [1000, (count) => `select: id | from: experiment(${list(count, (n) => `'e${n}'`)})`],
  };
  for (const [name, [size, text]] of Object.entries(growing))
    it(name, () => {
      const [part, whole] = [text(size / 4), text(size)];
      costOfQuery(part);
      expect(costOfQuery(whole)).to.be.lessThan(subquadratic * costOfQuery(part));
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
      expect(costOfJson(whole)).to.be.lessThan(subquadratic * costOfJson(part));
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
      expect(costOfRefusal(whole)).to.be.lessThan(subquadratic * costOfRefusal(part));
    });
});
