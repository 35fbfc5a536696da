// Texts of queries that were parsed lately are not parsed again.
import { expect } from 'chai';
import { QueryError, type RequestError } from '../../src/errors.js';
import type { JsonObject } from '../../src/json/json.js';
import { parseJson } from '../../src/json/parse.js';
import type { QueryAst } from '../../src/query/syntax/ast.js';
import { clauseNames } from '../../src/query/syntax/clause-start.js';
import { readJsonQuery } from '../../src/query/syntax/json/query.js';
import { parseExpression, parseQuery } from '../../src/query/syntax/parse.js';
import type { Caller } from '../../src/service/context.js';
import {
  parsedCondition,
  parsedQuery as parsedFor,
} from '../../src/service/query/parsed-queries.js';

const caller: Caller = {
  kind: 'anonymous',
  hasKey: false,
  permission: 'read',
  requestId: 'r',
};

const open = new AbortController().signal;

const asked = (query: string | JsonObject) => parsedFor(caller, query, open);

/** Short queries are parsed at once. */
const parsedQuery = (query: string): QueryAst => asked(query) as QueryAst;

function refusalOf(query: string | JsonObject): RequestError {
  try {
    if (typeof query === 'string') parseQuery(query);
    else readJsonQuery(query);
  } catch (error) {
    return error as RequestError;
  }
  throw new Error('the query is not refused');
}

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

  const list = Array.from({ length: 1000 }, (_, index) => `'${index}'`).join();
  const long = `select: id, scores.a as a, {"a": 1, "2": [null, 0.1]} | filter: input in [${list}] | sort: a | from: experiment('e1')`;
  const sql = `SELECT id, count(*) FROM experiment('e1') WHERE input IN (${list}) GROUP BY 1`;

  it('are the same, whether they were parsed here or in the thread', async () => {
    for (const query of [long, sql]) {
      expect(asked(query)).to.be.instanceOf(Promise);
      expect(await asked(query)).to.deep.equal(parseQuery(query));
    }
    const condition = `input in [${list}]`;
    const parsed = parsedCondition(caller, condition, 'filter', open);
    expect(parsed).to.be.instanceOf(Promise);
    expect(await parsed).to.deep.equal(parseExpression(condition, 'filter'));
    const json = parseJson(`{
      "from": {"op": "function", "name": {"op": "ident", "name": ["experiment"]}, "args": [{"op": "literal", "value": "e1"}]},
      "select": [{"op": "star"}], "filter": {"op": "in", "left": {"btql": "input"},
        "right": {"op": "literal", "value": [{"b": 1, "1": 12345678901234567890}, ${Array(1000).fill('0.10').join()}]}}}`);
    expect(asked(json as JsonObject)).to.be.instanceOf(Promise);
    expect(await asked(json as JsonObject)).to.deep.equal(readJsonQuery(json));
  });

  it('keep the identity of what a number in ORDER BY stands for', async () => {
    const { select, sort } = await asked(`${sql} ORDER BY 1`);
    const [first] = select!;
    expect(first).to.have.property('expression', sort[0]!.expression);
  });

  const refused: readonly (readonly [string, string | JsonObject])[] = [
    ['a wrong one', `${long} | limit: x`],
    ['too many operators', `${text(5)} | filter: 1${'<1'.repeat(19_000)}`],
    ['too many tokens', `${text(5)} | filter: 1${'+1'.repeat(40_000)}`],
    ['an unclosed string', `${text(5)} | filter: '${'x'.repeat(30_000)}`],
    ['too many characters', `${text(5)} --${'x'.repeat(1_000_000)}`],
    ['too many characters of JSON', { select: Array(10).fill('x'.repeat(100_001)) as string[] }],
    [
      'too many texts',
      { filter: Array.from({ length: 101 }, () => ({ btql: `1${'+1'.repeat(10)}` })) },
    ],
  ];
  for (const [what, query] of refused)
    it(`are refused in the same words in the thread: ${what}`, async () => {
      const expected = refusalOf(query);
      const found = await Promise.resolve()
        .then(() => asked(query))
        .catch((error: RequestError) => error);
      expect(found).to.include({ status: expected.status, message: expected.message });
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
