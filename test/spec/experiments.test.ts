import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createProject,
  type StoredObject,
} from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const timeIn = (name: string) => Number(/-(\d{10})(-[\da-f]{8})?$/.exec(name)?.[1]);

describe('experiments', () => {
  const server = sharedServer();
  let project: StoredObject;

  before(async () => {
    project = await createProject(server());
  });

  const create = (fields: Readonly<Record<string, unknown>> = {}) =>
    createExperiment(server(), project.id, fields);
  const post = (body: object) =>
    server().request('POST', '/v1/experiment', { project_id: project.id, ...body });
  const patch = (id: string, body?: unknown) =>
    server().request('PATCH', `/v1/experiment/${id}`, body);

  describe('create', () => {
    it('answers every field; repo_info is left out when there is none', async () => {
      const experiment = await create({ name: 'bare' });
      expect(Object.keys(experiment)).to.deep.equal([
        'id',
        'project_id',
        'name',
        'description',
        'created',
        'commit',
        'base_exp_id',
        'deleted_at',
        'dataset_id',
        'dataset_version',
        'public',
        'user_id',
        'metadata',
        'tags',
      ]);
      expect(experiment['project_id']).to.equal(project.id);
      expect(experiment['created']).to.match(isoTime);
      expect(experiment['public']).to.equal(false);
      expect(experiment['metadata']).to.equal(null);
    });

    it('keeps what is sent, and copies the commit', async () => {
      const base = await create({ name: 'base' });
      const sent = {
        name: 'full',
        description: 'text',
        repo_info: { commit: 'abc', branch: 'main', dirty: true, tag: null, git_diff: '+x' },
        base_exp_id: base.id,
        dataset_version: '1000192656880881099',
        public: true,
        metadata: { model: 'm', list: [1, { a: null }] },
        tags: ['t'],
      };
      const made = await create(sent);
      expect(made).to.include({ name: 'full', description: 'text', public: true, commit: 'abc' });
      expect(made).to.deep.include(sent);
      const read = await server().request('GET', `/v1/experiment/${made.id}`);
      expect(read.json()).to.deep.equal(made);
    });

    it('takes null for every field that may be left out', async () => {
      const nulls = Object.fromEntries(
        [
          'name description repo_info base_exp_id dataset_id dataset_version public metadata tags',
          'ensure_new ancestor_commits',
        ]
          .flatMap((line) => line.split(' '))
          .map((field) => [field, null]),
      );
      const made = await create(nulls);
      expect(made['public']).to.equal(false);
      expect(made.name).to.match(/^experiment-\d+/);
      expect(made).not.to.have.property('repo_info');
      expect(made).not.to.have.property('ensure_new');
    });

    for (const method of ['POST', 'PUT']) {
      it(`${method} on a taken name answers the existing experiment unmodified`, async () => {
        const made = await create({ name: `taken by ${method}`, description: 'first' });
        const again = await server().request(method, '/v1/experiment', {
          project_id: project.id,
          name: `taken by ${method}`,
          description: 'second',
        });
        expect(again.headers.get('x-bt-found-existing')).to.equal('true');
        expect(again.json()).to.deep.equal(made);
      });
    }

    it('takes the same name in another project', async () => {
      const other = await createProject(server());
      const here = await create({ name: 'in both' });
      const there = await createExperiment(server(), other.id, { name: 'in both' });
      expect(there.id).not.to.equal(here.id);
    });

    it('compares with the latest experiment of the nearest commit, unless a base is named', async () => {
      const at = (commit: string) => create({ repo_info: { commit } });
      const near = await at('near');
      await at('far');
      const newest = await create();
      const ancestor_commits = ['none', 'near', 'far'];
      expect((await create({ ancestor_commits }))['base_exp_id']).to.equal(near.id);
      expect((await create({ ancestor_commits: ['none'] }))['base_exp_id']).to.equal(null);
      expect((await create({ ancestor_commits: [] }))['base_exp_id']).to.equal(null);
      const named = { ancestor_commits, base_exp_id: newest.id };
      expect((await create(named))['base_exp_id']).to.equal(newest.id);
    });

    it('takes base_experiment_id, as the SDK for Java does, for base_exp_id', async () => {
      const [first, second] = [await create(), await create()];
      const sent = { base_experiment_id: first.id };
      expect((await create(sent))['base_exp_id']).to.equal(first.id);
      expect((await create({ ...sent, base_exp_id: second.id }))['base_exp_id']).to.equal(
        second.id,
      );
      const put = { project_id: project.id, name: 'of Java', ...sent };
      const replaced = await server().request('PUT', '/v1/experiment', put);
      expect(replaced.json()).to.include({ base_exp_id: first.id });
    });

    it('makes what the Python SDK sends, and stores no commits', async () => {
      const dataset = await createDataset(server(), { project_id: project.id });
      const sent = { ensure_new: true, name: 'e1', dataset_id: dataset.id, public: false };
      const made = await create({ ...sent, ancestor_commits: [] });
      expect(made).to.include({ name: 'e1', dataset_id: dataset.id });
      expect(made).not.to.have.property('ancestor_commits');
    });

    it('ensure_new makes a taken name unique with 8 hex digits, and keeps a free one', async () => {
      const first = await create({ name: 'new', ensure_new: true });
      expect(first.name).to.equal('new');
      const answer = await post({ name: 'new', ensure_new: true, description: 'second' });
      expect(answer.headers.get('x-bt-found-existing')).to.equal(null);
      const second = answer.json() as StoredObject;
      expect(second.name).to.match(/^new-[\da-f]{8}$/);
      expect(second['description']).to.equal('second');
      expect(second.id).not.to.equal(first.id);
    });

    it('ensure_new cuts a long name for the digits, and no character in two', async () => {
      for (const [name, kept] of [
        ['n'.repeat(1000), 'n'.repeat(991)],
        [`${'n'.repeat(990)}😀${'n'.repeat(8)}`, 'n'.repeat(990)],
        [`${'n'.repeat(989)}😀${'n'.repeat(9)}`, `${'n'.repeat(989)}😀`],
      ] as const) {
        expect((await create({ name, ensure_new: true })).name).to.equal(name);
        const { name: second } = await create({ name, ensure_new: true });
        expect(second.slice(0, kept.length)).to.equal(kept);
        expect(second.slice(kept.length)).to.match(/^-[\da-f]{8}$/);
      }
    });

    it('without a name cuts a long branch for the time', async () => {
      const { name } = await create({ repo_info: { branch: 'b'.repeat(1000) } });
      expect(name).to.match(/^b{989}-\d{10}$/);
      const { name: second } = await create({ repo_info: { branch: 'b'.repeat(1000) } });
      expect(second)
        .to.match(/^b{989}-/)
        .and.not.to.equal(name);
    });

    it('without a name takes the branch or the word experiment, and the time', async () => {
      const seconds = Math.floor(Date.now() / 1000);
      const onBranch = await create({ repo_info: { branch: 'feature/x' } });
      const plain = await create({ name: null });
      expect(onBranch.name).to.match(/^feature\/x-\d{10}$/);
      expect(plain.name).to.match(/^experiment-\d{10}(-[\da-f]{8})?$/);
      for (const { name } of [onBranch, plain])
        expect(timeIn(name)).to.be.within(seconds, seconds + 5);
    });

    it('without a name is always a new experiment', async () => {
      const made = await Promise.all([create(), create(), create()]);
      expect(new Set(made.map(({ id }) => id)).size).to.equal(3);
      expect(new Set(made.map(({ name }) => name)).size).to.equal(3);
    });
  });

  describe('references in the body', () => {
    it('refuses a deleted project', async () => {
      const other = await createProject(server());
      await server().request('DELETE', `/v1/project/${other.id}`);
      expect(await outcome(post({ project_id: other.id }))).to.deep.equal([
        400,
        `project_id: no project with the id "${other.id}" that this key may use`,
      ]);
    });

    it('take ids in upper case, and both spellings of a version', async () => {
      const base = await create();
      const made = await create({
        project_id: project.id.toUpperCase(),
        base_exp_id: base.id.toUpperCase(),
        dataset_version: '81cd05ee665fdfb3',
      });
      expect(made['project_id']).to.equal(project.id);
      expect(made['dataset_version']).to.equal('81cd05ee665fdfb3');
    });
  });

  describe('patch', () => {
    it('merges metadata deeply with exact numbers, and replaces arrays', async () => {
      const experiment = await create({ metadata: { a: { x: 1, y: 2 }, list: [1, 2] } });
      const sent = '{"metadata":{"a":{"y":1e400,"z":null},"list":[3],"7":1}}';
      const patched = await patch(experiment.id, sent);
      expect(patched.text).to.contain(
        '"metadata":{"a":{"x":1,"y":1e400,"z":null},"list":[3],"7":1}',
      );
    });

    it('sets metadata where there was none', async () => {
      const experiment = await create();
      const patched = (await patch(experiment.id, { metadata: { a: 1 }, tags: ['b'] })).json();
      expect(patched).to.deep.equal({ ...experiment, metadata: { a: 1 }, tags: ['b'] });
    });

    it('merges repo_info, and copies its commit again', async () => {
      const experiment = await create({ repo_info: { commit: 'one', branch: 'main' } });
      const patched = (await patch(experiment.id, { repo_info: { commit: 'two' } })).json();
      expect(patched['commit']).to.equal('two');
      expect(patched['repo_info']).to.deep.equal({ commit: 'two', branch: 'main' });
      const without = await create();
      const added = (await patch(without.id, { repo_info: { commit: 'three' } })).json();
      expect(added['commit']).to.equal('three');
      expect(Object.keys(added).slice(4, 7)).to.deep.equal(['created', 'repo_info', 'commit']);
    });

    it('ignores null, and changes nothing without a body', async () => {
      const experiment = await create({ description: 'kept', public: true, metadata: { a: 1 } });
      const nulls = { name: null, description: null, public: null, metadata: null };
      expect((await patch(experiment.id, nulls)).json()).to.deep.equal(experiment);
      expect((await patch(experiment.id)).json()).to.deep.equal(experiment);
    });

    it('refuses a name taken in the project', async () => {
      const taken = await create();
      const experiment = await create();
      expect(await outcome(patch(experiment.id, { name: taken.name }))).to.deep.equal([
        400,
        `name: another experiment is already named "${taken.name}"`,
      ]);
    });

    it('does not take project_id', async () => {
      expect(await outcome(patch((await create()).id, { project_id: project.id }))).to.deep.equal([
        400,
        'unknown field "project_id" in the request body',
      ]);
    });

    it('loses nothing when many change one experiment at once', async () => {
      const { id } = await create();
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      await Promise.all(keys.map((key) => patch(id, { metadata: { [key]: true } })));
      const read = await server().request('GET', `/v1/experiment/${id}`);
      expect(read.json()['metadata']).to.have.all.keys(keys);
    });
  });

  describe('delete', () => {
    it('answers the experiment, takes it out of reach and frees its name', async () => {
      const experiment = await create({ name: 'deleted' });
      const path = `/v1/experiment/${experiment.id}`;
      const deleted = (await server().request('DELETE', path)).json();
      expect(deleted['deleted_at']).to.match(isoTime);
      expect({ ...deleted, deleted_at: null }).to.deep.equal(experiment);
      expect((await server().request('GET', path)).status).to.equal(403);
      expect((await server().request('DELETE', path)).status).to.equal(400);
      expect((await create({ name: 'deleted' })).id).not.to.equal(experiment.id);
    });
  });

  it('keeps a git_diff of several megabytes', async () => {
    const diff = '+ line with "quotes" and ünïcode\n'.repeat(100_000);
    const experiment = await create({ repo_info: { git_diff: diff } });
    const read = await server().request('GET', `/v1/experiment/${experiment.id}`);
    expect(read.json()['repo_info']).to.deep.equal({ git_diff: diff });
  });

  it('is not found under the path of another kind', async () => {
    const { id } = await create();
    expect((await server().request('GET', `/v1/project/${id}`)).status).to.equal(403);
  });
});
