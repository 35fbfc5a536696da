// Queries of any size, of which each has much of one thing.
import { generateQuery, prepareQuery } from '../../src/query/compile.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { oneBranch } from './fixture.js';

export const list = (count: number, item: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

export const from = `from: experiment('e1')`;

export const pivotValues = (count: number) => Array.from({ length: count }, (_, value) => value);

export const compile = (text: string, values: readonly number[] = []) =>
  generateQuery(prepareQuery(parseQuery(text), values), {
    relation: oneBranch,
    timeZone: 0,
    nowMicros: 0n,
  });

export const columns = (count: number) =>
  `select: ${list(count, (n) => `metadata.k${n}`)} | ${from}`;

export const groups = (count: number) =>
  `dimensions: ${list(count - 1, (n) => `metadata.k${n}`)} | measures: count(*) as n | ${from}`;

export const sorted = (count: number) =>
  `select: id | sort: ${list(count, (n) => `metadata.k${n}`)} | ${from}`;

export const unpivoted = (count: number) =>
  `measures: count(*) as n | unpivot: ${list(count, (n) => `metadata.k${n} as x${n}`)} | ${from}`;

export const among = (count: number) =>
  `select: id | filter: metadata.n in [${list(count, String)}] | ${from}`;

export const path = (count: number) => `select: metadata${'.a'.repeat(count)} | ${from}`;

export const extracted = (count: number, step = 'a') =>
  `select: json_extract(input, '${list(count, () => step, '.')}') as x | ${from}`;

export const sources = (count: number) =>
  `select: id | from: experiment(${list(count, (n) => `'e${n}'`)})`;

/** Uses an alias of `terms` terms. */
export const aliased = (uses: number, terms: number) =>
  `select: ${list(terms, (n) => `metadata.k${n}`, ' + ')} as x | ${from} | filter: ${list(uses, (n) => `x = ${n}`, ' or ')}`;

export const pivotedSum = (terms: number) =>
  `dimensions: metadata.a | measures: sum(${list(terms, (n) => `metadata.k${n}`, ' + ')}) as m | pivot: m | ${from}`;

export const constants = (count: number) => `select: [${list(count, String)}] as x | ${from}`;

export const pivoted = `dimensions: metadata.a | measures: count(*) as m, sum(metadata.b) as n, max(metadata.c) as o | pivot: m, n, o | ${from}`;

export const cases = (count: number) =>
  `SELECT CASE ${list(count, (n) => `WHEN id = 'a${n}' THEN ${n}`, ' ')} END AS x FROM experiment('e1')`;

export const keys = (count: number) =>
  `SELECT count(*) AS n FROM experiment('e1') GROUP BY ${list(count, (n) => `metadata.k${n}`)}`;

export const betweens = (count: number) =>
  `SELECT id FROM experiment('e1') WHERE ${list(count / 50, () => `(${list(50, (n) => `metadata.n BETWEEN ${n} AND 2`, ' OR ')})`, ' AND ')}`;

export const casts = (depth: number) =>
  `SELECT ${list(depth, () => 'CAST(', '')}id${list(depth, () => ' AS text)', '')} AS x FROM experiment('e1')`;

export const contains = (depth: number) =>
  `select: ${'contains(tags, '.repeat(depth)}1${')'.repeat(depth)} as x | ${from}`;

export const least = (count: number) =>
  `select: least(${list(count, (n) => `metadata.k${n}`)}, 1) as x | ${from}`;

export const amongPaths = (count: number) =>
  `select: id | filter: id in [${list(count - 1, (n) => `metadata.k${n}`)}] | ${from}`;

export const sums = (count: number, operators: number) =>
  `select: ${list(count, (n) => `metadata.k${' + metadata.k'.repeat(operators)} as x${n}`)} | ${from}`;

/** Names each column by its number twice. */
export const numbered = (count: number) => {
  const columns = list(count, (n) => `metadata.k${' + metadata.k'.repeat(119)} AS x${n}`);
  const numbers = list(count, (n) => String(n + 1));
  return `SELECT ${columns} FROM experiment('e1') GROUP BY ${numbers} ORDER BY ${numbers}`;
};

export const objects = (count: number) =>
  `select: id | filter: input in [${list(count, (n) => `{a: ${n}}`)}] | ${from}`;

/** @param before what precedes the last key of each object */
export const object = (depth: number, before: string) =>
  `select: ${`{${before}a: `.repeat(depth)}1${'}'.repeat(depth)} as x | ${from}`;

export const conditions = (count: number) =>
  `select: ${'is_root ?\nid : '.repeat(count)}id as x | ${from}`;

export const negations = (depth: number) =>
  `select: ${`${'- '.repeat(7)}(`.repeat(depth)}1${')'.repeat(depth)} as x | ${from}`;
