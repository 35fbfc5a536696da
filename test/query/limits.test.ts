// The limits on the size of a query: beyond them it is refused in words.
import { expect } from 'chai';
import { toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import {
  aliased,
  among,
  casts,
  cases,
  columns,
  compile,
  conditions,
  constants,
  contains,
  amongPaths,
  extracted,
  from,
  groups,
  keys,
  least,
  list,
  negations,
  numbered,
  object,
  objects,
  path,
  pivotValues,
  pivoted,
  pivotedSum,
  sorted,
  sources,
  sums,
  unpivoted,
} from './large-queries.js';

const textOfList = (field: string, item: (n: number) => string) =>
  toStatement(compile(`select: id | filter: ${field} in [${list(1000, item)}] | ${from}`).rows)
    .text;

describe('limits of a query', () => {
  const refusals: readonly (readonly [string, () => unknown, () => unknown, string])[] = [
    [
      'columns',
      () => compile(columns(1000)),
      () => compile(columns(1001)),
      'query line 1, column 14899: more than 1000 columns: request fewer at a time',
    ],
    [
      'dimensions and measures',
      () => compile(groups(1000)),
      () => compile(groups(1001)),
      'query line 1, column 14914: more than 1000 columns: request fewer at a time',
    ],
    [
      'sources',
      () => compile(sources(1000)),
      () => compile(sources(1001)),
      'query line 1, column 7921: more than 1000 sources: request fewer at a time',
    ],
    [
      'sort keys',
      () => compile(sorted(100)),
      () => compile(sorted(101)),
      'query line 1, column 1410: more than 100 sort keys: request fewer at a time',
    ],
    [
      "parts of 'unpivot'",
      () => compile(unpivoted(10)),
      () => compile(unpivoted(11)),
      "query line 1, column 226: more than 10 parts of 'unpivot': request fewer at a time",
    ],
    [
      'elements of a list',
      () => compile(among(10_000)),
      () => compile(among(10_001)),
      "query line 1, column 58927: more than 10000 elements in a list of 'in': request fewer at a time",
    ],
    [
      'parts of a path',
      () => compile(path(100)),
      () => compile(path(101)),
      'query line 1, column 217: a path has more than 100 parts below its field',
    ],
    [
      'parts of a path of json_extract',
      () => compile(extracted(100)),
      () => compile(extracted(101)),
      'query line 1, column 9: json_extract: the path has more than 100 parts',
    ],
    [
      "parts '*' of such a path",
      () => compile(extracted(30, '*')),
      () => compile(extracted(31, '*')),
      "query line 1, column 9: json_extract: the path has more than 30 parts that are '*' or empty",
    ],
    [
      'uses of an alias',
      () => compile(aliased(200, 50)),
      () => compile(aliased(203, 50)),
      "query line 1, column 2899: aliases, column numbers and 'pivot' repeat more than 20000 operators, calls, fields and constants: use shorter expressions, or each less often",
    ],
    [
      'numbers of columns in GROUP BY and ORDER BY',
      () => compile(numbered(41)),
      () => compile(numbered(42)),
      "query line 1, column 66122: aliases, column numbers and 'pivot' repeat more than 20000 operators, calls, fields and constants: use shorter expressions, or each less often",
    ],
    [
      'columns of a pivot with many parts',
      () => compile(pivotedSum(17), pivotValues(500)),
      () => compile(pivotedSum(18), pivotValues(500)),
      "query line 1, column 313: aliases, column numbers and 'pivot' repeat more than 20000 operators, calls, fields and constants: use shorter expressions, or each less often",
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
      'query line 1, column 14943: more than 1000 keys of GROUP BY: request fewer at a time',
    ],
    [
      'casts inside casts',
      () => compile(casts(30)),
      () => compile(casts(31)),
      'query line 1, column 158: functions are nested deeper than 30 levels',
    ],
    [
      'calls of CONTAINS inside each other',
      () => compile(contains(30)),
      () => compile(contains(31)),
      'query line 1, column 459: functions are nested deeper than 30 levels',
    ],
    [
      'arguments',
      () => compile(least(1000)),
      () => compile(least(1001)),
      'query line 1, column 9: more than 1000 arguments of functions that are not constants: request fewer at a time',
    ],
    [
      'different paths',
      () => compile(amongPaths(2000)),
      () => compile(amongPaths(2001)),
      'query line 1, column 30903: more than 2000 different paths: request fewer at a time',
    ],
    [
      'operators',
      () => compile(sums(50, 100)),
      () => compile(sums(51, 100)),
      "query line 1, column 67247: more than 5000 operators: use 'in' for long lists",
    ],
    [
      'nested operators',
      () => compile(sums(1, 120)),
      () => compile(sums(1, 121)),
      'query line 1, column 20: operators are nested deeper than 120 levels, including several in a row: use parentheses to group them',
    ],
    [
      'elements of a list that are objects',
      () => compile(objects(4999)),
      () => compile(objects(5000)),
      "query line 1, column 28: more than 5000 operators: use 'in' for long lists",
    ],
    [
      'nesting of an object over several lines',
      () => compile(object(98, '\n')),
      () => compile(object(101, '\n')),
      'query line 101, column 4: expression is nested deeper than 100 levels',
    ],
    [
      'nesting of an object whose keys are names of clauses',
      () => compile(object(98, 'a: 1, limit: 2, ')),
      () => compile(object(101, 'a: 1, limit: 2, ')),
      'query line 1, column 2009: expression is nested deeper than 100 levels',
    ],
    [
      'nesting of conditions over several lines',
      () => compile(conditions(100)),
      () => compile(conditions(101)),
      'query line 101, column 14: expression is nested deeper than 100 levels',
    ],
    [
      'prefix operators before brackets',
      () => compile(negations(14)),
      () => compile(negations(15)),
      'query line 1, column 223: expression is nested deeper than 100 levels',
    ],
    [
      'words and signs',
      () => compile(constants(19_990)),
      () => compile(constants(20_000)),
      'query line 1, column 128893: the query has more than 40000 tokens',
    ],
    [
      'columns of a pivot',
      () => compile(pivoted, pivotValues(333)),
      () => compile(pivoted, pivotValues(334)),
      "query line 1, column 103: pivot: the result would have 1002 columns, the limit is 1000: narrow the query with 'filter'",
    ],
  ];

  for (const [name, allowed, refused, text] of refusals)
    it(`${name}: says which and where`, () => {
      expect(allowed).not.to.throw();
      expect(refused).to.throw(QueryError, text);
    });

  it('a number that occurs again in GROUP BY or ORDER BY changes nothing', () => {
    const text = `SELECT ${'metadata.k + '.repeat(100)}1 AS x FROM experiment('e1')`;
    const { rows } = compile(`${text} GROUP BY 1 ORDER BY 1 DESC`);
    const again = `${text} GROUP BY ${list(1000, () => '1')} ORDER BY ${list(100, () => '1 DESC')}`;
    expect(compile(again).rows).to.deep.equal(rows);
  });

  it('lists of times and of transaction ids are looked up in one list', () => {
    for (const found of [
      textOfList('created', (n) => `'2024-01-01T00:00:00.${String(n).padStart(4, '0')}Z'`),
      textOfList('_xact_id', (n) => `'1000198252763${String(n).padStart(6, '0')}'`),
    ])
      expect(found).to.contain(' IN (').and.not.to.contain(' OR ');
  });

  it('a sort key that occurs again changes nothing', () => {
    const { rows } = compile(`${columns(3)} | sort: metadata.k1 desc, k2`);
    const again = `${columns(3)} | sort: metadata.k1 desc, k2, k2 desc, metadata.k1, k2`;
    expect(compile(again).rows).to.deep.equal(rows);
  });
});
