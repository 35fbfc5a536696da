// How organisations begin and change, and how members come and go.
import { expect } from 'chai';
import { createNamed } from '../../support/objects.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

describe('access: organisations', () => {
  const server = sharedServer();
  const { ask, json, listed, invite, addAccount, organizationId } = asking(server);
  let organization: string;

  before(async () => {
    organization = await organizationId();
  });

  describe('organisations', () => {
    it('have every field, and begin with groups of owners, engineers and viewers', async () => {
      expect(await listed('/v1/organization')).to.deep.equal([
        await json('GET', `/v1/organization/${organization}`),
      ]);
      const groups = await listed('/v1/group');
      expect(groups.map(({ name }) => name)).to.include.members(['Owners', 'Engineers', 'Viewers']);
      const roles = await listed('/v1/role');
      expect(roles.map(({ name }) => name)).to.include.members(['Owner', 'Engineer', 'Viewer']);
      const on = `object_type=organization&object_id=${organization}`;
      expect(await listed(`/v1/acl?${on}`)).to.have.length(3);
    });

    it('are found by name', async () => {
      expect(await listed('/v1/organization?org_name=evalstore')).to.have.length(1);
      expect(await listed('/v1/organization?org_name=Evalstore')).to.have.length(1);
      expect(await listed('/v1/organization?org_name=other')).to.deep.equal([]);
    });

    it('are patched, and keep their name through it', async () => {
      const patch = {
        api_url: 'http://api',
        proxy_url: 'p',
        realtime_url: 'r',
        is_universal_api: true,
      };
      const patched = await json('PATCH', `/v1/organization/${organization}`, patch);
      expect(patched).to.deep.include({ ...patch, name: 'evalstore' });
    });

    it('do not lose their last owner', async () => {
      const text =
        'the organisation would have no owner left: no user would have every permission on it';
      const [owners] = await listed('/v1/group?group_name=Owners');
      const [user] = owners!['member_users'] as readonly string[];
      const members = { remove_users: { ids: [user] } };
      const [role] = await listed('/v1/role?role_name=Owner');
      const acls = await listed(`/v1/acl?object_type=organization&object_id=${organization}`);
      const acl = acls.find((each) => each['group_id'] === owners!.id)!;
      for (const answer of [
        ask('PATCH', '/v1/organization/members', members),
        ask('PATCH', `/v1/group/${owners!.id}`, { remove_member_users: [user] }),
        ask('DELETE', `/v1/group/${owners!.id}`),
        ask('DELETE', `/v1/role/${role!.id}`),
        ask('PATCH', `/v1/role/${role!.id}`, {
          remove_member_permissions: [{ permission: 'delete_acls' }],
        }),
        ask('DELETE', `/v1/acl/${acl.id}`),
      ])
        expect(await outcome(answer)).to.deep.equal([400, text]);
      const [added] = await invite({ emails: ['second@example.com'], group_id: owners!.id });
      const remove = { remove_member_users: [added!.id] };
      expect((await ask('PATCH', `/v1/group/${owners!.id}`, remove)).status).to.equal(200);
    });
  });

  describe('members', () => {
    it('are invited by email address and id, once each, into groups', async () => {
      const group = await createNamed(server(), 'group');
      const other = await createNamed(server(), 'group');
      const invitation = {
        emails: ['Ada@Example.com', 'ada@example.com'],
        group_ids: [group.id],
        group_names: [other.name],
        send_invite_emails: true,
      };
      const [ada, ...none] = await invite(invitation);
      expect(none).to.deep.equal([]);
      expect(ada!.email).to.equal('ada@example.com');
      expect(await invite(invitation)).to.deep.equal([]);
      expect(await invite({ ids: [ada!.id], group_name: other.name })).to.deep.equal([]);
      for (const { id } of [group, other])
        expect((await json('GET', `/v1/group/${id}`))['member_users']).to.deep.equal([ada!.id]);
      expect(await listed('/v1/user?email=ada@example.com')).to.have.length(1);
      const [robot] = await invite({ service_accounts: [{ name: 'robot' }] });
      expect(await listed('/v1/user?family_name=robot')).to.deep.equal([
        await json('GET', `/v1/user/${robot!.id}`),
      ]);
      expect(await listed('/v1/user?given_name=nobody')).to.deep.equal([]);
    });

    it('lose everything when they are removed, and do not get it back', async () => {
      const account = await addAccount(['Owners']);
      const { id, service_token: token } = account;
      const grant = { object_type: 'organization', object_id: organization, user_id: id };
      const acl = await json('POST', '/v1/acl', { ...grant, permission: 'update_acls' });
      expect((await ask('GET', '/v1/project', undefined, token)).status).to.equal(200);
      const patch = { remove_users: { ids: [id], emails: ['nobody@example.com'] } };
      const removed = await json('PATCH', '/v1/organization/members', patch);
      expect(removed['removed_users']).to.deep.equal([id]);
      expect((await ask('GET', '/v1/project', undefined, token)).status).to.equal(401);
      expect((await ask('GET', `/v1/acl/${String(acl['id'])}`)).status).to.equal(403);
      expect(await invite({ ids: [id] })).to.deep.equal([{ id, email: null }]);
      expect((await ask('GET', '/v1/project', undefined, token)).status).to.equal(401);
      const fresh = await json('POST', '/v1/service_token', { name: 't', service_account_id: id });
      expect(await listed('/v1/project', fresh['key'] as string)).to.deep.equal([]);
    });

    it('that were removed are cursors of who may read the others, and no one else', async () => {
      const [older, removed, newer] = [await addAccount(), await addAccount(), await addAccount()];
      const patch = { remove_users: { ids: [removed.id] } };
      await json('PATCH', '/v1/organization/members', patch);
      const idsAt = async (cursor: string) =>
        (await listed(`/v1/user?limit=1&${cursor}=${removed.id}`)).map(({ id }) => id);
      expect(await idsAt('starting_after')).to.deep.equal([older.id]);
      expect(await idsAt('ending_before')).to.deep.equal([newer.id]);
      const path = `/v1/user?starting_after=${removed.id}`;
      expect(await outcome(ask('GET', path, undefined, older.service_token))).to.deep.equal([
        400,
        `starting_after: no user has had the id "${removed.id}"`,
      ]);
      expect((await ask('GET', `/v1/user/${removed.id}`)).status).to.equal(403);
    });

    it('are not changed by those who may only read', async () => {
      const { service_token: token } = await addAccount(['Engineers']);
      expect(await outcome(ask('PATCH', '/v1/organization/members', {}, token))).to.deep.equal([
        403,
        `this key may not change the members of the organisation "${organization}"`,
      ]);
    });
  });
});
