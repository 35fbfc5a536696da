// The audit log: every change of objects, grants and keys, with who made it, and pages of it.
import { expect } from 'chai';
import { createProject } from '../../support/objects.js';
import { sharedServer } from '../../support/start-server.js';
import { asking, nobody } from './asking.js';

describe('audit log', () => {
  const server = sharedServer();
  const { ask, json, listed, addAccount, invite } = asking(server);

  const actions = async (query: string) =>
    (await listed(`/v1/audit_log?${query}`)).map(({ action, object_type }) => [
      action,
      object_type,
    ]);

  it('says who did what, when and in which request', async () => {
    const before = new Date().toISOString();
    const answer = await ask('POST', '/v1/project', { name: 'audited' });
    const { id, org_id, user_id } = answer.json();
    const [entry, ...others] = await listed(`/v1/audit_log?object_id=${String(id)}`);
    expect(others).to.deep.equal([]);
    const [key] = await listed('/v1/api_key?api_key_name=configured');
    expect(entry).to.deep.include({
      org_id,
      user_id,
      key_id: key!.id,
      request_id: answer.headers.get('x-request-id'),
      action: 'create',
      object_type: 'project',
      object_id: id,
      object_name: 'audited',
    });
    expect(String(entry!['created']) >= before.slice(0, -1)).to.equal(true);
  });

  it('has changes of objects, grants, members and keys, and not what changes nothing', async () => {
    const project = await createProject(server());
    await createProject(server(), { name: project.name });
    await ask('PATCH', `/v1/project/${project.id}`, {});
    await ask('PATCH', `/v1/project/${project.id}`, { description: 'd' });
    await ask('DELETE', `/v1/project/${project.id}`);
    await ask('DELETE', `/v1/project/${project.id}`);
    expect(await actions(`object_id=${project.id}`)).to.deep.equal([
      ['delete', 'project'],
      ['update', 'project'],
      ['create', 'project'],
    ]);
    const [user] = await invite({ emails: ['audit@example.com'] });
    expect(await actions('object_type=org_member&limit=1')).to.deep.equal([
      ['create', 'org_member'],
    ]);
    const grant = { object_type: 'org_member', object_id: project['org_id'], user_id: user!.id };
    const acl = await json('POST', '/v1/acl', { ...grant, permission: 'read' });
    expect(await actions(`object_id=${String(acl['id'])}`)).to.deep.equal([['create', 'acl']]);
    const { id, key } = await json('POST', '/v1/api_key', { name: 'k' });
    await ask('DELETE', `/v1/api_key/${String(id)}`);
    expect(await actions(`object_id=${String(id)}`)).to.deep.equal([
      ['delete', 'api_key'],
      ['create', 'api_key'],
    ]);
    expect(JSON.stringify(await listed('/v1/audit_log'))).not.to.include(key);
  });

  it('is read in pages and by its parameters', async () => {
    const { id, service_token: token } = await addAccount(['Engineers']);
    for (const name of ['page 1', 'page 2', 'page 3'])
      await ask('POST', '/v1/project', { name }, token);
    const query = `/v1/audit_log?user_id=${id}&action=create&object_type=project`;
    const all = await listed(query);
    expect(all.map((entry) => entry['object_name'])).to.deep.equal(['page 3', 'page 2', 'page 1']);
    const [third, second, first] = all;
    expect(await listed(`${query}&limit=1&starting_after=${third!.id}`)).to.deep.equal([second]);
    expect(await listed(`${query}&limit=1&ending_before=${first!.id}`)).to.deep.equal([second]);
    for (const name of ['evalstore', 'EVALSTORE'])
      expect(await listed(`${query}&ids=${first!.id}&org_name=${name}`)).to.deep.equal([first]);
    expect(await listed(`${query}&org_name=other`)).to.deep.equal([]);
    expect(await listed(query, token)).to.deep.equal([]);
    for (const [parameters, text] of [
      [`starting_after=${nobody}`, `starting_after: no entry has the id "${nobody}"`],
      [
        `starting_after=${first!.id}&ending_before=${first!.id}`,
        'starting_after and ending_before cannot be given together',
      ],
      [
        'action=read',
        'action: expected "create", "update", "delete", "retention" or "purge", got "read"',
      ],
    ] as const)
      expect((await ask('GET', `/v1/audit_log?${parameters}`)).text).to.equal(text);
  });
});
