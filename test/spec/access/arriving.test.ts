// Requests whose rights end while their body arrives.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedServer, type Json } from '../../support/start-server.js';
import { askSlowly, asking, type SlowRequest } from './asking.js';

describe('access: requests that are still arriving', () => {
  const server = sharedServer();
  const { ask, json, listed, addAccount, organizationId } = asking(server);
  let project: string;
  let experiment: string;

  beforeEach(async () => {
    project = (await json('POST', '/v1/project', { name: randomUUID() }))['id'] as string;
    const made = await json('POST', '/v1/experiment', { project_id: project });
    experiment = made['id'] as string;
    await ask('POST', `/v1/experiment/${experiment}/insert`, { events: [{ id: 'old' }] });
  });

  const span = {
    name: 's',
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  };
  const otlp = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  const writes: Readonly<Record<string, () => SlowRequest>> = {
    insert: () => ({
      path: `/v1/experiment/${experiment}/insert`,
      body: { events: [{ id: 'new' }] },
    }),
    'insert into several objects': () => ({
      path: '/v1/insert',
      body: { experiment: { [experiment]: { events: [{ id: 'new' }] } } },
    }),
    feedback: () => ({
      path: `/v1/experiment/${experiment}/feedback`,
      body: { feedback: [{ id: 'old', scores: { s: 1 }, comment: 'c' }] },
    }),
    'rows of SDKs': () => ({
      path: '/logs3',
      body: { rows: [{ id: 'new', experiment_id: experiment, input: 1 }] },
    }),
    spans: () => ({
      path: '/otel/v1/traces',
      body: otlp,
      headers: ['Content-Type: application/json', `x-bt-parent: experiment_id:${experiment}`],
    }),
  };
  const others: Readonly<Record<string, () => SlowRequest>> = {
    'creation of a key': () => ({ path: '/v1/api_key', body: { name: project } }),
    'announcement of an attachment': () => ({
      path: '/attachment',
      body: { key: project, filename: 'f', content_type: 'text/plain' },
    }),
    query: () => ({
      path: '/query',
      body: { query: `select: * | from: experiment('${experiment}')` },
    }),
    fetch: () => ({ path: `/v1/experiment/${experiment}/fetch`, body: { limit: 1 } }),
  };

  const stored = async () => {
    const { events } = await json('GET', `/v1/experiment/${experiment}/fetch`);
    return (events as readonly Json[]).map(({ id, scores }) => [id, scores]);
  };

  for (const [name, request] of Object.entries({ ...writes, ...others }))
    it(`of a key that is deleted are refused: ${name}`, async () => {
      const { key, id } = await json('POST', '/v1/api_key', { name: 'thief' });
      const answer = await askSlowly(server(), key as string, request(), () =>
        ask('DELETE', `/v1/api_key/${String(id)}`),
      );
      expect(answer).to.include('HTTP/1.1 401 ').and.include('the API key is not valid');
      expect(await stored()).to.deep.equal([['old', null]]);
      expect(await listed(`/v1/api_key?api_key_name=${project}`)).to.deep.equal([]);
    });

  for (const [name, request] of Object.entries(writes)) {
    it(`of a member who is removed are refused: ${name}`, async () => {
      const { id, service_token: token } = await addAccount(['Engineers']);
      const answer = await askSlowly(server(), token, request(), () =>
        ask('PATCH', '/v1/organization/members', { remove_users: { ids: [id] } }),
      );
      expect(answer).to.include('HTTP/1.1 401 ').and.include('the API key is not valid');
      expect(await stored()).to.deep.equal([['old', null]]);
    });

    it(`of a grant that is deleted are refused: ${name}`, async () => {
      const { id, service_token: token } = await addAccount();
      const acl = { object_type: 'project', object_id: project, user_id: id };
      await json('POST', '/v1/acl', { ...acl, permission: 'read' });
      const grant = await json('POST', '/v1/acl', { ...acl, permission: 'update' });
      const answer = await askSlowly(server(), token, request(), () =>
        ask('DELETE', `/v1/acl/${String(grant['id'])}`),
      );
      expect(answer).to.match(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 40[03] /);
      expect(await stored()).to.deep.equal([['old', null]]);
    });
  }

  it('are answered while nothing changes', async () => {
    for (const request of Object.values({ ...writes, ...others }))
      expect(await askSlowly(server(), server().key, request(), organizationId)).to.include(
        'HTTP/1.1 200 ',
      );
  });
});
