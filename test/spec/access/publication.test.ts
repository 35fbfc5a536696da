// Who may make an experiment public, and what requests without a key read of it.
import { expect } from 'chai';
import { createExperiment, createProject, type StoredObject } from '../../support/objects.js';
import { outcome, sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

const versionOf = ({ headers }: { readonly headers: Headers }): string =>
  headers.get('x-evalstore-version')!;

describe('access: public experiments', () => {
  const server = sharedServer();
  const { ask, json, addAccount } = asking(server);
  const asked = (method: string, path: string, body?: unknown) =>
    server().request(method, path, body, { key: null });
  let project: StoredObject;

  before(async () => {
    project = await createProject(server());
  });

  it('are published by those who may read them', async () => {
    const { id } = await createExperiment(server(), project.id);
    const { id: user, service_token: token } = await addAccount();
    const grant = (permission: string) =>
      json('POST', '/v1/acl', {
        object_type: 'experiment',
        object_id: id,
        user_id: user,
        permission,
      });
    const change = (fields: object) => ask('PATCH', `/v1/experiment/${id}`, fields, token);
    await grant('update');
    expect(await outcome(change({ public: true }))).to.deep.equal([
      403,
      'public: this key may not read the experiment, so it may not publish it',
    ]);
    expect((await change({ public: false, description: 'd' })).status).to.equal(200);
    await grant('read');
    expect((await change({ public: true })).json()['public']).to.equal(true);
  });

  describe('without a key', () => {
    const refused = [
      401,
      'this request needs an API key in the header "Authorization: Bearer <API_KEY>"',
    ];

    it('show nothing of their code, their user and their dataset', async () => {
      const base = await createExperiment(server(), project.id);
      const made = await createExperiment(server(), project.id, {
        public: true,
        base_exp_id: base.id,
        description: 'd',
        metadata: { m: 1 },
        repo_info: { commit: 'c', git_diff: 'secret', author_email: 'ada@example.com' },
        internal_metadata: { i: 1 },
        parameters_id: 'p',
        parameters_version: 'v',
      });
      const { id, project_id, name, created, description, metadata } = made;
      expect((await asked('GET', `/v1/experiment/${id}`)).json()).to.deep.equal({
        id,
        project_id,
        name,
        description,
        created,
        commit: null,
        base_exp_id: null,
        deleted_at: null,
        dataset_id: null,
        dataset_version: null,
        public: true,
        user_id: null,
        metadata,
        tags: null,
      });
      expect(await json('GET', `/v1/experiment/${id}`)).to.deep.equal(made);
    });

    it('do not confirm an organisation by a filter', async () => {
      const { id } = await createExperiment(server(), project.id, { public: true });
      const filter = (path: readonly string[]) => ({
        filters: [{ type: 'path_lookup', path, value: project['org_id'] }],
      });
      const path = `/v1/experiment/${id}/fetch`;
      for (const field of ['org_id', 'comments', 'audit'])
        expect(await outcome(asked('POST', path, filter([field])))).to.deep.equal(refused);
      expect((await asked('POST', path, filter(['input']))).status).to.equal(200);
      expect((await ask('POST', path, filter(['org_id']))).status).to.equal(200);
    });

    it('show no version from before they became public', async () => {
      const { id } = await createExperiment(server(), project.id);
      const insert = async (event: object) =>
        versionOf(await ask('POST', `/v1/experiment/${id}/insert`, { events: [event] }));
      const early = await insert({ id: 'a', input: 'secret' });
      const deleted = await insert({ id: 'a', _object_delete: true });
      await insert({ id: 'b', input: 'shown' });
      const publish = (isPublic: boolean) =>
        ask('PATCH', `/v1/experiment/${id}`, { public: isPublic });
      await publish(true);
      const query = (version?: string, clauses = '') =>
        asked('POST', `/v1/experiment/${id}/query`, {
          query: `select: input | from: experiment('${id}')${clauses}`,
          ...(version === undefined ? {} : { version }),
        });
      const fetched = (parameters: string) =>
        asked('GET', `/v1/experiment/${id}/fetch?${parameters}`);
      const summarized = (version: string) =>
        asked('GET', `/v1/experiment/${id}/summarize?summarize_scores=true&version=${version}`);
      const first = await query();
      const pinned = versionOf(first);
      for (const version of [early, deleted]) {
        expect(await outcome(query(version))).to.deep.equal(refused);
        expect(await outcome(summarized(version))).to.deep.equal(refused);
        expect(await outcome(fetched(`version=${version}`))).to.deep.equal(refused);
      }
      expect(await outcome(query(undefined, ' versions'))).to.deep.equal(refused);
      const walked = await fetched(`max_xact_id=${early}&max_root_span_id=zzz`);
      expect([walked.status, walked.text.includes('secret')]).to.deep.equal([200, false]);

      const later = await insert({ id: 'c', input: 'later' });
      for (const version of [pinned, later]) {
        expect((await query(version)).status).to.equal(200);
        expect((await summarized(version)).status).to.equal(200);
        expect((await fetched(`version=${version}`)).status).to.equal(200);
      }
      expect((await query(pinned)).json()['data']).to.deep.equal(first.json()['data']);
      expect((await ask('GET', `/v1/experiment/${id}/fetch?version=${early}`)).text).to.include(
        'secret',
      );

      // What is deleted while it is private stays private.
      await publish(false);
      await insert({ id: 'c', _object_delete: true });
      await insert({ id: 'd' });
      await publish(true);
      expect(await outcome(query(later))).to.deep.equal(refused);
      await ask('PATCH', `/v1/experiment/${id}`, { public: true, description: 'again' });
      await insert({ id: 'e' });
      expect((await query(versionOf(await query()))).status).to.equal(200);
    });
  });
});
