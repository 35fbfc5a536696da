// The audit log as a source of queries, for those who may list it.
import { expect } from 'chai';
import { asking, nobody } from './access/asking.js';
import { createProject, type StoredObject } from '../support/objects.js';
import { outcome, sharedServer, type Json } from '../support/start-server.js';

describe('queries on the audit log', () => {
  const server = sharedServer();
  const { ask, json, listed, addAccount, organizationId } = asking(server);
  let source: string;
  let organization: string;
  let project: StoredObject;

  const post = (query: string, more: object = {}, key?: string) =>
    ask('POST', '/query', { query, ...more }, key);
  const rowsOf = async (query: string, more: object = {}) =>
    (await post(query, more)).json()['data'] as readonly Json[];

  before(async () => {
    organization = await organizationId();
    source = `audit_log('${organization}')`;
    project = await createProject(server());
    await ask('PATCH', `/v1/project/${project.id}`, { description: 'd' });
    await ask('DELETE', `/v1/project/${project.id}`);
  });

  it('show what the list shows, newest first', async () => {
    const query = `select: * | from: ${source} | filter: object_id = '${project.id}'`;
    const rows = await rowsOf(query);
    const entries = await listed(`/v1/audit_log?object_id=${project.id}`);
    const shown = rows.map(({ _pagination_key, created, ...row }) => [
      row,
      Date.parse(String(created)),
    ]);
    expect(shown).to.deep.equal(
      entries.map(({ created, ...entry }) => [entry, Date.parse(String(created))]),
    );
    expect(rows.map(({ action }) => action)).to.deep.equal(['delete', 'update', 'create']);
    for (const { _pagination_key } of rows) expect(_pagination_key).to.match(/^p\d{29}$/);
  });

  it('filter, group, and sort them', async () => {
    const counts = await rowsOf(
      `dimensions: action | measures: count(*) as count | from: ${source} | filter: object_id = '${project.id}' | sort: action`,
    );
    expect(counts).to.deep.equal([
      { action: 'create', count: 1 },
      { action: 'delete', count: 1 },
      { action: 'update', count: 1 },
    ]);
    const [entry] = await listed(`/v1/audit_log?object_id=${project.id}&limit=1`);
    const same = `select: id | from: ${source} | filter: id = '${entry!.id}' and created <= now()`;
    expect(await rowsOf(same)).to.deep.equal([{ id: entry!.id }]);
    expect(
      await rowsOf(`select: id | from: ${source} | filter: created < '2020-01-01'`),
    ).to.deep.equal([]);
    const early = `select: id | from: ${source} | filter: created > now() - interval 300000 year | limit: 1`;
    expect(await rowsOf(early)).to.deep.equal([]);
    const cut = `select: object_id | from: ${source} | filter: id = '${entry!.id}' | preview_length: 5`;
    expect(await rowsOf(cut)).to.deep.equal([{ object_id: project.id }]);
    const sql = `SELECT object_name AS name FROM ${source} WHERE id = '${entry!.id}'`;
    expect(await rowsOf(sql)).to.deep.equal([{ name: project.name }]);
  });

  it('search their texts, and neither their ids nor the names of their fields', async () => {
    const found = (words: string) =>
      rowsOf(
        `select: action | from: ${source} | filter: search('${words}') and object_id = '${project.id}'`,
      );
    expect(await found(project.name)).to.have.length(3);
    expect(await found('delete')).to.deep.equal([{ action: 'delete' }]);
    for (const words of ['object_id', 'org_id', 'object_name', project.id])
      expect(await found(words), words).to.deep.equal([]);
  });

  it('go on in pages, which entries that are added meanwhile do not change', async () => {
    const query = `select: id | from: ${source} | filter: object_id = '${project.id}' | limit: 2`;
    const all = await listed(`/v1/audit_log?object_id=${project.id}`);
    const first = (await post(query)).json();
    await createProject(server());
    expect(await listed('/v1/audit_log?limit=9223372036854775808')).to.be.an('array');
    const next = await rowsOf(`${query} | cursor: '${String(first['cursor'])}'`);
    const ids = [...(first['data'] as readonly Json[]), ...next].map(({ id }) => id);
    expect(ids).to.deep.equal(all.map(({ id }) => id));
  });

  it('are for those alone who may list it', async () => {
    const query = `select: id | from: ${source}`;
    const { id, service_token: token } = await addAccount(['Engineers']);
    const refused = await post(query, {}, token);
    const absent = await post(query.replace(organization, nobody), {}, token);
    expect(refused.status).to.equal(400);
    expect(refused.text).to.equal(
      `query line 1, column 30: no organization with the id "${organization}" that this key may use`,
    );
    expect(refused.text.replace(organization, nobody)).to.equal(absent.text);
    await json('POST', '/v1/acl', {
      object_type: 'organization',
      object_id: organization,
      user_id: id,
      permission: 'read_acls',
      restrict_object_type: 'organization',
    });
    expect((await post(query, {}, token)).status).to.equal(200);
    expect((await ask('GET', '/v1/audit_log', undefined, token)).status).to.equal(200);
  });

  it('have no versions', async () => {
    expect(
      await outcome(
        post(`select: id | from: ${source}`, {
          version: '1000192656880881099',
        }),
      ),
    ).to.deep.equal([400, 'version: the audit log has no versions, filter by "created" instead']);
  });
});
