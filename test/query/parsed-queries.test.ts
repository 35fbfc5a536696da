// Texts of queries that were parsed lately are not parsed again.
import { expect } from 'chai';
import { QueryError } from '../../src/errors.js';
import { clauseNames } from '../../src/query/syntax/clause-start.js';
import { parsedQuery } from '../../src/service/query/parsed-queries.js';

const text = (limit: number): string => `select: id | from: experiment('e1') | limit: ${limit}`;

describe('parsed queries', () => {
  it('are kept by their text', () => {
    const [first, second] = [parsedQuery(text(1)), parsedQuery(text(2))];
    expect(parsedQuery(text(1))).to.equal(first);
    expect([first.limit, second.limit]).to.deep.equal([1, 2]);
  });

  it('are kept while others are few', () => {
    const first = parsedQuery(text(3));
    for (let limit = 100; limit < 250; limit++)
      parsedQuery(`${text(limit)} -- ${'x'.repeat(3000)}`);
    const again = parsedQuery(text(3));
    expect(again).to.deep.equal(first);
    expect(again).not.to.equal(first);
  });

  it('are not kept when they are long', () => {
    const long = `${text(4)} -- ${'x'.repeat(4000)}`;
    expect(parsedQuery(long)).not.to.equal(parsedQuery(long));
  });

  it('are refused again when they are wrong', () => {
    for (const _ of [1, 2]) expect(() => parsedQuery('selct: id')).to.throw(QueryError, 'selct');
  });

  it('take the name of any clause as a field after `%`', () => {
    for (const name of clauseNames) {
      const { select } = parsedQuery(`select: 10 % ${name} as rest | from: experiment('e1')`);
      expect(select?.[0], name).to.have.nested.property('expression.operator', '%');
    }
  });
});
