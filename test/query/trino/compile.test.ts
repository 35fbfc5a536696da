import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseQuery } from '../../../src/query/syntax/parse.js';
import { aggregates } from '../../../src/query/trino/aggregates.js';
import { functions } from '../../../src/query/trino/functions.js';
import { operators } from '../../../src/query/trino/operators.js';
import { sql } from '../../../src/duckdb/sql.js';
import { statementText } from '../../../src/query/trino/statement.js';
import { userText } from '../arbitrary-query.js';
import { trinoOf } from './fixture.js';
import { corners, typical, withSource } from './questions.js';
import { transcript, transcriptFile } from './transcript.js';
import { withoutEach } from './without-each.js';

const compiled = (text: string, timeZone: number | string = 0) => {
  const found = trinoOf(parseQuery(withSource(text)), timeZone);
  return 'declined' in found ? found.declined : found.sql;
};

/** What the literals of a statement spell, as Trino reads them. */
const literalsOf = (statement: string): readonly string[] =>
  Array.from(statement.matchAll(/(U&)?'((?:[^']|'')*)'/g), ([, unicode, body = '']) => {
    const text = body.replaceAll("''", "'");
    return unicode === undefined
      ? text
      : text.replaceAll(/\\(\\|\+([\da-f]{6})|([\da-f]{4}))/g, (_, sign, long, short) =>
          sign === '\\' ? '\\' : String.fromCodePoint(parseInt(long ?? short, 16)),
        );
  });

describe('the compiler for Trino', () => {
  it('makes of each query what the transcript says', () => {
    expect(transcript()).to.equal(readFileSync(transcriptFile, 'utf8'));
  });

  it('compiles most typical questions', () => {
    const declined = Object.values(typical).filter((text) => !compiled(text).startsWith('SELECT '));
    expect(declined.length / Object.keys(typical).length).to.be.at.most(0.4);
  });

  it('needs each rule of its tables for some question', () => {
    const questions = Object.values({ ...typical, ...corners });
    const all = () => questions.map((text) => compiled(text)).join('\n');
    const complete = all();
    for (const table of [operators, functions, aggregates])
      withoutEach(table, (name) => expect(all() === complete, name).to.equal(false));
  });

  it('spells any text as one literal of ASCII', () => {
    fc.assert(
      fc.property(fc.oneof(userText, fc.string({ unit: 'binary' })), (text) => {
        const statement = statementText(sql`SELECT ${text}, ${'end'}`);
        expect(statement).to.match(/^[ -~]*$/);
        expect(literalsOf(statement)).to.deep.equal([text, 'end']);
      }),
    );
    expect(() => statementText(sql`${'\ud800'}`)).to.throw('half a character');
  });

  it('keeps texts of users in literals', () => {
    fc.assert(
      fc.property(userText, (text) => {
        const query = { ...parseQuery(withSource('measures: count(1) as n')) };
        const filter = parseQuery(withSource("measures: count(1) as n | filter: id = 'x'")).filter;
        if (filter?.kind !== 'binary') throw new Error('no comparison');
        const right = { ...filter.right, kind: 'literal' as const, value: text };
        const found = trinoOf({ ...query, filter: { ...filter, right } });
        if ('declined' in found) throw new Error(found.declined);
        // A number, the snapshot of the table and an id precede it.
        expect(literalsOf(found.sql)).to.deep.equal(['1', '7', 'o1', text]);
      }),
    );
  });

  it('moves times by minutes of offset, and declines names of zones', () => {
    const query = 'dimensions: day(created) as day | measures: count(1) as n';
    expect(compiled(query, 480)).to.include(
      `date_add('minute', 480, date_trunc('day', date_add('minute', -480, created)))`,
    );
    expect(compiled(query, 'Europe/Berlin')).to.equal('a time zone by name');
  });

  it('declines expressions of many parts, and statements of a million characters', () => {
    const deep = Array.from({ length: 30 }).reduce<string>((x) => `abs(${x}) + 1`, 'metadata.n');
    expect(compiled(`select: ${deep} as x | limit: 1`)).to.equal('an expression of many parts');
    const long = Array.from({ length: 500 }, () => 'metadata.n = 1').join(' or ');
    expect(compiled(`measures: count(1) as n | filter: ${long}`)).to.match(/^SELECT /);
    const list = Array.from({ length: 10 }, (_, n) => `'${n}${'x'.repeat(95_000)}'`).join();
    expect(compiled(`measures: count(1) as n | filter: id in [${list}]`)).to.equal(
      'a statement of a million characters',
    );
  });
});
