// Fields and parameters of what the SDKs call beside the interface.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { parts, repoInfo } from './object-probes.js';
import {
  create,
  eventObject,
  idOf,
  insert,
  newProject,
  probesOf,
  refused,
  rowsOf,
  send,
  shownBy,
  unique,
  type Client,
  type Json,
  type Probe,
  type Run,
} from './probe.js';
import { sdkLogProbes } from './sdk-log-probes.js';

const part = (answer: Json, name: string): Json => answer[name] as Json;

const elements = (answer: Json): readonly Json[] => answer as unknown as readonly Json[];

const accountProbes: readonly Probe[] = probesOf('POST /api/self/get_object_info', 'body', {
  object_type: async (client) => {
    const id = await eventObject(client, 'dataset');
    const body = { object_type: 'experiment', object_ids: [id] };
    expect(await send(client, 'POST /api/self/get_object_info', body)).to.deep.equal([]);
  },
  object_ids: async (client) => {
    const object_ids = [await eventObject(client, 'dataset')];
    const body = { object_type: 'dataset', object_ids };
    const [info] = elements(await send(client, 'POST /api/self/get_object_info', body));
    expect(info).to.include({ object_id: object_ids[0] });
  },
});

const projectProbes: readonly Probe[] = [
  ...probesOf('POST /api/project/register', 'body', {
    project_name: async (client) => {
      const project_name = unique('registered');
      const answer = await send(client, 'POST /api/project/register', { project_name });
      expect(part(answer, 'project')).to.include({ name: project_name });
    },
    org_id: refused('POST /api/project/register', () => ({ org_id: randomUUID() })),
  }),
  ...probesOf('GET /api/project', 'query', {
    id: async (client) => {
      const project = await create(client, 'project');
      const answer = await send(client, `GET /api/project?id=${idOf(project)}`);
      expect(answer).to.deep.equal({ name: project['name'], project });
    },
  }),
  ...probesOf('POST /api/project/get', 'body', {
    id: async (client) => {
      const project = await create(client, 'project');
      const answer = await send(client, 'POST /api/project/get', { id: idOf(project) });
      expect(answer).to.deep.equal([project]);
    },
  }),
];

const registerExperiment = 'POST /api/experiment/register';

const registered = async (client: Client, body: Json): Promise<Json> =>
  part(await send(client, registerExperiment, body), 'experiment');

const kept = {
  description: 'what it is',
  repo_info: repoInfo,
  dataset_version: '1000192656880881099',
  public: true,
  metadata: { any: ['value'] },
  tags: ['one'],
  parameters_id: 'parameters',
  parameters_version: '1',
  internal_metadata: { filter: 'all' },
};

async function keepsAll(client: Client): Promise<void> {
  const project_id = await newProject(client);
  const dataset_id = idOf(await create(client, 'dataset', { project_id }));
  const base_exp_id = idOf(await create(client, 'experiment', { project_id }));
  const fields = { ...kept, dataset_id, base_exp_id };
  const name = unique('experiment');
  const made = await registered(client, { project_id, experiment_name: name, ...fields });
  expect(made).to.deep.include({ ...fields, project_id, name });
}

const keptNames = [
  'project_id',
  'experiment_name',
  'dataset_id',
  'base_exp_id',
  ...Object.keys(kept),
  ...parts('repo_info.', repoInfo),
];

const experimentProbes: readonly Probe[] = [
  ...probesOf(registerExperiment, 'body', shownBy(keepsAll, keptNames)),
  ...probesOf(registerExperiment, 'body', {
    project_name: async (client) => {
      const project_name = unique('project');
      const answer = await send(client, registerExperiment, { project_name });
      expect(part(answer, 'project')).to.include({ name: project_name });
    },
    org_id: refused(registerExperiment, () => ({ org_id: randomUUID() })),
    update: async (client) => {
      const body = { project_name: unique('project'), experiment_name: 'e' };
      const first = await registered(client, body);
      expect(idOf(await registered(client, { ...body, update: true }))).to.equal(idOf(first));
    },
    base_experiment: async (client) => {
      const project_name = unique('project');
      const base = await registered(client, { project_name, experiment_name: 'base' });
      const made = await registered(client, { project_name, base_experiment: 'base' });
      expect(made['base_exp_id']).to.equal(idOf(base));
    },
    ancestor_commits: async (client) => {
      const project_name = unique('project');
      const base = await registered(client, { project_name, repo_info: { commit: 'a' } });
      const made = await registered(client, { project_name, ancestor_commits: ['b', 'a'] });
      expect(made['base_exp_id']).to.equal(idOf(base));
    },
  }),
  ...probesOf('POST /api/experiment/get', 'body', {
    project_id: (client) => findsExperiment(client, ({ project_id }) => ({ project_id })),
    project_name: (client) => findsExperiment(client, ({ project_name }) => ({ project_name })),
    experiment_name: (client) => findsExperiment(client, ({ project_id }) => ({ project_id })),
    org_name: refused('POST /api/experiment/get', () => ({
      experiment_name: 'e',
      org_name: unique('organisation'),
    })),
  }),
  ...probesOf('POST /api/base_experiment/get_id', 'body', {
    id: async (client) => {
      const project_id = await newProject(client);
      const base = await create(client, 'experiment', { project_id });
      const id = idOf(await create(client, 'experiment', { project_id }));
      const answer = await send(client, 'POST /api/base_experiment/get_id', { id });
      expect(answer).to.include({ base_exp_id: idOf(base), base_exp_name: base['name'] });
    },
  }),
];

async function findsExperiment(client: Client, place: (names: Json) => Json): Promise<void> {
  const project = await create(client, 'project');
  const experiment = await create(client, 'experiment', { project_id: idOf(project) });
  const named = place({ project_id: idOf(project), project_name: project['name'] });
  const body = { ...named, experiment_name: experiment['name'] };
  expect(await send(client, 'POST /api/experiment/get', body)).to.deep.equal([experiment]);
}

const registerDataset = 'POST /api/dataset/register';

async function keepsDataset(client: Client): Promise<void> {
  const project_id = await newProject(client);
  const fields = { description: 'what it is', metadata: { any: 1 } };
  const body = { project_id, dataset_name: unique('dataset'), ...fields };
  const { dataset } = await send(client, registerDataset, body);
  expect(dataset).to.deep.include({ ...fields, project_id, name: body.dataset_name });
}

const datasetProbes: readonly Probe[] = [
  ...probesOf(registerDataset, 'body', {
    ...shownBy(keepsDataset, ['project_id', 'dataset_name', 'description', 'metadata']),
    project_name: async (client) => {
      const project_name = unique('project');
      const body = { project_name, dataset_name: 'd' };
      const answer = await send(client, registerDataset, body);
      expect(part(answer, 'project')).to.include({ name: project_name });
    },
    org_id: refused(registerDataset, () => ({ dataset_name: 'd', org_id: randomUUID() })),
  }),
  ...probesOf('POST /api/dataset/get', 'body', {
    id: async (client) => {
      const dataset = await create(client, 'dataset', { project_id: await newProject(client) });
      const answer = await send(client, 'POST /api/dataset/get', { id: idOf(dataset) });
      expect(answer).to.deep.equal([dataset]);
    },
  }),
  ...probesOf('GET /dataset-summary', 'query', {
    dataset_id: async (client) => {
      const id = await eventObject(client, 'dataset');
      await insert(client, 'dataset', id, { id: 'a' }, { id: 'b' });
      const answer = await send(client, `GET /dataset-summary?dataset_id=${id}`);
      expect(answer).to.deep.equal({ total_records: 2 });
    },
  }),
];

async function compares(client: Client): Promise<void> {
  const [id, base] = await Promise.all([0, 1].map(() => eventObject(client, 'experiment')));
  await insert(client, 'experiment', id!, { input: 1, scores: { s: 1 } });
  await insert(client, 'experiment', base!, { input: 1, scores: { s: 0.5 } });
  const search = `experiment_id=${id}&base_experiment_id=${base}`;
  const { scores } = await send(client, `GET /experiment-comparison2?${search}`);
  const s = { name: 's', score: 1, diff: 0.5, improvements: 1, regressions: 0 };
  expect(scores).to.deep.equal({ s });
}

const comparisonProbes = probesOf(
  'GET /experiment-comparison2',
  'query',
  shownBy(compares, ['experiment_id', 'base_experiment_id']),
);

const restores =
  (path: string, answered: Json): Run =>
  async (client) => {
    const id = await eventObject(client, 'dataset');
    const version = await insert(client, 'dataset', id, { id: 'kept', input: 1 });
    await insert(client, 'dataset', id, { id: 'kept', input: 2 }, { id: 'added' });
    const answer = await send(client, `POST /v1/dataset/{id}/${path}`, { version }, id);
    expect(answer).to.deep.include(answered);
    const inputs = (await rowsOf(client, 'dataset', id)).map(({ input }) => input);
    expect(inputs).to.have.length(path === 'restore' ? 1 : 2);
  };

const restoreProbes: readonly Probe[] = [
  ...probesOf('POST /v1/dataset/{id}/restore', 'body', {
    version: restores('restore', { rows_restored: 1, rows_deleted: 1 }),
  }),
  ...probesOf('POST /v1/dataset/{id}/restore/preview', 'body', {
    version: restores('restore/preview', { rows_to_restore: 1, rows_to_delete: 1 }),
  }),
];

const registerSnapshot = 'POST /api/dataset_snapshot/register';

async function snapshotOf(client: Client, fields: Json = {}): Promise<Json> {
  const body = {
    dataset_id: await eventObject(client, 'dataset'),
    dataset_snapshot_name: 's',
    xact_id: '1',
    ...fields,
  };
  return part(await send(client, registerSnapshot, body), 'dataset_snapshot');
}

async function keepsSnapshot(client: Client): Promise<void> {
  const dataset_id = await eventObject(client, 'dataset');
  const fields = { dataset_id, description: 'what it is', xact_id: '2' };
  const name = unique('snapshot');
  const made = await snapshotOf(client, { ...fields, dataset_snapshot_name: name });
  expect(made).to.deep.include({ ...fields, name });
}

const found = async (client: Client, body: Json) =>
  elements(await send(client, 'POST /api/dataset_snapshot/get', body)).map(idOf);

async function findsSnapshot(client: Client, by: 'name' | 'xact_id'): Promise<void> {
  const first = await snapshotOf(client);
  const dataset_id = first['dataset_id'];
  await snapshotOf(client, { dataset_id, dataset_snapshot_name: 'other', xact_id: '2' });
  expect(await found(client, { dataset_id, [by]: first[by] })).to.deep.equal([idOf(first)]);
}

async function changesSnapshot(client: Client): Promise<void> {
  const change = { name: 'changed', description: 'changed' };
  const id = idOf(await snapshotOf(client));
  const answer = await send(client, 'POST /api/dataset_snapshot/patch_id', { id, ...change });
  expect(answer).to.deep.include({ id, ...change });
}

const snapshotProbes: readonly Probe[] = [
  ...probesOf(registerSnapshot, 'body', {
    ...shownBy(keepsSnapshot, ['dataset_id', 'dataset_snapshot_name', 'description', 'xact_id']),
    update: async (client) => {
      const { dataset_id, id } = await snapshotOf(client);
      const moved = await snapshotOf(client, { dataset_id, xact_id: '2', update: true });
      expect(moved).to.deep.include({ id, xact_id: '2' });
    },
  }),
  ...probesOf('POST /api/dataset_snapshot/get', 'body', {
    dataset_id: (client) => findsSnapshot(client, 'name'),
    name: (client) => findsSnapshot(client, 'name'),
    xact_id: (client) => findsSnapshot(client, 'xact_id'),
  }),
  ...probesOf(
    'POST /api/dataset_snapshot/patch_id',
    'body',
    shownBy(changesSnapshot, ['id', 'name', 'description']),
  ),
  ...probesOf('POST /api/dataset_snapshot/delete_id', 'body', {
    id: async (client) => {
      const { id, dataset_id } = await snapshotOf(client);
      await send(client, 'POST /api/dataset_snapshot/delete_id', { id });
      expect(await found(client, { dataset_id })).to.deep.equal([]);
    },
  }),
];

export const sdkProbes: readonly Probe[] = [
  ...accountProbes,
  ...projectProbes,
  ...experimentProbes,
  ...datasetProbes,
  ...comparisonProbes,
  ...restoreProbes,
  ...snapshotProbes,
  ...sdkLogProbes,
];
