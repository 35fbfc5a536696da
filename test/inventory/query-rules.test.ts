// The rules of the query language, each asked of a server.
import { expect } from 'chai';
import { sharedServer, type Answer } from '../support/start-server.js';
import { create, idOf } from './probe.js';
import {
  otherRows,
  queryRules,
  refusedQueries,
  rowA,
  sourceRules,
  valueRules,
} from './query-rules.js';

describe('rules of queries', () => {
  const server = sharedServer();
  let id: string;
  let projectId: string;

  before(async () => {
    projectId = idOf(await create(server(), 'project'));
    id = idOf(await create(server(), 'experiment', { project_id: projectId }));
    const body = `{"events":[${rowA},${otherRows}]}`;
    (await server().request('POST', `/v1/experiment/${id}/insert`, body)).json();
  });

  const ask = (query: string): Promise<Answer> =>
    server().request('POST', '/query', {
      query: query
        .replace('$from', `from: experiment('${id}')`)
        .replace('$shaped', `from: experiment('${id}')`),
    });

  const rows = async (query: string): Promise<unknown> => (await ask(query)).json()['data'];

  for (const [rule, expression, value] of valueRules) {
    it(rule, async () => {
      const query = `select: ${expression} as x | $from | filter: id = 'a'`;
      expect(await rows(query)).to.deep.equal([{ x: value }]);
    });
  }

  for (const { rule, query, data } of queryRules) {
    it(rule, async () => {
      expect(await rows(query)).to.deep.equal(data);
    });
  }

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
      expect(await rows(`measures: count_distinct(id) as n | from: ${from}`)).to.deep.equal([
        { n: 8 },
      ]);
    });
  }

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
    const [row] = (await rows("select: * | $from | filter: id = 'a'")) as object[];
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
    expect(await rows(`select: id | from: experiment('${other}')`)).to.deep.equal([
      { id: 'third' },
      { id: 'second' },
      { id: 'first' },
    ]);
    await server().request('DELETE', `/v1/experiment/${other}`);
  });
});
