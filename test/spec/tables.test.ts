// The catalog of tables: what an engine asks for and gets, by the rights of its key.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { bucketService } from '../support/bucket-service.js';
import { liveIds } from '../support/bucket-tables.js';
import type { TableMetadata } from '../../src/store/iceberg/metadata.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import type { Json, TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { asking } from './access/asking.js';

const root = '/iceberg/v1';
const namespaces = `${root}/namespaces`;

describe('the catalog of tables', () => {
  const service = bucketService();
  const directory = temporaryDirectory();
  let server: TestServer;
  const { addAccount, json } = asking(() => server);

  const open = (variables: Readonly<Record<string, string>> = {}) =>
    openServer({
      dir: directory(),
      environment: { EVALSTORE_BUCKET: `s3://evals/${randomUUID()}`, ...variables },
      tuning: {},
    });
  const ask = (path: string, key: string | null = server.key, method = 'GET', body?: unknown) =>
    server.request(method, path, body, { key });
  const names = async (key?: string) =>
    ((await ask(namespaces, key)).json()['namespaces'] as string[][]).map(([name]) => name);
  const error = async (answer: ReturnType<typeof ask>) => {
    const { status, headers, text } = await answer;
    expect(headers.get('content-type')).to.match(/^application\/json/);
    const { message, type, code } = (JSON.parse(text) as Json)['error'] as Json;
    expect(code).to.equal(status);
    return [status, type, message];
  };
  const projectNamed = async (name: string) =>
    (await server.post('/v1/project', { name }))['id'] as string;

  beforeEach(async () => {
    server = await open();
  });
  afterEach(() => server.stop());

  it('leads to the metadata of the table of a project, by its name and by its id', async () => {
    const id = await projectNamed('My Project');
    const path = `${namespaces}/My%20Project`;
    expect((await ask(`${root}/config?warehouse=any`)).json()).to.deep.equal({
      defaults: { 's3.endpoint': service().url, 's3.path-style-access': 'true' },
      overrides: { 'rest-metrics-reporting-enabled': 'false' },
    });
    expect(await names()).to.deep.equal(['My Project']);
    const namespace = { namespace: ['My Project'], properties: { project_id: id } };
    const spellings = ['my%20project', 'my+project', id.toUpperCase()];
    for (const each of [path, ...spellings.map((name) => `${namespaces}/${name}`)])
      expect((await ask(each)).json()).to.deep.equal(namespace);
    expect((await ask(`${path}/tables?pageToken=`)).json()).to.deep.equal({ identifiers: [] });
    expect(await error(ask(`${path}/tables/events`))).to.deep.equal([
      404,
      'NoSuchTableException',
      'the project has no table yet: its first events are not in the bucket, or tables are off (EVALSTORE_TABLES)',
    ]);
    await server.insert(`project_logs/${id}`, [{ id: 'a' }, { id: 'b' }]);
    await server.settle();
    expect((await ask(`${path}/tables`)).json()).to.deep.equal({
      identifiers: [{ namespace: ['My Project'], name: 'events' }],
    });
    const loaded = (await ask(`${path}/tables/events?snapshots=all`)).json();
    const metadata = loaded['metadata'] as TableMetadata;
    expect(loaded['config']).to.deep.equal({});
    expect(loaded['metadata-location']).to.match(
      new RegExp(`^s3://evals/.*/iceberg/${id}/${metadata['current-snapshot-id']}.metadata.json$`),
    );
    expect(JSON.stringify(loaded)).not.to.include('S3RVER');
    expect(await liveIds(service(), metadata)).to.deep.equal(['a', 'b']);
    for (const each of ['', '/tables/events'])
      expect((await ask(path + each, server.key, 'HEAD')).status).to.equal(200);
    const head = await ask(`${path}/tables/other`, server.key, 'HEAD');
    expect([head.status, head.text]).to.deep.equal([404, '']);
    const report = await ask(`${path}/tables/events/metrics`, server.key, 'POST', { any: 1 });
    expect([report.status, report.text]).to.deep.equal([200, 'null']);
  });

  it('shows no rows of deleted experiments and none of deleted projects', async () => {
    const project = await createProject(server);
    const { id } = await server.post('/v1/experiment', { project_id: project.id, name: 'e' });
    await server.insert(`experiment/${String(id)}`, [{ id: 'a' }]);
    await server.insert(`project_logs/${project.id}`, [{ id: 'b' }]);
    await server.request('DELETE', `/v1/experiment/${String(id)}`);
    await server.settle();
    const table = `${namespaces}/${project.id}/tables/events`;
    const metadata = (await ask(table)).json()['metadata'] as TableMetadata;
    expect(await liveIds(service(), metadata)).to.deep.equal(['b']);
    await server.request('DELETE', `/v1/project/${project.id}`);
    expect((await ask(table)).status).to.equal(404);
    expect(await names()).to.deep.equal([]);
  });

  it('has ids for projects whose names differ by case alone', async () => {
    const ids = [await projectNamed('Case'), await projectNamed('case')];
    await projectNamed('other');
    expect(await names()).to.have.members([...ids, 'other']);
    for (const name of ['Case', 'case'])
      expect((await ask(`${namespaces}/${name}`)).status).to.equal(404);
    expect((await ask(`${namespaces}/${ids[0]}`)).json()['namespace']).to.deep.equal([ids[0]]);
  });

  it('shows a key the projects of which it may read everything', async () => {
    const [readable, hidden] = [await createProject(server), await createProject(server)];
    const { id: user_id, service_token: key } = await addAccount();
    for (const { id } of [readable, hidden]) {
      await server.insert(`project_logs/${id}`, [{ id: 'a' }]);
      const grant = { object_type: 'project', object_id: id, permission: 'read', user_id };
      // Of the other one, only the logs.
      const restricted = id === hidden.id ? { restrict_object_type: 'project_log' } : {};
      await json('POST', '/v1/acl', { ...grant, ...restricted });
    }
    await server.settle();
    expect(await names(key)).to.deep.equal([readable.name]);
    expect((await ask(`${namespaces}/${readable.id}/tables/events`, key)).status).to.equal(200);
    for (const rest of ['', '/tables', '/tables/events', '/tables/events/metrics']) {
      const method = rest.endsWith('metrics') ? 'POST' : 'GET';
      const [status, type, message] = await error(
        ask(`${namespaces}/${hidden.id}${rest}`, key, method),
      );
      expect([status, message]).to.deep.equal([
        404,
        `no project with the id or the unique name "${hidden.id}" that this key may use as a whole`,
      ]);
      expect(type).to.equal(
        rest.includes('tables/') ? 'NoSuchTableException' : 'NoSuchNamespaceException',
      );
    }
    expect(await error(ask(namespaces, null))).to.deep.equal([
      401,
      'NotAuthorizedException',
      'this request needs an API key in the header "Authorization: Bearer <API_KEY>"',
    ]);
    expect((await error(ask(namespaces, 'wrong'))).slice(0, 2)).to.deep.equal([
      401,
      'NotAuthorizedException',
    ]);
  });

  it('refuses whatever would write', async () => {
    const { id } = await createProject(server);
    const table = `${namespaces}/${id}/tables/events`;
    for (const [method, path] of [
      ['POST', namespaces],
      ['DELETE', `${namespaces}/${id}`],
      ['POST', `${namespaces}/${id}/properties`],
      ['POST', `${namespaces}/${id}/tables`],
      ['POST', `${namespaces}/${id}/register`],
      ['POST', table],
      ['DELETE', table],
      ['POST', `${root}/tables/rename`],
      ['POST', `${root}/transactions/commit`],
      ['POST', `${root}/oauth/tokens`],
    ] as const)
      expect(await error(ask(path, server.key, method, {})), path).to.deep.equal([
        403,
        'ForbiddenException',
        'this key may not change tables: they are read-only, and follow the events that Evalstore stores',
      ]);
    expect((await error(ask(`${namespaces}/${id}/views/v`))).slice(0, 2)).to.deep.equal([
      404,
      'NoSuchViewException',
    ]);
  });

  it('has no tables while they are off, and none without a bucket', async () => {
    const { id } = await createProject(server);
    await server.insert(`project_logs/${id}`, [{ id: 'a' }]);
    await server.settle();
    const table = `${namespaces}/${id}/tables/events`;
    expect((await ask(table)).status).to.equal(200);
    const [, prefix = ''] = /s3:\/\/evals\/([^/]+)/.exec((await ask(table)).text) ?? [];
    await server.stop();
    server = await open({ EVALSTORE_BUCKET: `s3://evals/${prefix}`, EVALSTORE_TABLES: 'off' });
    await server.settle();
    expect((await error(ask(table)))[1]).to.equal('NoSuchTableException');
    await server.stop();
    server = await open({ EVALSTORE_BUCKET: '' });
    expect(await error(ask(table))).to.deep.equal([
      404,
      'NoSuchTableException',
      'this server has no tables: it has no bucket (EVALSTORE_BUCKET)',
    ]);
  });
});
