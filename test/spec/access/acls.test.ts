// How ACLs and groups are made, changed and ended.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createNamed, createProject } from '../../support/objects.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking, nobody } from './asking.js';

/** What each ACL grants, and to whom. */
const grantsOf = (acls: readonly object[]) =>
  acls.map((acl) =>
    Object.fromEntries(
      Object.entries(acl).filter(([name, value]) => granting.has(name) && value !== null),
    ),
  );

const granting = new Set(['group_id', 'user_id', 'permission', 'restrict_object_type', 'role_id']);

describe('access: acls', () => {
  const server = sharedServer();
  const { ask, json, listed, invite, addAccount, organizationId } = asking(server);
  const patch = (id: string, body: object) => ask('PATCH', `/v1/group/${id}`, body);
  const counts = async (body: object) => {
    const answer = await json('POST', '/v1/acl/batch_update', body);
    return [answer['added_acls'], answer['removed_acls']].map((acls) => (acls as object[]).length);
  };
  const found = async (path: string) => grantsOf(await listed(path));
  const end = (body: object) => ask('DELETE', '/v1/acl', body);
  let organization: string;

  before(async () => {
    organization = await organizationId();
  });

  describe('ACLs', () => {
    it('have every field, are there once, and end', async () => {
      const [project, group] = [
        await createProject(server()),
        await createNamed(server(), 'group'),
      ];
      const item = { object_type: 'project', object_id: project.id, group_id: group.id };
      const body = { ...item, permission: 'update', restrict_object_type: 'dataset' };
      const first = await ask('POST', '/v1/acl', body);
      const again = await ask('POST', '/v1/acl', { ...body, object_id: project.id.toUpperCase() });
      expect(again.headers.get('x-bt-found-existing')).to.equal('true');
      expect(again.json()).to.deep.equal(first.json());
      expect((await ask('PUT', '/v1/acl', body)).json()).to.deep.equal(first.json());
      expect(first.json()).to.deep.include({
        ...body,
        role_id: null,
        user_id: null,
        _object_org_id: organization,
      });
      const query = `/v1/acl?object_type=project&object_id=${project.id}`;
      expect(await listed(query)).to.deep.equal([first.json()]);
      expect((await ask('DELETE', `/v1/acl/${String(first.json()['id'])}`)).json()).to.deep.equal(
        first.json(),
      );
      expect(await listed(query)).to.deep.equal([]);
      expect(await listed(`/v1/acl?object_type=project&object_id=${randomUUID()}`)).to.deep.equal(
        [],
      );
    });

    it('are changed together, and a second time nothing changes', async () => {
      const [project, group] = [
        await createProject(server()),
        await createNamed(server(), 'group'),
      ];
      const item = { object_type: 'project', object_id: project.id, group_id: group.id };
      const [read, write] = [
        { ...item, permission: 'read' },
        { ...item, permission: 'update' },
      ];
      expect(await counts({ add_acls: [read, read] })).to.deep.equal([1, 0]);
      expect(await counts({ add_acls: [read, write], remove_acls: [] })).to.deep.equal([1, 0]);
      expect(await counts({ remove_acls: [read] })).to.deep.equal([0, 1]);
      expect(await counts({ remove_acls: [read] })).to.deep.equal([0, 0]);
      expect(
        await outcome(
          ask('POST', '/v1/acl/batch_update', { add_acls: [read], remove_acls: [read] }),
        ),
      ).to.deep.equal([400, 'remove_acls: an ACL is in add_acls, too']);
      expect(await listed(`/v1/acl?object_type=project&object_id=${project.id}`)).to.have.length(1);
    });

    it('are walked beside their deletion', async () => {
      const [project, group] = [
        await createProject(server()),
        await createNamed(server(), 'group'),
      ];
      const item = { object_type: 'project', object_id: project.id, group_id: group.id };
      for (const permission of ['read', 'update', 'delete'])
        await json('POST', '/v1/acl', { ...item, permission });
      const query = `/v1/acl?object_type=project&object_id=${project.id}`;
      const [newest, middle, oldest] = await listed(query);
      await ask('DELETE', `/v1/acl/${middle!.id}`);
      expect(await listed(`${query}&starting_after=${middle!.id}`)).to.deep.equal([oldest]);
      expect(await listed(`${query}&ending_before=${middle!.id}`)).to.deep.equal([newest]);
    });

    const object = { object_type: 'organization', object_id: nobody };
    for (const [what, fields, text] of [
      ['nobody', { permission: 'read' }, 'user_id: give either user_id or group_id'],
      [
        'two',
        { user_id: nobody, group_id: nobody, permission: 'read' },
        'user_id: give either user_id or group_id',
      ],
      ['nothing', { user_id: nobody }, 'permission: give either permission or role_id'],
      [
        'a limited role',
        { user_id: nobody, role_id: nobody, restrict_object_type: 'project' },
        'restrict_object_type: not allowed together with role_id',
      ],
      [
        'rights on what there is not',
        { user_id: nobody, permission: 'read' },
        `object_id: no organization with the id "${nobody}" whose ACLs this key may change`,
      ],
    ] as const)
      it(`do not grant ${what}`, async () => {
        expect(await outcome(ask('POST', '/v1/acl', { ...object, ...fields }))).to.deep.equal([
          400,
          text,
        ]);
      });

    it('name users, groups and roles of the organisation', async () => {
      const item = { object_type: 'organization', object_id: organization };
      for (const [field, rest] of [
        ['user', { permission: 'read' }],
        ['group', { permission: 'read' }],
        ['role', { group_id: (await createNamed(server(), 'group')).id }],
      ] as const) {
        const body = { ...item, ...rest, [`${field}_id`]: nobody };
        expect(await outcome(ask('POST', '/v1/acl', body))).to.deep.equal([
          400,
          `${field}_id: no ${field} with the id "${nobody}" that this key may use`,
        ]);
      }
    });

    it('are listed by what they grant, and whether the object is named or not', async () => {
      const [project, group, role] = [
        await createProject(server()),
        await createNamed(server(), 'group'),
        await createNamed(server(), 'role'),
      ];
      const { id: user } = await addAccount();
      const item = { object_type: 'project', object_id: project.id };
      const grants = [
        { group_id: group.id, permission: 'read' },
        { user_id: user, permission: 'update', restrict_object_type: 'dataset' },
        { user_id: user, role_id: role.id },
      ];
      for (const grant of grants) await json('POST', '/v1/acl', { ...item, ...grant });
      const [byGroup, byUser, byRole] = grants;
      for (const [query, expected] of [
        [`group_id=${group.id.toUpperCase()}`, [byGroup]],
        [`user_id=${user}`, [byRole, byUser]],
        [`user_id=${user}&permission=update`, [byUser]],
        [`user_id=${user}&restrict_object_type=dataset`, [byUser]],
        [`role_id=${role.id}`, [byRole]],
        [`role_id=${role.id}&permission=read`, []],
      ] as const) {
        const on = `object_type=project&object_id=${project.id}`;
        expect(await found(`/v1/acl?${on}&${query}`), query).to.deep.equal(expected);
        expect(await found(`/v1/acl/list_org?${query}`), query).to.deep.equal(expected);
      }
      expect(await found(`/v1/acl/list_org?object_id=${project.id}`)).to.have.length(3);
      expect(await found(`/v1/acl/list_org?user_id=${user}&org_name=unheard`)).to.deep.equal([]);
      expect(await outcome(ask('GET', `/v1/acl/list_org?permission=all`))).to.deep.equal([
        400,
        'permission: expected "create", "read", "update", "delete", "create_acls", "read_acls", "update_acls" or "delete_acls", got "all"',
      ]);
    });

    it('end by what they grant', async () => {
      const [project, group] = [
        await createProject(server()),
        await createNamed(server(), 'group'),
      ];
      const item = { object_type: 'project', object_id: project.id, group_id: group.id };
      const made = await json('POST', '/v1/acl', { ...item, permission: 'read' });
      const missing = [400, 'there is no ACL with these fields'];
      expect(await outcome(end({ ...item, permission: 'update' }))).to.deep.equal(missing);
      expect((await end({ ...item, permission: 'read' })).json()).to.deep.equal(made);
      expect(await outcome(end({ ...item, permission: 'read' }))).to.deep.equal(missing);
      expect(await outcome(end(item))).to.deep.equal([
        400,
        'permission: give either permission or role_id',
      ]);
    });

    it('count from the next request on, and no longer once they end', async () => {
      const { id, service_token: token } = await addAccount();
      const project = await createProject(server());
      const status = async () =>
        (await ask('GET', `/v1/project/${project.id}`, undefined, token)).status;
      expect(await status()).to.equal(403);
      const item = { object_type: 'project', object_id: project.id };
      const acl = await json('POST', '/v1/acl', { ...item, user_id: id, permission: 'read' });
      expect(await status()).to.equal(200);
      await ask('DELETE', `/v1/acl/${String(acl['id'])}`);
      expect(await status()).to.equal(403);
    });
  });

  describe('groups', () => {
    it('are changed by what is added and removed, and never contain themselves', async () => {
      const [ada] = await invite({ emails: ['group@example.com'] });
      const [inner, outer] = [
        await createNamed(server(), 'group'),
        await createNamed(server(), 'group'),
      ];
      const changed = await patch(outer.id, {
        add_member_users: [ada!.id],
        add_member_groups: [inner.id],
        name: 'renamed',
        description: 'text',
      });
      expect(changed.json()).to.deep.include({
        member_users: [ada!.id],
        member_groups: [inner.id],
        name: 'renamed',
        description: 'text',
      });
      expect(await outcome(patch(inner.id, { add_member_groups: [outer.id] }))).to.deep.equal([
        400,
        `member_groups: the group ${JSON.stringify(inner.name)} would contain itself`,
      ]);
      const left = await patch(outer.id, {
        remove_member_users: [ada!.id],
        remove_member_groups: [inner.id],
      });
      expect(left.json()).to.deep.include({ member_users: [], member_groups: [] });
      expect(await outcome(patch(outer.id, { add_member_users: [nobody] }))).to.deep.equal([
        400,
        `add_member_users[0]: no user with the id "${nobody}" that this key may use`,
      ]);
    });

    it('are changed by lists that replace theirs', async () => {
      const [ada, ben] = await invite({ emails: ['ada@example.com', 'ben@example.com'] });
      const [inner, other] = [
        await createNamed(server(), 'group'),
        await createNamed(server(), 'group'),
      ];
      const members = { member_users: [ada!.id], member_groups: [inner.id] };
      const { id, name } = await createNamed(server(), 'group', members);
      const replaced = { member_users: [ben!.id], member_groups: [other.id] };
      expect((await patch(id, replaced)).json()).to.deep.include(replaced);
      expect((await patch(id, { member_users: [] })).json()).to.deep.include({
        member_users: [],
        member_groups: [other.id],
      });
      expect(await outcome(patch(id, { member_groups: [id] }))).to.deep.equal([
        400,
        `member_groups: the group ${JSON.stringify(name)} would contain itself`,
      ]);
      expect(await outcome(patch(id, { member_users: [nobody] }))).to.deep.equal([
        400,
        `member_users[0]: no user with the id "${nobody}" that this key may use`,
      ]);
      const tooMany = Array.from({ length: 1001 }, () => randomUUID());
      expect(await outcome(patch(id, { member_users: tooMany }))).to.deep.equal([
        400,
        'member_users: expected at most 1000 elements, got 1001',
      ]);
    });

    it('take users from who may change them, and may not read the other members', async () => {
      const { id, service_token: token } = await addAccount();
      const [hidden] = await invite({ emails: ['hidden@example.com'] });
      const group = await createNamed(server(), 'group', { member_users: [hidden!.id] });
      const grant = { object_type: 'group', object_id: group.id, user_id: id };
      await json('POST', '/v1/acl', { ...grant, permission: 'update' });
      const add = (user: string) =>
        ask('PATCH', `/v1/group/${group.id}`, { add_member_users: [user] }, token);
      expect((await add(id)).json()['member_users']).to.deep.equal([hidden!.id, id]);
      expect(await outcome(add(hidden!.id))).to.deep.equal([
        400,
        `add_member_users[0]: no user with the id "${hidden!.id}" that this key may use`,
      ]);
    });

    it('are created and replaced by PUT, never contain themselves, and keep an owner', async () => {
      const put = (body: object) => ask('PUT', '/v1/group', body);
      const [ada] = await invite({ emails: ['replaced@example.com'] });
      const name = `group ${randomUUID()}`;
      const made = (await put({ name, member_users: [ada!.id], description: 'text' })).json();
      expect(made).to.deep.include({ name, member_users: [ada!.id], description: 'text' });
      const { id, created, user_id } = made;
      const { service_token: token } = await addAccount(['Owners']);
      const body = { name, description: 'other' };
      const replaced = await json('PUT', '/v1/group', body, token);
      const kept = { id, created, user_id };
      expect(replaced).to.deep.include({ ...kept, member_users: [], description: 'other' });
      expect((await ask('GET', `/v1/group/${String(id)}`)).json()).to.deep.equal(replaced);
      expect(await outcome(put({ name, member_groups: [id] }))).to.deep.equal([
        400,
        `member_groups: the group ${JSON.stringify(name)} would contain itself`,
      ]);
      expect(await outcome(put({ name: 'Owners' }))).to.deep.equal([
        400,
        'the organisation would have no owner left: no user would have every permission on it',
      ]);
    });
  });
});
