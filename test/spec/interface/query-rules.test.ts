// Rules of the query language that show in an answer of the server alone; grammar/golden has the others.
import { expect } from 'chai';
import { sharedServer, type Answer } from '../../support/start-server.js';
import { create, idOf } from './probe.js';

const rows = [
  '{"id":"a","metadata":{"n":7,"big":9007199254740993},"scores":{"s":0.5}}',
  ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => JSON.stringify({ id })),
];

/** Queries that are refused, and a part of the sentence that says why. */
const refusedQueries: readonly (readonly [rule: string, query: string, text: string])[] = [
  ['a query has select, or dimensions and measures', '$from', 'select'],
  ['a query has a source', 'select: id', 'from'],
  ['select and measures do not go together', 'select: id | measures: count(*) | $from', 'measures'],
  ['a clause is given once', 'select: id | select: input | $from', 'twice'],
  ['a measure has an aggregate', 'measures: metadata.v | $from', 'aggregate'],
  ['an aggregate is not in a filter', 'select: id | $from | filter: count(*) > 1', 'aggregate'],
  ['aliases are not given twice', 'select: id as x, input as x | $from', 'x'],
  ['a name in sort is known', 'select: id | $from | sort: nowhere', 'nowhere'],
  ['a query that does not parse says line and column', 'select: id |\n$from | filter: (', 'line 2'],
];

/** `from` by the ways in which a source is written. */
const sourceRules: readonly (readonly [rule: string, source: string])[] = [
  ['ids in single quotes', "experiment('$id')"],
  ['ids in double quotes', 'experiment("$id")'],
  ['ids bare', 'experiment($id)'],
  ['several ids in one source', "experiment('$id', '$id')"],
  ['a project is all its objects', "project('$project')"],
];

describe('rules of queries', () => {
  const server = sharedServer();
  let id: string;
  let projectId: string;

  before(async () => {
    projectId = idOf(await create(server(), 'project'));
    id = idOf(await create(server(), 'experiment', { project_id: projectId }));
    const body = `{"events":[${rows.join(',')}]}`;
    await server().post(`/v1/experiment/${id}/insert`, body);
  });

  const ask = (query: string): Promise<Answer> =>
    server().request('POST', '/query', {
      query: query.replace('$from', `from: experiment('${id}')`),
    });

  const dataOf = async (query: string): Promise<unknown> => (await ask(query)).json()['data'];

  for (const [rule, query, text] of refusedQueries) {
    it(rule, async () => {
      const answer = await ask(query);
      expect(answer.status).to.equal(400);
      expect(answer.text).to.contain(text);
    });
  }

  for (const [rule, source] of sourceRules) {
    it(`sources: ${rule}`, async () => {
      const from = source.replaceAll('$id', id).replace('$project', projectId);
      expect(await dataOf(`measures: count_distinct(id) as n | from: ${from}`)).to.deep.equal([
        { n: 8 },
      ]);
    });
  }

  it('/ is float division, by zero NULL, and % keeps the sign of the left side', async () => {
    const n = 'metadata.n';
    const query = `select: ${n} / 2 as a, ${n} / 0 as b, ${n} % 0 as c, -${n} % 4 as d | $from | filter: id = 'a'`;
    expect(await dataOf(query)).to.deep.equal([{ a: 3.5, b: null, c: null, d: -3 }]);
  });

  it('second, minute and year truncate a time', async () => {
    const time = "'2024-03-10T12:30:45.5Z'";
    const query = `select: second(${time}) as s, minute(${time}) as m, year(${time}) as y | $from | limit: 1`;
    expect(await dataOf(query)).to.deep.equal([
      { s: '2024-03-10T12:30:45Z', m: '2024-03-10T12:30:00Z', y: '2024-01-01T00:00:00Z' },
    ]);
  });

  it('integers beyond 2^53 print exactly', async () => {
    const { text } = await ask("select: metadata.big | $from | filter: id = 'a'");
    expect(text).to.contain('"big":9007199254740993}');
  });

  it('an unknown top-level field is NULL, with a warning', async () => {
    const answer = (await ask("select: unheard_of | $from | filter: id = 'a'")).json();
    expect(answer['data']).to.deep.equal([{ unheard_of: null }]);
    expect(answer['warnings']).to.have.length(1);
  });

  it('the answer has the JSON schema of its rows', async () => {
    const { schema } = (await ask('select: id, metadata.n | $from')).json();
    expect(schema).to.deep.equal({
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'string' }, n: { type: 'integer' } } },
    });
  });

  it('select: * has all fields', async () => {
    const [row] = (await dataOf("select: * | $from | filter: id = 'a'")) as object[];
    expect(row).to.include.keys('id', 'input', 'scores', '_xact_id', 'root_span_id');
  });

  it('rows without sort come latest transaction first, then by position', async () => {
    const other = idOf(await create(server(), 'experiment', { project_id: projectId }));
    const insert = (...ids: readonly string[]) =>
      server().request('POST', `/v1/experiment/${other}/insert`, {
        events: ids.map((event) => ({ id: event, root_span_id: 't' })),
      });
    await insert('first', 'second');
    await insert('third');
    expect(await dataOf(`select: id | from: experiment('${other}')`)).to.deep.equal([
      { id: 'third' },
      { id: 'second' },
      { id: 'first' },
    ]);
    await server().request('DELETE', `/v1/experiment/${other}`);
  });
});
