// Users of several organisations: what joining and leaving one does to them and to their keys.
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Accounts } from '../../../src/catalog/accounts.js';
import { Catalog } from '../../../src/catalog/catalog.js';
import { addOrganisation, memberDraft, userDraft } from '../../../src/catalog/organisations.js';
import { Writer } from '../../../src/duckdb/writer.js';
import { openServer } from '../../support/hosted-server.js';
import type { StoredObject } from '../../support/objects.js';
import { inParent, sendSpans } from '../../support/post-spans.js';
import { outcome, type TestServer } from '../../support/start-server.js';
import { asking } from './asking.js';

const email = 'ada@example.com';
const [adaKey, otherKey] = ['key-of-ada-everywhere', 'key-of-the-other-owner'];

/** Two organisations with an owner each. Ada belongs to the first. */
async function prepare(dir: string): Promise<string> {
  const writer = await Writer.open(path.join(dir, 'meta.duckdb'), { memoryMb: 200, threads: 1 });
  const catalog = await Catalog.open(writer);
  const accounts = await Accounts.open(writer, catalog);
  const { orgId } = await addOrganisation(catalog, { name: 'evalstore' });
  const ada = userDraft(orgId, { email });
  await catalog.change((changes) =>
    changes.all([{ draft: ada }, { draft: memberDraft(orgId, ada.id) }]),
  );
  await accounts.addKey(ada.id, adaKey);
  const other = await addOrganisation(catalog, { name: 'other' });
  await accounts.addKey(other.userId, otherKey);
  await writer.close();
  return ada.id;
}

describe('access: two organisations', () => {
  let dir: string;
  let server: TestServer;
  let ada: string;
  const { ask, json, listed } = asking(() => server);
  const change = (body: object, key?: string) =>
    ask('PATCH', '/v1/organization/members', body, key);
  const join = (ids: object, key?: string) => change({ invite_users: ids }, key);

  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    ada = await prepare(dir);
    server = await openServer({ dir });
    await join({ emails: [email], group_name: 'Owners' });
  });
  afterEach(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('show a metrics key the sizes of the projects of all, and the names of those of its own', async () => {
    const scope = { name: 'm', scope: 'metrics' };
    const metrics = (await json('POST', '/v1/api_key', scope, otherKey))['key'] as string;
    const own = await json('POST', '/v1/project', { name: 'own' }, otherKey);
    const foreign = await json('POST', '/v1/project', { name: 'foreign' });
    const { text } = await ask('GET', '/metrics', undefined, metrics);
    for (const [project, name] of [
      [own, 'own'],
      [foreign, ''],
    ] as const)
      expect(text).to.include(
        `evalstore_project_rows{project_id="${String(project['id'])}",project="${name}"} 0`,
      );
  });

  it('the id of a user of the other one is as unknown as that of nobody', async () => {
    for (const id of [ada, ada.toUpperCase()])
      expect(await outcome(join({ ids: [id] }, otherKey))).to.deep.equal([
        400,
        `invite_users.ids[0]: no user with the id "${id}" that this key may use`,
      ]);
    expect((await ask('GET', `/v1/user/${ada}`, undefined, otherKey)).status).to.equal(403);
  });

  it('joining the other one changes nothing for a key of both', async () => {
    const [organisation] = await listed('/v1/organization');
    const project = (await json('POST', '/v1/project', { name: 'p' }, adaKey)) as StoredObject;
    const events = [{ id: 'a' }, { id: 'b' }];
    await ask('POST', `/v1/project_logs/${project.id}/insert`, { events }, adaKey);
    const page = `/v1/project_logs/${project.id}/fetch?limit=1`;
    const { cursor } = await json('GET', page, undefined, adaKey);
    expect((await join({ emails: [email], group_name: 'Owners' }, otherKey)).status).to.equal(200);

    expect(await listed('/v1/organization', adaKey)).to.have.length(2);
    const key = (await listed('/v1/api_key', adaKey)).find((each) => each['user_id'] === ada);
    expect((await listed('/v1/api_key', otherKey)).map((each) => each.id)).not.to.include(key!.id);
    expect((await ask('DELETE', `/v1/api_key/${key!.id}`, undefined, otherKey)).status).to.equal(
      400,
    );
    expect(await json('POST', '/v1/project', { name: 'p' }, adaKey)).to.deep.equal(project);
    const registered = await json('POST', '/api/project/register', { project_name: 'p' }, adaKey);
    expect(registered['project']).to.deep.equal(project);
    const attachment = { key: 'k', filename: 'f', content_type: 'text/plain' };
    expect((await ask('POST', '/attachment', attachment, adaKey)).status).to.equal(200);
    const spans = [inParent('project_name:q')];
    expect((await sendSpans(server, spans, { key: adaKey }))[0]).to.equal(200);
    for (const name of ['p', 'q'])
      expect((await listed(`/v1/project?project_name=${name}`))[0]!['org_id']).to.equal(
        organisation!.id,
      );
    const next = await ask('GET', `${page}&cursor=${String(cursor)}`, undefined, adaKey);
    expect([next.status, (next.json()['events'] as object[]).length]).to.deep.equal([200, 1]);
  });

  it('leaving the first one takes along a key of both', async () => {
    await join({ emails: [email] }, otherKey);
    const [key] = await listed('/v1/api_key?api_key_name=generated', adaKey);
    const path = `/v1/api_key/${key!.id}`;
    expect(await json('GET', path)).to.deep.equal(key);
    await change({ remove_users: { ids: [ada] } });

    expect(await listed('/v1/api_key?api_key_name=generated')).not.to.deep.include(key);
    expect(await outcome(ask('GET', path))).to.deep.equal([
      403,
      `no api_key with the id "${key!.id}" that this key may use`,
    ]);
    expect((await ask('DELETE', path)).status).to.equal(400);
    expect((await json('GET', path, undefined, otherKey))['id']).to.equal(key!.id);
    expect((await listed('/v1/api_key', adaKey)).map(({ id }) => id)).to.deep.equal([key!.id]);
    expect((await ask('DELETE', path, undefined, adaKey)).status).to.equal(200);
    expect((await ask('GET', '/ping', undefined, adaKey)).status).to.equal(401);
  });

  it('the name of the other one is only not available, in any case', async () => {
    const [own] = await listed('/v1/organization');
    const rename = (name: string) => outcome(ask('PATCH', `/v1/organization/${own!.id}`, { name }));
    for (const name of ['other', 'OTHER'])
      expect(await rename(name)).to.deep.equal([
        400,
        `name: the name ${JSON.stringify(name)} is not available`,
      ]);
    const { name } = own!;
    for (const spelling of [name.toUpperCase(), name])
      expect((await rename(spelling))[0]).to.equal(200);
  });

  it('keys that an operator adds name their user', async () => {
    const [key] = await listed('/v1/api_key?api_key_name=generated', adaKey);
    expect(key!['user_email']).to.equal(email);
  });
});
