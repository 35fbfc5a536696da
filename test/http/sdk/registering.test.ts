// How the SDKs log in, and start and find projects, experiments and datasets.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { refusedObjects } from '../../../src/http/sdk/unsupported.js';
import {
  createDataset,
  createExperiment,
  createProject,
  type StoredObject,
} from '../../support/objects.js';
import { openServer } from '../../support/hosted-server.js';
import { outcome, sharedServer, type Json } from '../../support/start-server.js';

describe('login of the SDKs', () => {
  const server = sharedServer();

  const apiUrl = async (headers: Readonly<Record<string, string>> = {}) => {
    const answer = await server().request('POST', '/api/apikey/login', undefined, { headers });
    const [org] = answer.json()['org_info'] as readonly Json[];
    expect(org?.['proxy_url']).to.equal(org?.['api_url']);
    return org?.['api_url'];
  };

  it('names the address that the client used', async () => {
    expect(await apiUrl()).to.equal(server().url);
  });

  it('names the configured address, without a slash at its end', async () => {
    const environment = { EVALSTORE_PUBLIC_URL: 'https://evals.example/' };
    const configured = await openServer({ environment });
    try {
      const answer = await configured.request('POST', '/api/apikey/login');
      const [org] = answer.json()['org_info'] as readonly Json[];
      expect(org).to.include({ api_url: 'https://evals.example' });
    } finally {
      await configured.stop();
    }
  });

  it('asks for no diffs of repositories', async () => {
    const answer = await server().request('POST', '/api/apikey/login', { token: 'ignored' });
    const [org] = answer.json()['org_info'] as readonly Json[];
    const { collect, fields } = org!['git_metadata'] as Json;
    expect(collect).to.equal('some');
    expect(fields).to.include.members(['commit', 'branch']).and.not.include('git_diff');
  });

  it('takes a path behind repeated slashes, and leaves the query alone', async () => {
    await server().get('//version');
    const found = await server().request('GET', '///v1//project?project_name=a//b');
    expect(found.json()).to.deep.equal({ objects: [] });
  });

  it('answers preflights on any path', async () => {
    const headers = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'POST' };
    for (const path of ['/logs3', '/api/apikey/login', '/nowhere'])
      expect(
        (await server().request('OPTIONS', path, undefined, { key: null, headers })).status,
        path,
      ).to.equal(204);
  });

  it('the manual lists the objects that there are not', async () => {
    const page = await readFile('src/manual/clients.md', 'utf8');
    for (const [path] of refusedObjects)
      expect(page).to.include(`\`${path.replace(':project', '{id}')}\``);
  });
});

describe('registering', () => {
  const server = sharedServer();
  let project: StoredObject;

  before(async () => {
    project = await createProject(server());
  });

  const post = (path: string, body: unknown) => server().request('POST', path, body);

  const register = async (fields: Json): Promise<Json> =>
    (await post('/api/experiment/register', { project_id: project.id, ...fields })).json()[
      'experiment'
    ] as Json;

  const registerProject = async (body?: unknown) =>
    (await post('/api/project/register', body)).json()['project'] as Json;

  const refusal = (path: string, body: unknown) => outcome(post(path, body));

  it('makes a project once, named Global without a name', async () => {
    const made = await registerProject();
    expect(made['name']).to.equal('Global');
    expect(await registerProject({})).to.deep.equal(made);
    expect(await registerProject({ project_name: 'Global', org_id: made['org_id'] })).to.deep.equal(
      made,
    );
  });

  it('makes a project by its name, as LiteLLM asks for it', async () => {
    const name = `project ${randomUUID()}`;
    const made = (await post('/v1/project/register', { name })).json();
    expect(made).to.include({ name });
    expect((await post('/v1/project', { name })).json()).to.deep.equal(made);
  });

  it('suffixes a taken name, unless it is an update', async () => {
    const first = await register({ experiment_name: 'taken' });
    const second = await register({ experiment_name: 'taken' });
    expect(second['name']).to.match(/^taken-[0-9a-f]{8}$/);
    expect(await register({ experiment_name: 'taken', update: true })).to.deep.equal(first);
    expect((await register({ experiment_name: 'fresh', update: true }))['name']).to.equal('fresh');
    expect((await register({}))['name']).to.match(/^experiment-\d+$/);
  });

  it('refuses an unknown base by name, in words that clients look for, and makes nothing', async () => {
    const project_name = `project ${randomUUID()}`;
    const body = { project_name, base_experiment: 'nowhere' };
    expect(await refusal('/api/experiment/register', body)).to.deep.equal([
      400,
      'base_experiment: the project has no base experiment named "nowhere"',
    ]);
    const listed = await server().request('GET', `/v1/project?project_name=${project_name}`);
    expect(listed.json()).to.deep.equal({ objects: [] });
  });

  it('makes no project for an experiment that refers to what there is not', async () => {
    const project_name = `project ${randomUUID()}`;
    for (const field of ['dataset_id', 'base_exp_id', 'dataset_version'])
      expect(
        (await refusal('/api/experiment/register', { project_name, [field]: randomUUID() }))[0],
        field,
      ).to.equal(400);
    const listed = await server().request('GET', `/v1/project?project_name=${project_name}`);
    expect(listed.json()).to.deep.equal({ objects: [] });
  });

  it('makes no project for what has too long a name', async () => {
    const project_name = `project ${randomUUID()}`;
    const name = 'n'.repeat(1001);
    for (const [path, field] of [
      ['/api/experiment/register', 'experiment_name'],
      ['/api/dataset/register', 'dataset_name'],
    ] as const)
      expect(await refusal(path, { project_name, [field]: name })).to.deep.equal([
        400,
        'name: expected at most 1000 characters, got 1001',
      ]);
    const listed = await server().request('GET', `/v1/project?project_name=${project_name}`);
    expect(listed.json()).to.deep.equal({ objects: [] });
  });

  it('prefers an id to a name, and a name to commits, for the base', async () => {
    const named = await register({ experiment_name: 'named' });
    const other = await register({ experiment_name: 'other', repo_info: { commit: 'c1' } });
    const all = { ancestor_commits: ['c1'], base_experiment: 'named', base_exp_id: other['id'] };
    expect((await register(all))['base_exp_id']).to.equal(other['id']);
    const { base_exp_id: _, ...byName } = all;
    expect((await register(byName))['base_exp_id']).to.equal(named['id']);
    expect((await register({ ancestor_commits: ['c0'] }))['base_exp_id']).to.equal(null);
  });

  it('compares with the latest experiment of the nearest commit that has one', async () => {
    const at = (commit: string) => register({ repo_info: { commit } });
    await at('near');
    const latest = await at('near');
    await at('far');
    const deleted = await at('nearer');
    await server().request('DELETE', `/v1/experiment/${String(deleted['id'])}`);
    const ancestor_commits = ['none', 'nearer', 'near', 'far'];
    expect((await register({ ancestor_commits }))['base_exp_id']).to.equal(latest['id']);
    const elsewhere = await createProject(server());
    const made = await register({ project_id: elsewhere.id, ancestor_commits });
    expect(made['base_exp_id']).to.equal(null);
  });

  it('ignores fields that it does not know', async () => {
    expect(await register({ experiment_name: 'newer', of_a_newer_client: 1 })).to.include({
      name: 'newer',
    });
  });

  it('finds nothing without making anything', async () => {
    const body = { project_name: 'nowhere', experiment_name: 'e' };
    expect((await post('/api/experiment/get', body)).json()).to.deep.equal([]);
    const listed = await server().request('GET', '/v1/project?project_name=nowhere');
    expect(listed.json()).to.deep.equal({ objects: [] });
  });

  it('names the base that a summary would use, and refuses when there is none', async () => {
    const alone = await createProject(server());
    const { id } = await createExperiment(server(), alone.id);
    expect(await refusal('/api/base_experiment/get_id', { id })).to.deep.equal([
      400,
      `id: the experiment "${id}" has no base experiment`,
    ]);
    const latest = await createExperiment(server(), alone.id);
    const answer = await post('/api/base_experiment/get_id', { id });
    expect(answer.json()).to.deep.equal({ base_exp_id: latest.id, base_exp_name: latest.name });
  });

  it('says whether a dataset existed', async () => {
    const body = { project_id: project.id, dataset_name: 'twice' };
    const found = async () => (await post('/api/dataset/register', body)).json()['found_existing'];
    expect([await found(), await found()]).to.deep.equal([false, true]);
  });

  it('finds a dataset by its id, and nothing by another one', async () => {
    const { dataset } = (
      await post('/api/dataset/register', { project_id: project.id, dataset_name: 'by id' })
    ).json() as { dataset: Json };
    const found = async (id: unknown) => (await post('/api/dataset/get', { id })).json();
    expect(await found(dataset['id'])).to.deep.equal([dataset]);
    expect(await found(randomUUID())).to.deep.equal([]);
  });

  it('leaves out what the key may not use from the names of objects', async () => {
    const body = { object_type: 'project', object_ids: [project.id, randomUUID(), 'no id'] };
    const answer = await post('/api/self/get_object_info', body);
    expect(answer.json()).to.deep.equal([
      { object_id: project.id, object_name: project.name, parent_cols: {} },
    ]);
  });

  it('names a stand-in project for a dataset without one, as SDKs need it', async () => {
    const { id, name } = await createDataset(server());
    const body = { object_type: 'dataset', object_ids: [id] };
    expect((await post('/api/self/get_object_info', body)).json()).to.deep.equal([
      { object_id: id, object_name: name, parent_cols: { project: { id, name: '' } } },
    ]);
  });
});
