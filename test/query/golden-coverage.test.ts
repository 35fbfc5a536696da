// Every clause, function and operator of the implementation has a golden case.
import { expect } from 'chai';
import { aggregateFunctions } from '../../src/query/value/aggregates.js';
import { intervalUnits, shapes, sourceKinds } from '../../src/query/syntax/ast.js';
import { filterFunctions } from '../../src/query/bind/bind-expression.js';
import { scalarFunctions } from '../../src/query/value/functions.js';
import { binaryOperators } from '../../src/query/value/operators.js';
import { clauseNames } from '../../src/query/syntax/clause-start.js';
import { goldenFiles, readGolden, rewritten, withLayoutOf } from './golden-file.js';
import { isSameSql, laidOut } from './golden-sql.js';

const cases = goldenFiles().flatMap(readGolden);

const textOf = (wanted: typeof cases) => wanted.map(({ query }) => query.toLowerCase()).join('\n');

const answered = textOf(cases.filter(({ sections }) => !sections.has('error')));

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const isWord = (text: string) => /^\w+$/.test(text);

/** Names for which `pattern` finds nothing. */
const missing = (names: readonly string[], text: string, pattern: (name: string) => string) =>
  names.filter((name) => !new RegExp(pattern(escaped(name))).test(text));

const beginning = (clause: string) => String.raw`\b${clause}\s*:`;

const behindSources = (shape: string) => String.raw`\)\s+${shape}\b`;

const word = (name: string) => String.raw`\b${name.replaceAll(' ', String.raw`\s+`)}\b`;

const pattern = (name: string) => (isWord(name.replaceAll(' ', '')) ? word(name) : name);

describe('golden transcripts', () => {
  it('are at least 200, and at least 60 of bad queries', () => {
    expect(cases).to.have.length.of.at.least(200);
    const bad = cases.filter(({ sections }) => sections.has('error'));
    expect(bad).to.have.length.of.at.least(60);
  });
});

describe('the SQL of golden transcripts', () => {
  const shown = cases.filter(({ sections }) => sections.has('shows'));

  it('is shown of every clause, source and shape', () => {
    const clauses = clauseNames.filter((name) => name !== 'cursor');
    expect(missing(clauses, textOf(shown), beginning)).to.deep.equal([]);
    expect(missing(shapes, textOf(shown), behindSources)).to.deep.equal([]);
    expect(missing(sourceKinds, textOf(shown), (kind) => String.raw`\b${kind}\(`)).to.deep.equal(
      [],
    );
  });

  it('is so little that a diff of it can be read, and nowhere else', () => {
    expect(shown).to.have.length.of.at.most(30);
    const lines = shown.flatMap(({ sections }) => (sections.get('sql') ?? '').split('\n'));
    expect(lines).to.have.length.of.at.most(2_500);
    expect(cases.filter(({ sections }) => sections.has('sql'))).to.deep.equal(shown);
  });
});

describe('golden transcripts that are written anew', () => {
  const golden = {
    name: 'n',
    query: 'q',
    sections: new Map([
      ['sql', 'old'],
      ['rows', 'by hand'],
    ]),
  };

  it('have new SQL and the rows that they had', () => {
    const now = new Map([
      ['sql', 'new'],
      ['rows', 'computed'],
    ]);
    expect(Object.fromEntries(rewritten(golden, now).sections)).to.deep.equal({
      sql: 'new',
      rows: 'by hand',
    });
    const refused = rewritten(golden, new Map([['error', 'no']])).sections;
    expect(refused.get('rows')).to.equal('by hand');
  });

  it('get rows when they had none', () => {
    const fresh = rewritten({ ...golden, sections: new Map() }, new Map([['rows', 'computed']]));
    expect(fresh.sections.get('rows')).to.equal('computed');
  });
});

describe('the layout of golden SQL', () => {
  const query = `SELECT 'a  b' AS "c  d", len($1) AS g FROM (SELECT * FROM event) WHERE x > 1 AND y`;

  it('has a line for each clause, and changes spaces alone', () => {
    const lines = laidOut(query).split('\n');
    expect(lines).to.include.members(['FROM', 'WHERE', `  'a  b' AS "c  d",`, '  len($1) AS g']);
    expect(isSameSql(laidOut(query), query)).to.equal(true);
  });

  it('is no difference, and everything else is one', () => {
    for (const other of ["'a b'", `'a  b'x`, `'A  b'`])
      expect(isSameSql(query, query.replace("'a  b'", other)), other).to.equal(false);
    expect(isSameSql(query, query.replace('len(', 'len ('))).to.equal(true);
    expect(isSameSql('ab', 'a b')).to.equal(false);
  });

  it('stays where only spaces differ, and is made where more does', () => {
    const golden = { name: 'n', query: 'q', sections: new Map([['sql', 'SELECT\n  1']]) };
    const shown = (sql: string) => withLayoutOf(golden, new Map([['sql', sql]])).get('sql');
    expect(shown('SELECT 1')).to.equal('SELECT\n  1');
    expect(shown('SELECT 2')).to.equal('SELECT\n  2');
  });
});

describe('golden transcripts cover', () => {
  it('every clause', () => {
    const withoutAnswer = ['cursor'];
    const others = clauseNames.filter((name) => !withoutAnswer.includes(name));
    expect(missing(others, answered, beginning)).to.deep.equal([]);
    expect(missing(withoutAnswer, textOf(cases), beginning)).to.deep.equal([]);
  });

  it('every function and aggregate', () => {
    const names = [
      ...Object.keys(scalarFunctions),
      ...Object.keys(aggregateFunctions),
      ...filterFunctions,
      'search',
    ];
    expect(missing(names, answered, (name) => String.raw`\b${name}\s*\(`)).to.deep.equal([]);
  });

  it('every operator, also behind not', () => {
    const names = [
      ...Object.keys(binaryOperators),
      'contains',
      'in',
      '<>',
      '?',
      'is null',
      'is not null',
    ];
    expect(missing(names, answered, pattern)).to.deep.equal([]);
    const negatable = ['includes', 'contains', 'like', 'ilike', 'match', 'in'];
    expect(missing(negatable, answered, (name) => String.raw`\bnot\s+${name}\b`)).to.deep.equal([]);
  });

  it('every shape, source and unit of intervals', () => {
    expect(
      missing([...shapes, ...sourceKinds], answered, (name) => String.raw`\b${name}\b`),
    ).to.deep.equal([]);
    const units = missing(
      intervalUnits,
      answered,
      (name) => String.raw`\binterval\s+\d+\s+${name}s?\b`,
    );
    expect(units).to.deep.equal([]);
  });
});
