// Who may fetch an attachment: who announced it, and who may read an object whose events name it.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { announce, find } from '../../support/attachments.js';
import { createExperiment, createProject } from '../../support/objects.js';
import { clientAt, outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

const reference = (key: string) => ({
  type: 'braintrust_attachment',
  filename: 'a',
  content_type: 'text/plain',
  key,
});

const absent = (key: string) => [
  400,
  `key: no event of this experiment names an attachment "${key}"`,
];

describe('access: attachments', () => {
  const server = sharedServer();
  const { ask, json, addAccount } = asking(server);

  const fetching = async (key: string, token?: string) =>
    (await ask('GET', `/attachment?key=${key}`, undefined, token)).status;

  /** The server, for whoever has this key. */
  const as = (token: string) => clientAt(server().url, token);

  const experimentOf = async () =>
    (await createExperiment(server(), (await createProject(server())).id)).id;

  const name = (experiment: string, key: string, token?: string) =>
    ask(
      'POST',
      `/v1/experiment/${experiment}/insert`,
      { events: [{ input: { file: reference(key) } }] },
      token,
    );

  const grant = (experiment: string, user: string, permission: string) =>
    json('POST', '/v1/acl', {
      object_type: 'experiment',
      object_id: experiment,
      user_id: user,
      permission,
    });

  const makePublic = (id: string, is: boolean) =>
    json('PATCH', `/v1/experiment/${id}`, { public: is });

  it('is theirs alone until an event names it, and then of who may read that', async () => {
    const [reader, other] = [await addAccount(), await addAccount()];
    const experiment = await experimentOf();
    await grant(experiment, reader.id, 'read');
    const { key } = await announce(server());
    expect(await fetching(key)).to.equal(200);
    expect(await fetching(key, reader.service_token)).to.equal(400);
    await name(experiment, key);
    expect(await fetching(key, reader.service_token)).to.equal(200);
    const hidden = await ask('GET', `/attachment?key=${key}`, undefined, other.service_token);
    const absent = await ask('GET', '/attachment?key=nobody', undefined, other.service_token);
    expect(hidden.status).to.equal(400);
    expect(hidden.text.replace(key, 'nobody')).to.equal(absent.text);
  });

  it('may be named before it is announced, and ends with the object', async () => {
    const reader = await addAccount();
    const experiment = await experimentOf();
    await grant(experiment, reader.id, 'read');
    const key = randomUUID();
    await name(experiment, key);
    await announce(server(), { key });
    expect(await fetching(key, reader.service_token)).to.equal(200);
    await ask('DELETE', `/v1/experiment/${experiment}`);
    expect(await fetching(key, reader.service_token)).to.equal(400);
    expect(await fetching(key)).to.equal(200);
  });

  it('is found in an experiment whose events name it, without a key while that is public', async () => {
    const [shown, other] = [await experimentOf(), await experimentOf()];
    const { key } = await announce(server());
    const { key: unnamed } = await announce(server());
    await name(shown, key);
    const found = (id: string, of = key, token: string | null = null) =>
      outcome(
        server().request('GET', `/v1/experiment/${id}/attachment?key=${of}`, undefined, {
          key: token,
        }),
      );
    expect((await found(shown))[0]).to.equal(401);
    expect((await found(shown, key, server().key))[0]).to.equal(200);
    await makePublic(shown, true);
    await makePublic(other, true);
    expect((await found(shown))[0]).to.equal(200);
    expect(await found(shown, unnamed)).to.deep.equal(absent(unnamed));
    expect(await found(shown, 'nobody')).to.deep.equal(absent('nobody'));
    expect(await found(other)).to.deep.equal(absent(key));
    await makePublic(shown, false);
    expect((await found(shown))[0]).to.equal(401);
  });

  it('is not made public by naming the key of another user in a public experiment', async () => {
    const thief = await addAccount();
    const experiment = await experimentOf();
    await grant(experiment, thief.id, 'read');
    await grant(experiment, thief.id, 'update');
    await makePublic(experiment, true);
    const { key } = await announce(server());
    expect((await name(experiment, key, thief.service_token)).status).to.equal(200);
    const path = `/v1/experiment/${experiment}/attachment?key=${key}`;
    expect((await server().request('GET', path, undefined, { key: null })).status).to.equal(400);
  });

  for (const [when, isFirst] of [
    ['before', true],
    ['after', false],
  ] as const)
    it(`is not had by naming the key of another user's, ${when} it is announced`, async () => {
      const thief = await addAccount();
      const experiment = await experimentOf();
      await grant(experiment, thief.id, 'read');
      await grant(experiment, thief.id, 'update');
      const key = randomUUID();
      if (!isFirst) await announce(server(), { key });
      expect((await name(experiment, key, thief.service_token)).status).to.equal(200);
      if (isFirst) await announce(server(), { key });
      expect(await fetching(key, thief.service_token)).to.equal(400);
    });

  it('is passed on by who may fetch it', async () => {
    const [middle, last] = [await addAccount(), await addAccount()];
    const [first, second] = [await experimentOf(), await experimentOf()];
    await grant(first, middle.id, 'read');
    await grant(second, middle.id, 'update');
    await grant(second, last.id, 'read');
    const { key } = await announce(server());
    await name(first, key);
    expect(await fetching(key, last.service_token)).to.equal(400);
    expect((await name(second, key, middle.service_token)).status).to.equal(200);
    expect(await fetching(key, last.service_token)).to.equal(200);
  });

  it('is announced by those who may write events', async () => {
    const account = await addAccount();
    const announcing = async () =>
      outcome(
        ask(
          'POST',
          '/attachment',
          { key: randomUUID(), filename: 'a', content_type: 'a/b' },
          account.service_token,
        ),
      );
    const experiment = await experimentOf();
    const { _object_org_id: orgId } = await grant(experiment, account.id, 'read');
    expect(await announcing()).to.deep.equal([
      403,
      `this key may not write events of the organisation "${String(orgId)}", so it may not upload attachments`,
    ]);
    await grant(experiment, account.id, 'update');
    expect((await announcing())[0]).to.equal(200);
  });

  const make = async (path: string, fields: object) =>
    (await json('POST', path, { name: randomUUID(), ...fields }))['id'] as string;

  it('is announced by those who may insert into an object of the organisation, and by no others', async () => {
    const { id: projectId, org_id: orgId } = await createProject(server());
    const inProject = { project_id: projectId };
    const experiment = await make('/v1/experiment', inProject);
    const dataset = await make('/v1/dataset', inProject);
    const prompt = await make('/v1/prompt', { ...inProject, slug: randomUUID() });
    const group = await make('/v1/group', {});
    const role = await make('/v1/role', {});
    const places = [`experiment/${experiment}`, `dataset/${dataset}`, `project_logs/${projectId}`];
    const grants: readonly (readonly [type: string, id: unknown, only?: string])[] = [
      ['organization', orgId],
      ['org_project', orgId],
      ['project', projectId],
      ['project_log', projectId],
      ['experiment', experiment],
      ['dataset', dataset],
      ['organization', orgId, 'dataset'],
      ['project', projectId, 'project_log'],
      ['organization', orgId, 'prompt'],
      ['org_project', orgId, 'project'],
      ['experiment', experiment, 'dataset'],
      ['prompt', prompt],
      ['group', group],
      ['role', role],
      ['org_member', orgId],
    ];
    const announcing: string[] = [];
    const inserting: string[] = [];
    for (const [type, id, only = null] of grants) {
      const { id: user_id, service_token: token } = await addAccount();
      const granted = { permission: 'update', restrict_object_type: only };
      const acl = { object_type: type, object_id: id, user_id, ...granted };
      expect((await ask('POST', '/v1/acl', acl)).status).to.equal(200);
      const grant = `${type} ${only ?? ''}`.trim();
      const body = { key: randomUUID(), filename: 'a', content_type: 'a/b' };
      if ((await ask('POST', '/attachment', body, token)).status === 200) announcing.push(grant);
      for (const place of places) {
        const answer = await ask('POST', `/v1/${place}/insert`, { events: [{}] }, token);
        if (answer.status === 200 && inserting.at(-1) !== grant) inserting.push(grant);
      }
    }
    expect(inserting).to.have.length(8);
    expect(announcing).to.deep.equal(inserting);
  });

  it('is announced, replaced and reported by one user', async () => {
    const other = await addAccount();
    await grant(await experimentOf(), other.id, 'update');
    const { key } = await announce(server());
    const said = { key, filename: 'b', content_type: 'a/b' };
    expect(await outcome(ask('POST', '/attachment', said, other.service_token))).to.deep.equal([
      400,
      `key: the attachment "${key}" is uploaded already, or by another user: choose another key`,
    ]);
    const report = (upload_status: string, token?: string) =>
      ask('POST', '/attachment/status', { key, status: { upload_status } }, token);
    const state = async () => (await find(as(server().key), key)).status;
    expect(await outcome(report('done', other.service_token))).to.deep.equal([
      400,
      `key: there is no attachment "${key}" that this key may use`,
    ]);
    // The same answer as for an attachment that does not exist.
    expect((await report('error', other.service_token)).text).to.equal('null');
    expect(await state()).to.deep.equal({ upload_status: 'uploading' });
    expect((await report('error')).status).to.equal(200);
    expect(await state()).to.deep.equal({ upload_status: 'error' });
    expect((await announce(as(server().key), { key })).key).to.equal(key);
  });
});
