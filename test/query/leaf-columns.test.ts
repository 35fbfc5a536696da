import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import type {
  ColumnPaths,
  EventRelation,
  LeafColumns,
  SegmentPaths,
} from '../../src/schema/event-relation.js';
import { generateFirstRows, prepareQuery } from '../../src/query/compile.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { compile } from './golden-file.js';

const none: LeafColumns = { number: null, string: null, boolean: null, elsewhere: null };

const listed = (leaves: Record<string, Partial<LeafColumns>>): ColumnPaths => ({
  leaves: new Map(
    Object.entries(leaves).map(([name, columns]) => [
      JSON.stringify([name]),
      Object.assign({}, none, columns),
    ]),
  ),
  textPaths: new Set(),
  complete: true,
});

const typed: SegmentPaths = {
  scores: listed({ x: { number: 'scores/x' } }),
  metadata: listed({
    model: { string: 'metadata/model' },
    mixed: { number: 'metadata/mixed', elsewhere: 'metadata/mixed?' },
    two: { number: 'metadata/two', string: 'metadata/two~2' },
  }),
};

const relation = (...paths: readonly (SegmentPaths | null)[]): EventRelation => ({
  branches: paths.map((each, index) => ({
    name: `segment ${index}`,
    rows: sql`segment`,
    hasLossless: false,
    paths: each,
  })),
});

const sqlOf = (query: string, ...paths: readonly (SegmentPaths | null)[]) =>
  toStatement(compile(`${query} | from: experiment('e1')`, relation(...paths)).rows).text;

/** The same of a segment with a narrow file, whose rows all meet a condition. */
function narrowSqlOf(query: string, hasLossless = false): string {
  const rows = sql`segment`;
  const parts = {
    rows,
    from: sql`wide`,
    narrow: sql`narrow`,
    files: null,
    conditions: [sql`NOT _deleted`],
  };
  const branch = { name: 'segment', rows, parts, hasLossless, paths: typed };
  return toStatement(compile(`${query} | from: experiment('e1')`, { branches: [branch] }).rows)
    .text;
}

/** Whether the first rows of the query are found before what it shows is read. */
function isApart(query: string): boolean {
  const ast = parseQuery(`${query} | sort: scores.x | limit: 3 | from: experiment('e1')`);
  const context = { timeZone: 0, nowMicros: 0n, relation: relation(typed) };
  return generateFirstRows(prepareQuery(ast), context) !== null;
}

describe('leaf columns', () => {
  it('are read from the narrow file', () => {
    const narrow = [
      'dimensions: metadata.model | measures: avg(scores.x), sum(scores.x)',
      'select: metadata.nowhere, scores.x, tags, created',
      'measures: count(*)',
    ];
    for (const query of narrow) {
      expect(narrowSqlOf(query)).to.include('FROM narrow WHERE NOT _deleted');
      expect(narrowSqlOf(query)).to.not.include('wide');
    }
  });

  it('are left to the file with JSON text when a row has to be read from that', () => {
    expect(narrowSqlOf('select: scores.x, input')).to.include('FROM wide');
    expect(narrowSqlOf('select: scores')).to.include('FROM wide');
    expect(narrowSqlOf('select: metadata')).to.not.include('narrow');
    expect(narrowSqlOf('select: scores.x + 1 as y', false)).to.include('FROM narrow');
    const mixed = narrowSqlOf('measures: count(metadata.mixed)');
    expect(mixed).to.match(/FROM narrow WHERE .*IS DISTINCT FROM true.*FROM wide/s);
  });

  it('are read for the values of rows that print their stored text, too', () => {
    const text = narrowSqlOf('select: scores.x, metadata.model', true);
    expect(text).to.include('FROM narrow').and.not.include('wide');
    expect(text).to.not.include('json_exact');
    const mixed = narrowSqlOf('select: metadata.mixed', true);
    expect(mixed).to.match(/^((?!json_exact).)*FROM narrow.*UNION ALL.*json_exact.*FROM segment/s);
  });

  it('are all that an average by a path reads', () => {
    expect(sqlOf('dimensions: metadata.model | measures: avg(scores.x)', typed)).to.include(
      ' AS c1 FROM (SELECT f0 AS g0, favg(f1) AS a0 FROM (SELECT "metadata/model" AS f0, "scores/x" AS f1 FROM segment) GROUP BY 1) ORDER BY g0 ASC NULLS LAST',
    );
  });

  it('are compared and sorted as they are', () => {
    const text = sqlOf(
      "select: metadata.model as m | filter: scores.x > 0.5 and metadata.model = 'a' | sort: scores.x",
      typed,
    );
    expect(text).to.contain('WHERE ((f1 > $1) AND (f0 = $2)) ORDER BY f1 ASC NULLS LAST');
    expect(text).not.to.contain('json_extract');
  });

  it('are what groups of a path with several types are made of', () => {
    const text = sqlOf('dimensions: metadata.two | measures: count(1)', typed);
    expect(text).to.contain(
      'SELECT f0 AS g0, f1 AS g1, count($1) AS a0 FROM (SELECT "metadata/two" AS f0, "metadata/two~2" AS f1 FROM segment) GROUP BY 1, 2',
    );
  });

  it('are not read apart for the first rows of an order, which wide columns are', () => {
    expect(isApart('select: id, metadata.model')).to.equal(false);
    expect(isApart('select: id, input')).to.equal(true);
  });

  it('are looked up in lists of constants as a whole', () => {
    const list = Array.from({ length: 50 }, (_, index) => `'m${index}'`);
    const text = sqlOf(`select: id | filter: metadata.model in [${list.join(', ')}]`, typed);
    expect(text).to.match(/WHERE \(f1 IN \(\$1(, \$\d+){49}\)\)/);
  });

  it('give way to JSON text in the rows whose value is elsewhere, which are read apart', () => {
    expect(sqlOf('measures: sum(metadata.mixed + 1)', typed)).to.contain(
      'SELECT "metadata/mixed" AS f0 FROM segment WHERE "metadata/mixed?" IS DISTINCT FROM true UNION ALL SELECT CASE WHEN "metadata/mixed?" THEN TRY_CAST(CAST(json_extract("metadata", $2) AS VARCHAR) AS DOUBLE) ELSE "metadata/mixed" END AS f0 FROM segment WHERE "metadata/mixed?"',
    );
  });

  it('are missing where a path does not occur', () => {
    expect(sqlOf('measures: sum(metadata.unheard)', typed)).to.contain(
      'SELECT CAST(NULL AS DOUBLE) AS f0 FROM segment',
    );
  });

  it('stand beside branches that know nothing of their paths', () => {
    expect(sqlOf('measures: sum(scores.x + 1)', typed, null)).to.contain(
      'SELECT "scores/x" AS f0 FROM segment UNION ALL SELECT TRY_CAST(CAST(json_extract("scores", $2) AS VARCHAR) AS DOUBLE) AS f0 FROM segment',
    );
  });
});
