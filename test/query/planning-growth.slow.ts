// Up to the limits on the size of a query, the time from text to SQL grows about with the size.
import { expect } from 'chai';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import { readJsonQuery } from '../../src/query/syntax/json/query.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { expectLinear, sizeRatio } from '../support/processor-time.js';
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

const literal = (value: unknown) => ({ op: 'literal', value });

const source = {
  op: 'function',
  name: { op: 'ident', name: ['experiment'] },
  args: [literal('e1')],
};

const plan = (query: string) => () => void toStatement(compile(query).valueRows);

function readOrRefuse(filter: object): void {
  try {
    readJsonQuery({ select: [{ op: 'star' }], from: source, filter });
  } catch (error) {
    expect(error).to.be.instanceOf(QueryError);
  }
}

const readFilter = (filter: object) => () => readOrRefuse(filter);

const refuse = (query: string) => () => expect(() => parseQuery(query)).to.throw(QueryError);

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
      500,
      (count) => `select: least(${list(count, (n) => `metadata.k${n}`)}) as x | ${from}`,
    ],
    'computed arguments': [
      480,
      (count) =>
        `select: id | filter: coalesce(${list(count, (n) => `lower(metadata.k${n})`)}) | ${from}`,
    ],
    'computed elements of a list': [
      1900,
      (count) =>
        `select: id | filter: lower(id) in [${list(count, (n) => `metadata.k${n} + 1`)}] | ${from}`,
    ],
    operators: [
      2400,
      (count) =>
        `select: id | filter: ${list(count / 300, () => `(${list(300, (n) => `id = 'a${n}'`, ' or ')})`, ' and ')} | ${from}`,
    ],
    'columns of SQL': [
      1000,
      (count) => `SELECT ${list(count, (n) => `metadata.k${n}`)} FROM experiment('e1')`,
    ],
    'keys of SQL': [1000, keys],
    'bounds of SQL': [1200, betweens],
    sources: [1000, (count) => `select: id | from: experiment(${list(count, (n) => `'e${n}'`)})`],
  };
  for (const [name, [size, text]] of Object.entries(growing))
    it(name, () => expectLinear(name, plan(text(size)), plan(text(size / sizeRatio))));

  const ofJson: Readonly<Record<string, readonly [number, (size: number) => object]>> = {
    'operators of JSON': [
      4800,
      (count) => ({
        op: 'and',
        children: many(count / 300, { op: 'or', children: many(300, literal(true)) }),
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
    it(name, () => expectLinear(name, readFilter(form(size)), readFilter(form(size / sizeRatio))));

  const size = 960_000;
  const garbage: Readonly<Record<string, (size: number) => string>> = {
    garbage: (size) => 'ab ; ( ] { '.repeat(size / 11),
    'what is not closed': (size) => `select: '${'a'.repeat(size)}`,
    'line breaks': (size) => `${'\n'.repeat(size)}selct: id`,
    colons: (size) => `select: id | ${from} | filter: ${'a:'.repeat(size / 2)}`,
    brackets: (size) => `select: ${'['.repeat(size)}`,
  };
  for (const [name, text] of Object.entries(garbage))
    it(`${name}, which is refused`, () =>
      expectLinear(name, refuse(text(size)), refuse(text(size / sizeRatio))));
});
