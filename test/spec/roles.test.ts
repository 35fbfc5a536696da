import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createNamed, listObjects, type StoredObject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

describe('roles', () => {
  const server = sharedServer();

  const create = (fields: Readonly<Record<string, unknown>> = {}) =>
    createNamed(server(), 'role', fields);
  const request = (method: string, path: string, body?: unknown) =>
    outcome(server().request(method, path, body));

  const list = (query: string) => listObjects(server(), `/v1/role?${query}`);
  const inherit = (name: string, roles: readonly StoredObject[]) =>
    request('POST', '/v1/role', { name, member_roles: roles.map(({ id }) => id) });

  it('are created with every field, and read', async () => {
    const sent = {
      name: 'full',
      description: 'text',
      member_permissions: [
        { permission: 'create', restrict_object_type: 'organization' },
        { permission: 'read' },
        { permission: 'update', restrict_object_type: null },
      ],
      member_roles: [(await create()).id],
    };
    const made = await create({ ...sent, org_name: 'evalstore' });
    expect(Object.keys(made)).to.deep.equal([
      'id',
      'org_id',
      'user_id',
      'created',
      'name',
      'description',
      'deleted_at',
      'member_permissions',
      'member_roles',
    ]);
    expect(made).to.deep.include({ ...sent, deleted_at: null });
    expect(await server().get(`/v1/role/${made.id}`)).to.deep.equal(made);
  });

  it('have no permissions and inherit from nobody unless it is sent', async () => {
    const nulls = { description: null, member_permissions: null, member_roles: null };
    for (const fields of [{}, { ...nulls, org_name: null }])
      expect(await create(fields)).to.deep.include({
        description: null,
        member_permissions: [],
        member_roles: [],
      });
  });

  for (const method of ['POST', 'PUT']) {
    it(`${method} on a taken name answers the existing role unmodified`, async () => {
      const made = await create({ name: `taken by ${method}` });
      const body = { name: made.name, member_permissions: [{ permission: 'delete' }] };
      const again = await server().request(method, '/v1/role', body);
      expect(again.headers.get('x-bt-found-existing')).to.equal('true');
      expect(again.json()).to.deep.equal(made);
    });
  }

  it('are listed by name and organisation, newest first', async () => {
    const [older, newer] = [await create(), await create()];
    expect((await list('')).slice(0, 2)).to.deep.equal([newer, older]);
    expect(await list(`role_name=${older.name}`)).to.deep.equal([older]);
    expect(await list(`name=${older.name}&org_name=evalstore`)).to.deep.equal([older]);
    expect(await list('org_name=another')).to.deep.equal([]);
    expect(await list(`ids=${newer.id}`)).to.deep.equal([newer]);
    expect(await list(`starting_after=${newer.id}&limit=1`)).to.deep.equal([older]);
    expect(await list(`ending_before=${older.id}&limit=1`)).to.deep.equal([newer]);
  });

  it('are changed by what is added and removed', async () => {
    const [inner, other] = [await create(), await create()];
    const read = { permission: 'read' };
    const { id } = await create({ member_permissions: [read], member_roles: [inner.id] });
    const patch = async (body: object) =>
      (await server().request('PATCH', `/v1/role/${id}`, body)).json();
    const limited = { permission: 'update', restrict_object_type: 'dataset' };
    expect(
      await patch({
        name: 'patched',
        description: 'text',
        add_member_permissions: [limited, { ...read, restrict_object_type: null }],
        add_member_roles: [other.id, inner.id.toUpperCase()],
      }),
    ).to.deep.include({
      name: 'patched',
      description: 'text',
      member_permissions: [{ ...read, restrict_object_type: null }, limited],
      member_roles: [inner.id.toUpperCase(), other.id],
    });
    expect(
      await patch({
        remove_member_permissions: [{ permission: 'update' }, read],
        remove_member_roles: [inner.id],
      }),
    ).to.deep.include({ member_permissions: [limited], member_roles: [other.id] });
    expect(await patch({})).to.deep.include({ name: 'patched', member_permissions: [limited] });
  });

  it('are changed by lists that replace theirs, to which additions and removals then apply', async () => {
    const [inner, other] = [await create(), await create()];
    const { id } = await create({ member_permissions: ['read'], member_roles: [inner.id] });
    const patch = (body: object) => server().request('PATCH', `/v1/role/${id}`, body);
    const limited = { permission: 'update', restrict_object_type: 'dataset' };
    expect(
      (await patch({ member_permissions: ['delete', limited], member_roles: [other.id] })).json(),
    ).to.deep.include({
      member_permissions: [{ permission: 'delete' }, limited],
      member_roles: [other.id],
    });
    const both = {
      member_permissions: ['read', 'delete'],
      add_member_permissions: ['create'],
      remove_member_permissions: ['delete'],
    };
    expect((await patch(both)).json()).to.deep.include({
      member_permissions: [{ permission: 'read' }, { permission: 'create' }],
      member_roles: [other.id],
    });
    expect((await patch({ member_permissions: [] })).json()['member_permissions']).to.deep.equal(
      [],
    );
    expect(await outcome(patch({ member_roles: [id] }))).to.deep.equal([
      400,
      `member_roles: the role ${JSON.stringify((await server().get(`/v1/role/${id}`))['name'])} would inherit from itself`,
    ]);
    const nobody = randomUUID();
    expect(await outcome(patch({ member_roles: [nobody] }))).to.deep.equal([
      400,
      `member_roles[0]: no role with the id "${nobody}" that this key may use`,
    ]);
  });

  it('take a permission for every type as its name', async () => {
    const made = await create({ member_permissions: ['read', { permission: 'update' }] });
    expect(made['member_permissions']).to.deep.equal([
      { permission: 'read' },
      { permission: 'update' },
    ]);
    expect(await server().get(`/v1/role/${made.id}`)).to.deep.equal(made);
  });

  it('take more roles though one of theirs was deleted', async () => {
    const [deleted, added] = [await create(), await create()];
    const { id } = await create({ member_roles: [deleted.id] });
    await server().request('DELETE', `/v1/role/${deleted.id}`);
    const patch = (body: object) => server().request('PATCH', `/v1/role/${id}`, body);
    expect((await patch({ add_member_roles: [added.id] })).json()['member_roles']).to.deep.equal([
      deleted.id,
      added.id,
    ]);
    expect(await outcome(patch({ add_member_roles: [deleted.id] }))).to.deep.equal([
      400,
      `add_member_roles[0]: no role with the id "${deleted.id}" that this key may use`,
    ]);
    const { member_roles } = await server().get(`/v1/role/${id}`);
    expect((await patch({ member_roles })).json()['member_roles'], 'sent back').to.deep.equal(
      member_roles,
    );
    expect((await patch({ remove_member_roles: [added.id] })).status).to.equal(200);
  });

  it('are deleted', async () => {
    const made = await create();
    const deleted = await server().request('DELETE', `/v1/role/${made.id}`);
    expect(deleted.json()['deleted_at']).to.match(/^20/);
    expect((await server().request('GET', `/v1/role/${made.id}`)).status).to.equal(403);
    expect((await server().request('DELETE', `/v1/role/${made.id}`)).status).to.equal(400);
  });

  describe('inheritance', () => {
    it('refuses that a role inherits from itself, directly or through others', async () => {
      const first = await create({ name: 'first' });
      const second = await create({ name: 'second', member_roles: [first.id.toUpperCase()] });
      const third = await create({ name: 'third', member_roles: [second.id] });
      const refusal = [400, 'member_roles: the role "first" would inherit from itself'];
      for (const role of [first, second, third])
        expect(await inherit('first', [role])).to.deep.equal(refusal);
      const body = { name: 'first', member_roles: [first.id] };
      expect(await request('PUT', '/v1/role', body)).to.deep.equal(refusal);
      expect(
        await request('PATCH', `/v1/role/${first.id}`, { add_member_roles: [third.id] }),
      ).to.deep.equal(refusal);
    });

    it('may reach one role in several ways', async () => {
      const base = await create();
      const left = await create({ member_roles: [base.id] });
      const right = await create({ member_roles: [base.id, left.id, base.id] });
      const top = await create({ name: 'top', member_roles: [left.id, right.id] });
      expect(top['member_roles']).to.deep.equal([left.id, right.id]);
      expect((await inherit('top', [right]))[0]).to.equal(200);
    });
  });
});
