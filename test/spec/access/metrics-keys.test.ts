// Keys of the scope `metrics`: who makes them, what they read, and that they can do nothing else.
import { expect } from 'chai';
import { permissionTable } from '../../../src/http/permission-table.js';
import { createProject } from '../../support/objects.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

const id = '00000000-0000-4000-8000-000000000000';
const refusal = 'this key may only read /metrics';

describe('access: keys of the scope metrics', () => {
  const server = sharedServer();
  const { ask, json, addAccount } = asking(server);
  let key: string;

  before(async () => {
    const made = await json('POST', '/v1/api_key', { name: 'm', scope: 'metrics' });
    key = made['key'] as string;
    expect(made['scope']).to.equal('metrics');
    expect((await json('GET', `/v1/api_key/${String(made['id'])}`))['scope']).to.equal('metrics');
  });

  it('read the numbers of the whole server and of all projects', async () => {
    const project = await createProject(server(), { name: 'seen by Prometheus' });
    const { status, text } = await ask('GET', '/metrics', undefined, key);
    expect(status).to.equal(200);
    expect(text).to.include(
      `evalstore_project_bytes{project_id="${project.id}",project="seen by Prometheus"}`,
    );
    for (const name of ['evalstore_buffered_rows', 'evalstore_request_duration_seconds_bucket'])
      expect(text).to.include(name);
  });

  it('read no name, text or value of users but the names of projects', async () => {
    const { id: project_id } = await createProject(server());
    const named = { project_id, name: 'secret' };
    const experiment = await json('POST', '/v1/experiment', named);
    await json('POST', '/v1/dataset', named);
    await json('POST', '/v1/prompt', { ...named, slug: 'secret' });
    await json('POST', '/v1/api_key', { name: 'secret' });
    const insert = `/v1/experiment/${String(experiment['id'])}/insert`;
    await json('POST', insert, { events: [{ id: 'secret', input: 'secret', tags: ['secret'] }] });
    const query = `select: id | from: experiment('${String(experiment['id'])}') | filter: id = 'secret'`;
    await json('POST', '/query', { query });
    await ask('GET', '/v1/project?project_name=secret');
    await ask('GET', '/secret');
    await ask('POST', '/v1/experiment/secret/insert', {});
    const { text } = await ask('GET', '/metrics', undefined, key);
    expect(text).to.include('route="/v1/experiment/{id}/insert"');
    expect(text).not.to.include('secret');
    const labels = new Set(Array.from(text.matchAll(/[{,](\w+)="/g), ([, label]) => label));
    expect([...labels]).to.have.members(
      'version commit project_id project task budget kind folder method route status le'.split(' '),
    );
  });

  it('are refused by every operation that needs a key, and by paths without one', async () => {
    const closed = Object.entries(permissionTable)
      .filter(([name, { where }]) => where !== 'open' && name !== 'GET /metrics')
      .map(([name]) => name.split(' ') as [string, string]);
    expect(closed.length).to.be.above(100);
    for (const [method, path] of [...closed, ['GET', '/nowhere'], ['PATCH', '/metrics']] as const) {
      const { status, text } = await ask(method, path.replaceAll(/:\w+/g, id), undefined, key);
      expect([status, text.includes(refusal)], `${method} ${path}`).to.deep.equal([403, true]);
    }
    expect((await ask('GET', '/health', undefined, key)).status).to.equal(200);
  });

  it('are made by owners alone, with a scope that exists', async () => {
    const { service_token: token } = await addAccount();
    const made = ask('POST', '/v1/api_key', { name: 'm', scope: 'metrics' }, token);
    expect(await outcome(made)).to.deep.equal([
      403,
      'scope: only an owner of the organisation may create a key for the metrics of the server',
    ]);
    const other = { name: 'm', scope: 'all' };
    expect((await ask('POST', '/v1/api_key', other)).status).to.equal(400);
  });
});
