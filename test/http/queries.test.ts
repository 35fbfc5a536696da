// The list of running queries, and that a cancelled one stops.
import { expect } from 'chai';
import { asking } from '../spec/access/asking.js';
import {
  longQuery,
  runningQueries,
  slowQueries,
  startQuery,
  type RunningQuery,
} from '../support/long-query.js';
import { outcome, sharedServer, type Json } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const cancelled = [400, 'the query was cancelled by DELETE /v1/queries/{id}'];

describe('running queries', () => {
  const server = sharedServer({
    environment: { EVALSTORE_QUERY_CONCURRENCY: '1', EVALSTORE_SLOW_QUERY_MS: '1' },
  });
  const { ask, addAccount, listed } = asking(server);
  let text: string;
  let projectId: string;

  const seen = async (key?: string) =>
    (await listed('/v1/queries', key)) as unknown as readonly RunningQuery[];

  const loaded = async () => (await server().get('/status'))['queries'];

  before(async () => {
    ({ text, projectId } = await longQuery(server()));
  });

  for (const fmt of ['json', 'parquet'])
    it(`are listed, and stop when they are cancelled, as ${fmt}`, async () => {
      const { id, answer } = await startQuery(server(), text, fmt);
      await waitUntil(
        'the engine runs it',
        async () => ((await loaded()) as Json)['running'] === 1,
      );
      const [query, ...others] = await runningQueries(server());
      expect(others).to.deep.equal([]);
      const { user_id, started, elapsed_ms, waited_ms, ...named } = query!;
      expect(named).to.deep.equal({ id, query: text, state: 'running', project_ids: [projectId] });
      expect((await listed('/v1/user')).map((user) => user.id)).to.include(user_id);
      expect(Date.now() - Date.parse(started)).to.be.at.least(elapsed_ms);
      expect(waited_ms).to.be.at.most(elapsed_ms);
      const ended = await ask('DELETE', `/v1/queries/${id}`);
      expect([ended.status, ended.json()['id']]).to.deep.equal([200, id]);
      expect(await outcome(answer)).to.deep.equal(cancelled);
      expect(await runningQueries(server())).to.deep.equal([]);
      await waitUntil(
        'the engine is free',
        async () => ((await loaded()) as Json)['running'] === 0,
      );
      expect(await outcome(ask('DELETE', `/v1/queries/${id}`))).to.deep.equal([
        400,
        `no query with the id "${id}" that this key may use`,
      ]);
    });

  it('are listed and cancelled while they wait', async () => {
    const first = await startQuery(server(), text);
    await waitUntil('the engine runs it', async () => ((await loaded()) as Json)['running'] === 1);
    const second = await startQuery(server(), text);
    const stateOf = async () =>
      (await runningQueries(server())).find(({ id }) => id === second.id)?.state;
    await waitUntil('it waits', async () => (await stateOf()) === 'waiting');
    await ask('DELETE', `/v1/queries/${second.id}`);
    expect(await outcome(second.answer)).to.deep.equal(cancelled);
    expect((await runningQueries(server())).map(({ id }) => id)).to.deep.equal([first.id]);
    await ask('DELETE', `/v1/queries/${first.id}`);
    expect(await outcome(first.answer)).to.deep.equal(cancelled);
  });

  it('of others are neither seen nor cancelled, unless the key is of an owner', async () => {
    const { service_token: token } = await addAccount(['Viewers']);
    const own = ask('POST', '/query', { query: text }, token);
    await waitUntil('it is listed', async () => (await seen(token)).length === 1);
    const ofOwner = await startQuery(server(), text);
    const [query] = await seen(token);
    expect((await seen(token)).map(({ id }) => id)).to.deep.equal([query!.id]);
    expect((await seen()).map(({ id }) => id)).to.deep.equal([query!.id, ofOwner.id]);
    const refused = await ask('DELETE', `/v1/queries/${ofOwner.id}`, undefined, token);
    expect(refused.status).to.equal(400);
    await ask('DELETE', `/v1/queries/${ofOwner.id}`);
    await ask('DELETE', `/v1/queries/${query!.id}`);
    expect(await outcome(own)).to.deep.equal(cancelled);
    expect(await outcome(ofOwner.answer)).to.deep.equal(cancelled);
    expect((await ask('GET', '/v1/queries', undefined, '')).status).to.equal(401);
  });

  it('that are slow are logged, with the first part of their text', async () => {
    const long = `${text} | -- ${'x'.repeat(5000)}`;
    const { id, answer } = await startQuery(server(), long);
    await ask('DELETE', `/v1/queries/${id}`);
    await answer;
    const lines = () =>
      server()
        .log()
        .split('\n')
        .filter((line) => line.includes('"slow query"'))
        .map((line) => JSON.parse(line) as Json);
    await waitUntil('it is logged', () => lines().some(({ query }) => String(query).endsWith('…')));
    const line = lines().find(({ query }) => String(query).endsWith('…'))!;
    expect(line['query']).to.equal(`${long.slice(0, 1024)}…`);
    expect(line).to.include.keys('requestId', 'waitedMs', 'ranMs');
    expect(line).to.deep.include({ projectIds: [projectId], rows: 1 });
    expect(line['bytes']).to.be.above(100);
    const slow = (await slowQueries(server())).find((query) => query.id === id)!;
    expect(slow).to.deep.include({
      query: line['query'],
      project_ids: [projectId],
      request_id: line['requestId'],
      rows: 1,
      bytes: line['bytes'],
    });
    const { elapsed_ms, waited_ms } = slow;
    expect([waited_ms, elapsed_ms - waited_ms]).to.deep.equal([line['waitedMs'], line['ranMs']]);
    const { service_token: token } = await addAccount(['Viewers']);
    expect(await slowQueries(server(), token)).to.deep.equal([]);
  });
});
