// How API keys and service tokens are made, shown, limited and ended.
import { expect } from 'chai';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

const ungranted = (id: string) => [
  400,
  `service_account_id: this key may not grant the permissions of the service account "${id}"`,
];

describe('access: keys', () => {
  const server = sharedServer();
  const { ask, json, listed, invite, addAccount, organizationId } = asking(server);
  const made = (expires: string) => outcome(ask('POST', '/v1/api_key', { name: 'e', expires }));
  let organization: string;

  before(async () => {
    organization = await organizationId();
  });

  describe('keys', () => {
    it('show their secret once, and say who made them and when they were used', async () => {
      const { key, ...made } = await json('POST', '/v1/api_key', { name: 'mine' });
      expect(key).to.match(/^es-[\w-]{43}$/);
      expect(made).to.deep.include({
        name: 'mine',
        org_id: organization,
        expires: null,
        last_used: null,
      });
      const path = `/v1/api_key/${String(made['id'])}`;
      expect(await json('GET', path)).to.deep.equal(made);
      expect(await listed('/v1/api_key?api_key_name=mine')).to.deep.equal([made]);
      const asked = Date.now();
      await ask('GET', '/ping', undefined, key as string);
      expect(Date.parse(String((await json('GET', path))['last_used']))).to.be.within(
        asked - 1000,
        Date.now() + 1000,
      );
      expect(server().log()).not.to.include(key);
      await ask('DELETE', path);
      expect((await ask('GET', '/ping', undefined, key as string)).status).to.equal(401);
    });

    it('end at their time, and what they make does, too', async () => {
      const soon = new Date(Date.now() + 60_000).toISOString();
      const made = await json('POST', '/v1/api_key', { name: 'e', expires: soon });
      expect(made['expires']).to.equal(soon);
      const key = made['key'] as string;
      expect((await json('POST', '/v1/api_key', { name: 'e' }, key))['expires']).to.equal(soon);
      const later = new Date(Date.now() + 120_000).toISOString();
      expect(
        await outcome(ask('POST', '/v1/api_key', { name: 'e', expires: later }, key)),
      ).to.deep.equal([
        400,
        `expires: a key that expires at ${soon} cannot create one that expires later`,
      ]);
      const past = new Date(Date.now() - 1000).toISOString();
      expect(await outcome(ask('POST', '/v1/api_key', { name: 'e', expires: past }))).to.deep.equal(
        [400, `expires: expected a time in the future, got "${past}"`],
      );
    });

    it('end at a time of the calendar, before the year 10000', async () => {
      for (const wrong of ['2099-12-31', '2099-02-30T00:00:00Z', '2099-12-31T24:00:00Z'])
        expect(await made(wrong)).to.deep.equal([
          400,
          `expires: expected an ISO 8601 date-time or null, got "${wrong}"`,
        ]);
      for (const wrong of ['2099-12-31T23:59:60Z', '9999-12-31T23:59:59-01:00'])
        expect(await made(wrong)).to.deep.equal([
          400,
          `expires: expected a time without a leap second, before the year 10000, got "${wrong}"`,
        ]);
      expect((await made('9999-12-31T23:59:59+01:00'))[0]).to.equal(200);
    });

    it('of others are seen and ended by owners alone', async () => {
      const { service_token: token } = await addAccount(['Engineers']);
      const own = await json('POST', '/v1/api_key', { name: 'own' }, token);
      expect(await listed('/v1/api_key', token)).to.deep.equal([
        await json('GET', `/v1/api_key/${String(own['id'])}`),
      ]);
      const [foreign] = await listed('/v1/api_key?api_key_name=configured');
      expect((await ask('DELETE', `/v1/api_key/${foreign!.id}`, undefined, token)).status).to.equal(
        400,
      );
      expect((await ask('DELETE', `/v1/api_key/${String(own['id'])}`)).status).to.equal(200);
      expect((await ask('GET', '/ping', undefined, own['key'] as string)).status).to.equal(401);
    });

    it('are walked by their user beside their deletion', async () => {
      const { service_token: token } = await addAccount(['Engineers']);
      for (const name of ['first', 'second', 'third'])
        await json('POST', '/v1/api_key', { name }, token);
      const [third, second, first] = await listed('/v1/api_key', token);
      await ask('DELETE', `/v1/api_key/${second!.id}`, undefined, token);
      for (const [cursor, found] of [
        ['starting_after', first],
        ['ending_before', third],
      ] as const)
        expect(await listed(`/v1/api_key?${cursor}=${second!.id}`, token)).to.deep.equal([found]);
    });

    it('for services are of service accounts', async () => {
      const [ada] = await invite({ emails: ['token@example.com'] });
      expect(
        await outcome(ask('POST', '/v1/service_token', { name: 't', service_account_id: ada!.id })),
      ).to.deep.equal([
        400,
        `service_account_id: no user with the id "${ada!.id}" that this key may use as a service account`,
      ]);
      const { id } = await addAccount();
      const token = await json('POST', '/v1/service_token', {
        name: 'ci',
        service_account_id: id,
        org_name: 'evalstore',
      });
      expect((await json('GET', '/ping', undefined, token['key'] as string))['id']).to.equal(id);
      expect(
        (await listed('/v1/service_token?service_token_name=ci')).map((each) => each.id),
      ).to.deep.equal([token['id']]);
    });

    it('for services have no grants that their creator could not make', async () => {
      const onMembers = {
        object_type: 'organization',
        object_id: organization,
        permission: 'update',
        restrict_object_type: 'org_member',
      };
      const { id: creator, service_token: token } = await addAccount(['Viewers']);
      await json('POST', '/v1/acl', { ...onMembers, user_id: creator });
      const make = (id: string) =>
        outcome(ask('POST', '/v1/service_token', { name: 't', service_account_id: id }, token));
      const owner = await addAccount(['Owners']);
      expect(await make(owner.id)).to.deep.equal(ungranted(owner.id));
      const reader = await addAccount();
      expect((await make(reader.id))[0]).to.equal(200);
      const grant = { ...onMembers, permission: 'read', user_id: reader.id };
      await json('POST', '/v1/acl', grant);
      expect(await make(reader.id)).to.deep.equal(ungranted(reader.id));
      const change = { object_type: 'organization', object_id: organization, user_id: creator };
      await json('POST', '/v1/acl', {
        ...change,
        permission: 'create_acls',
        restrict_object_type: 'organization',
      });
      expect((await make(reader.id))[0]).to.equal(200);
      expect(await make(owner.id)).to.deep.equal(ungranted(owner.id));
      await json('POST', '/v1/acl', {
        ...change,
        permission: 'update',
        restrict_object_type: 'group',
      });
      expect((await make(owner.id))[0]).to.equal(200);
    });
  });
});
