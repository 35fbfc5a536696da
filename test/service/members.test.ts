// What a change of members reads and answers.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { expect } from 'chai';
import { openAccounts } from '../../src/catalog/accounts.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { Writer } from '../../src/duckdb/writer.js';
import type { ObjectKind } from '../../src/schema/resources/definition.js';
import type { MembersPatch } from '../../src/schema/access.js';
import { limits } from '../../src/schema/limits.js';
import type { KeyCaller, Services } from '../../src/service/context.js';
import { changeMembers } from '../../src/service/access/members.js';
import type { TextReply } from '../../src/service/reply.js';
import { draft } from '../catalog/drafts.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Changed {
  readonly added_users: readonly { readonly id: string; readonly email: string | null }[];
  readonly removed_users: readonly string[];
}

const invitation = (length: number): MembersPatch => ({
  invite_users: { service_accounts: [{ name: 'a' }, { name: 'x'.repeat(length) }] },
});

const tooManyUsers = (count: number) =>
  `invite_users: the group "Viewers" would have ${count} users, the limit is 1000`;

describe('changes of members', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let catalog: Catalog;
  let change: (patch: MembersPatch) => Promise<Changed>;

  beforeEach(async () => {
    const file = path.join(directory(), 'meta.duckdb');
    writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    catalog = await Catalog.open(writer);
    const { accounts } = await openAccounts(writer, catalog, { apiKey: 'a key', org: 'o' });
    const principal = accounts.principal('a key')!;
    const caller: KeyCaller = { ...principal, permission: 'update', requestId: 'r' };
    change = async (patch) => {
      const reply = await changeMembers({ catalog, accounts } as Services, caller, patch);
      return JSON.parse((reply as TextReply).text) as Changed;
    };
  });
  afterEach(() => writer.close());

  const invite = (...emails: string[]) =>
    change({ invite_users: { emails, group_name: 'Viewers' } });

  it('look through the ACLs, groups and keys once, however many are removed', async () => {
    const emails = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];
    await invite(...emails);
    const ofKind = catalog.ofKind.bind(catalog);
    let reads: ObjectKind[] = [];
    catalog.ofKind = (kind) => {
      reads.push(kind);
      return ofKind(kind);
    };
    const readsOf = async (removed: readonly string[]) => {
      reads = [];
      const { removed_users } = await change({ remove_users: { emails: [...removed] } });
      expect(removed_users).to.have.length(removed.length);
      return reads;
    };
    const one = await readsOf(emails.slice(0, 1));
    expect(one).to.include.members(['acl', 'group', 'api_key']);
    expect(await readsOf(emails.slice(1))).to.deep.equal(one);
  });

  it('give service accounts names of limited length', async () => {
    expect((await rejection(change(invitation(1001)))).message).to.equal(
      'invite_users.service_accounts[1].name: expected at most 1000 characters, got 1001',
    );
    expect((await change(invitation(1000))).added_users).to.have.length(2);
  });

  it('add users to a group up to the limit of its length, and to a longer one none', async () => {
    const viewers = catalog.ofKind('group').find(({ name }) => name === 'Viewers')!;
    const fill = async (count: number) => {
      const users = Array.from({ length: count }, () => randomUUID());
      const fields = new Map([...(await catalog.fields(viewers.id)), ['member_users', users]]);
      await catalog.change((changes) => changes.replace(viewers, fields));
    };
    const { max } = limits.members;
    await fill(max - 1);
    await invite('a@example.com', 'a@example.com');
    await invite('a@example.com');
    expect(catalog.accessFields(viewers.id)?.['member_users']).to.have.length(max);
    expect((await rejection(invite('b@example.com'))).message).to.equal(tooManyUsers(1001));
    await fill(max + 1);
    expect((await rejection(invite('b@example.com'))).message).to.equal(tooManyUsers(1002));
    await invite();
  });

  it('keep no description of a role in memory, of any length, and none after a start', async () => {
    const { orgId } = catalog.ofKind('organization')[0]!;
    const set = new Map([['description', 'd'.repeat(20_000)]]);
    const id = randomUUID();
    await catalog.change((changes) =>
      changes.insert({ ...draft('described'), id, kind: 'role', orgId, fields: set }),
    );
    for (const each of [catalog, await Catalog.open(writer)]) {
      expect(each.accessFields(id)).to.include({ id, name: 'described' });
      expect(each.accessFields(id)).not.to.have.property('description');
      expect((await each.fields(id)).get('description')).to.equal(set.get('description'));
    }
  });

  it('answer those who became members, with the addresses of those who were invited by id', async () => {
    const email = 'a@example.com';
    const { added_users: invited } = await change({ invite_users: { emails: [email] } });
    const ids = invited.map(({ id }) => id);
    await change({ remove_users: { ids } });
    const emails = [email, 'b@example.com', 'b@example.com'];
    const both = await change({ invite_users: { ids: [...ids, ...ids], emails } });
    expect(both.added_users.map((each) => each.email)).to.deep.equal([email, 'b@example.com']);
    expect(both.added_users[0]).to.deep.equal(invited[0]);
    const again = { invite_users: { ids, emails, group_name: 'Viewers' } };
    expect((await change(again)).added_users).to.deep.equal([]);
    const viewers = catalog.ofKind('group').find(({ name }) => name === 'Viewers')!;
    expect(catalog.accessFields(viewers.id)?.['member_users']).to.have.members(
      both.added_users.map(({ id }) => id),
    );
  });
});
