// Keys that are created while their organisation changes.
import path from 'node:path';
import { expect } from 'chai';
import { openAccounts, ownerOf } from '../../src/catalog/accounts.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { addOrganisation } from '../../src/catalog/organisations.js';
import { Writer } from '../../src/duckdb/writer.js';
import type { MembersPatch } from '../../src/schema/access.js';
import type { KeyCaller, Services } from '../../src/service/context.js';
import { createApiKey, createServiceToken } from '../../src/service/access/keys.js';
import { changeMembers } from '../../src/service/access/members.js';
import type { TextReply } from '../../src/service/reply.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('keys of the owner', () => {
  const directory = temporaryDirectory();

  it('are of another owner once the first user has left', async () => {
    const file = path.join(directory(), 'meta.duckdb');
    const start = async (apiKey: string | null) => {
      const writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
      const catalog = await Catalog.open(writer);
      const opened = await openAccounts(writer, catalog, { apiKey, org: 'o' });
      return { writer, catalog, ...opened };
    };
    const before = await start('first');
    const principal = before.accounts.principal('first')!;
    const caller: KeyCaller = { ...principal, permission: 'update', requestId: 'r' };
    await changeMembers(before as unknown as Services, caller, {
      invite_users: { emails: ['ada@example.com'], group_name: 'Owners' },
      remove_users: { ids: [principal.userId] },
    });
    const ada = before.catalog.ofKind('user').find(({ name }) => name === 'ada@example.com')!;
    await before.writer.close();
    for (const secret of [null, 'first', 'second']) {
      const { accounts, catalog, generatedKey, writer } = await start(secret);
      expect(generatedKey !== null, String(secret)).to.equal(secret === null);
      // The first key was deleted with its user.
      const userId = secret === 'first' ? undefined : ada.id;
      expect(accounts.principal(secret ?? generatedKey!)?.userId).to.equal(userId);
      expect(ownerOf(catalog)).to.equal(ada.id);
      await writer.close();
    }
  });
});

/** A new directory with two organisations of one owner. */
async function openTwo(directory: string) {
  const file = path.join(directory, 'meta.duckdb');
  const writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
  const catalog = await Catalog.open(writer);
  const { accounts } = await openAccounts(writer, catalog, { apiKey: 'a key', org: 'first' });
  const services = { catalog, accounts } as Services;
  const owner = accounts.principal('a key')!;
  const firstId = owner.orgIds[0]!;
  const { orgId: secondId } = await addOrganisation(catalog, {
    name: 'second',
    ownerId: owner.userId,
  });
  return { writer, catalog, accounts, services, owner, firstId, secondId };
}

describe('keys for all organisations', () => {
  const directory = temporaryDirectory();

  it('end when their user leaves the last organisation, also for later invitations', async () => {
    const { writer, catalog, accounts, services, owner, firstId, secondId } =
      await openTwo(directory());
    const orgIds = [firstId, secondId];
    const caller: KeyCaller = { ...owner, orgIds, permission: 'update', requestId: 'r' };
    const patch = (org_id: string, body: MembersPatch) =>
      changeMembers(services, caller, { ...body, org_id });
    await patch(firstId, { invite_users: { emails: ['ada@example.com'] } });
    const ada = catalog.ofKind('user').find(({ name }) => name === 'ada@example.com')!.id;
    const { id, key } = await accounts.addKey(ada);
    await patch(secondId, { invite_users: { ids: [ada] } });
    await patch(firstId, { remove_users: { ids: [ada] } });
    expect(accounts.principal(key)?.orgIds).to.deep.equal([secondId]);
    await patch(secondId, { remove_users: { ids: [ada] } });
    await patch(firstId, { invite_users: { emails: ['ada@example.com'] } });
    expect(catalog.grants.organisationsOf(ada)).to.deep.equal([firstId]);
    expect(accounts.principal(key)).to.equal(undefined);
    expect(catalog.header(id)?.deleted).to.equal(true);
    await writer.close();
  });
});

describe('keys of a user who leaves an organisation', () => {
  const directory = temporaryDirectory();

  it('are not created for it by a request that waited meanwhile', async () => {
    const { writer, catalog, accounts, services, owner, firstId, secondId } =
      await openTwo(directory());
    const callerOf = (key: string): KeyCaller => ({
      ...accounts.principal(key)!,
      permission: 'update',
      requestId: 'r',
    });
    const { key } = await accounts.addKey(owner.userId);
    await changeMembers(services, callerOf(key), {
      org_id: firstId,
      invite_users: { emails: ['ada@example.com'] },
    });
    const ada = catalog.ofKind('user').find(({ name }) => name === 'ada@example.com')!.id;
    await changeMembers(services, callerOf(key), {
      org_id: secondId,
      invite_users: { ids: [ada] },
    });
    const { key: keyOfAda } = await accounts.addKey(ada);
    const caller = callerOf(keyOfAda);
    const removal = changeMembers(services, callerOf(key), {
      org_id: secondId,
      remove_users: { ids: [ada] },
    });
    const [named, unnamed] = [
      rejection(createApiKey(services, caller, { name: 'a', org_name: 'second' })),
      createApiKey(services, caller, { name: 'b' }),
    ];
    await removal;
    expect(await named).to.have.property(
      'message',
      'org_name: this key does not belong to an organisation named "second"',
    );
    expect(JSON.parse(((await unnamed) as TextReply).text)).to.include({ org_id: firstId });
    await writer.close();
  });
});

describe('tokens of service accounts', () => {
  const directory = temporaryDirectory();

  it('are not created for an account that an earlier request removes', async () => {
    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    const catalog = await Catalog.open(writer);
    const opened = await openAccounts(writer, catalog, { apiKey: 'a key', org: 'o' });
    const services = { catalog, accounts: opened.accounts } as Services;
    const principal = opened.accounts.principal('a key')!;
    const caller: KeyCaller = { ...principal, permission: 'update', requestId: 'r' };
    const service_accounts = [{ name: 'robot' }];
    await changeMembers(services, caller, { invite_users: { service_accounts } });
    const robot = catalog.ofKind('user').find(({ id }) => id !== ownerOf(catalog))!;
    const removal = changeMembers(services, caller, { remove_users: { ids: [robot.id] } });
    const creation = createServiceToken(services, caller, {
      name: 't',
      service_account_id: robot.id,
    });
    await removal;
    expect(await rejection(creation)).to.have.property(
      'message',
      `service_account_id: no user with the id "${robot.id}" that this key may use`,
    );
    await writer.close();
  });
});

describe('keys that expire', () => {
  const directory = temporaryDirectory();
  const now = Date.now;
  afterEach(() => (Date.now = now));

  it('change nothing after that, although the request came before', async () => {
    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    const catalog = await Catalog.open(writer);
    const { accounts } = await openAccounts(writer, catalog, { apiKey: 'a key', org: 'o' });
    const services = { catalog, accounts } as Services;
    const callerOf = (key: string): KeyCaller => ({
      ...accounts.principal(key)!,
      permission: 'update',
      requestId: 'r',
    });
    const expires = new Date(now() + 60_000).toISOString();
    const reply = await createApiKey(services, callerOf('a key'), { name: 'short', expires });
    const { key } = JSON.parse((reply as TextReply).text) as { key: string };
    const caller = callerOf(key);
    const earlier = catalog.change(async () => {
      Date.now = () => now() + 60_000;
    });
    const emails = ['ada@example.com'];
    const invitation = changeMembers(services, caller, { invite_users: { emails } });
    await earlier;
    expect(await rejection(invitation)).to.have.property('message', 'the API key is not valid');
    await writer.close();
  });
});
