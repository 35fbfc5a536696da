// A deleted project hides everything that is in it, for every kind and every way of asking.
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createNamed,
  createProject,
  listObjects,
  type StoredObject,
} from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

interface Inside {
  readonly project: StoredObject;
  readonly experiment: StoredObject;
  readonly dataset: StoredObject;
  readonly prompt: StoredObject;
}

describe('a deleted project', () => {
  const server = sharedServer();
  let other: StoredObject;
  let inside: Inside;
  let cursor: string;
  /** Outside of the project, with a base in it. */
  let outside: StoredObject;

  const request = (method: string, path: string, body?: unknown) =>
    outcome(server().request(method, path, body));

  before(async () => {
    other = await createProject(server());
    const project = await createProject(server(), { name: 'deleted' });
    const fields = { project_id: project.id, name: 'inside' };
    inside = {
      project,
      experiment: await createExperiment(server(), project.id, { ...fields, public: true }),
      dataset: await createDataset(server(), fields),
      prompt: await createNamed(server(), 'prompt', { ...fields, slug: 'inside' }),
    };
    const events = { events: [{ id: 'a' }, { id: 'b' }] };
    for (const path of objectPaths()) await request('POST', `${path}/insert`, events);
    for (const path of feedbackPaths()) {
      const id = path.includes('prompt') ? inside.prompt.id : 'a';
      const feedback = [{ id, comment: 'c' }];
      expect((await request('POST', path, { feedback }))[0]).to.equal(200);
    }
    const base = { base_exp_id: inside.experiment.id };
    outside = await createExperiment(server(), other.id, { name: 'outside', ...base });
    const page = await server().request('GET', `/v1/dataset/${inside.dataset.id}/fetch?limit=1`);
    cursor = String(page.json()['cursor']);
    expect((await request('DELETE', `/v1/project/${project.id}`))[0]).to.equal(200);
  });

  /** Of what holds events. */
  const objectPaths = () => [
    `/v1/project_logs/${inside.project.id}`,
    `/v1/experiment/${inside.experiment.id}`,
    `/v1/dataset/${inside.dataset.id}`,
  ];

  const feedbackPaths = () =>
    [...objectPaths(), `/v1/prompt/${inside.prompt.id}`].map((path) => `${path}/feedback`);

  const refusal = (kind: keyof Inside) =>
    `no ${kind} with the id "${inside[kind].id}" that this key may use`;

  for (const kind of ['project', 'experiment', 'dataset', 'prompt'] as const)
    it(`has no ${kind} that is read, changed or deleted by id`, async () => {
      const path = `/v1/${kind}/${inside[kind].id}`;
      expect(await request('GET', path)).to.deep.equal([403, refusal(kind)]);
      expect(await request('PATCH', path, { name: 'new' })).to.deep.equal([403, refusal(kind)]);
      expect(await request('PATCH', path)).to.deep.equal([403, refusal(kind)]);
      expect(await request('DELETE', path)).to.deep.equal([400, refusal(kind)]);
    });

  it('shows its public experiment to nobody without a key', async () => {
    const path = `/v1/experiment/${inside.experiment.id}`;
    for (const [method, asked] of [
      ['GET', path],
      ['GET', `${path}/fetch`],
      ['POST', `${path}/fetch`],
      ['GET', `${path}/summarize`],
    ] as const) {
      const answer = await server().request(method, asked, undefined, { key: null });
      expect(answer.status, asked).to.equal(401);
    }
  });

  it('is in no list, with no filter and in no version', async () => {
    const { project, prompt } = inside;
    for (const kind of ['experiment', 'dataset', 'prompt'] as const)
      for (const query of [
        '',
        `?project_id=${project.id}`,
        '?project_name=deleted',
        '?name=inside',
        `?ids=${inside[kind].id}`,
      ]) {
        const path = `/v1/${kind}${query}`;
        const found = await listObjects(server(), path);
        expect(
          found.filter(({ id }) => id !== outside.id),
          path,
        ).to.deep.equal([]);
      }
    const version = String(prompt['_xact_id']);
    for (const query of [`version=${version}`, `version=${version}&slug=inside`])
      expect(await listObjects(server(), `/v1/prompt?${query}`)).to.deep.equal([]);
    expect(await listObjects(server(), '/v1/project?name=deleted')).to.deep.equal([]);
  });

  it('is a cursor of lists as before', async () => {
    for (const kind of ['project', 'experiment', 'dataset', 'prompt'] as const)
      for (const parameter of ['starting_after', 'ending_before']) {
        const [status] = await request('GET', `/v1/${kind}?${parameter}=${inside[kind].id}`);
        expect(status, kind).to.equal(200);
      }
  });

  it('takes and shows no events', async () => {
    for (const path of objectPaths()) {
      expect((await request('POST', `${path}/insert`, { events: [] }))[0]).to.equal(403);
      expect((await request('GET', `${path}/fetch`))[0]).to.equal(403);
      expect((await request('POST', `${path}/fetch`, {}))[0]).to.equal(403);
    }
    const path = `/v1/dataset/${inside.dataset.id}/fetch?cursor=${encodeURIComponent(cursor)}`;
    expect(await request('GET', path)).to.deep.equal([403, refusal('dataset')]);
  });

  it('takes and shows no feedback', async () => {
    for (const [index, kind] of (
      ['project', 'experiment', 'dataset', 'prompt'] as const
    ).entries()) {
      const path = feedbackPaths()[index]!;
      const feedback = [{ id: kind === 'prompt' ? inside.prompt.id : 'a', comment: 'c' }];
      for (const answer of [
        await request('POST', path, { feedback }),
        await request('POST', path, { feedback: [] }),
        await request('GET', path),
        await request('GET', `${path}?event_id=a`),
      ])
        expect(answer).to.deep.equal([403, refusal(kind)]);
    }
  });

  it('is summed up nowhere, and compared with nothing', async () => {
    for (const kind of ['experiment', 'dataset'] as const) {
      const path = `/v1/${kind}/${inside[kind].id}/summarize`;
      expect(await request('GET', path)).to.deep.equal([403, refusal(kind)]);
    }
    const summary = `/v1/experiment/${outside.id}/summarize?summarize_scores=true`;
    expect(await server().get(summary)).not.to.have.any.keys('comparison_experiment_name');
    const asked = `${summary}&comparison_experiment_id=${inside.experiment.id}`;
    expect(await request('GET', asked)).to.deep.equal([
      400,
      `comparison_experiment_id: ${refusal('experiment')}`,
    ]);
  });

  it('takes no events beside those of other objects', async () => {
    const events = { events: [{ id: 'lost' }] };
    for (const [name, kind] of [
      ['project_logs', 'project'],
      ['experiment', 'experiment'],
      ['dataset', 'dataset'],
    ] as const) {
      const { id } = inside[kind];
      const body = { project_logs: { [other.id]: events } };
      const answer = await request('POST', '/v1/insert', {
        ...body,
        [name]: { ...(name === 'project_logs' ? body.project_logs : {}), [id]: events },
      });
      expect(answer).to.deep.equal([400, `${name}.${id}: ${refusal(kind)}`]);
    }
    const logs = await server().request('GET', `/v1/project_logs/${other.id}/fetch`);
    expect(logs.json()['events']).to.deep.equal([]);
  });

  it('is no source of a query', async () => {
    for (const [source, kind] of [
      ['project', 'project'],
      ['project_logs', 'project'],
      ['experiment', 'experiment'],
      ['dataset', 'dataset'],
    ] as const) {
      const { id } = inside[kind];
      for (const sources of [`'${id}'`, `'${other.id}', '${id}'`]) {
        const query = `select: id | from: ${source}(${sources})`;
        const [status, text] = await request('POST', '/query', { query });
        expect(status, query).to.equal(400);
        expect(text).to.match(/^query line 1, column \d+: no /);
      }
      const query = `select: id | from: ${source}('${id}')`;
      expect((await request('POST', '/query', { query }))[1]).to.contain(refusal(kind));
    }
  });

  it('is referred to by nothing new', async () => {
    const { project, experiment, dataset } = inside;
    const own = await createExperiment(server(), other.id);
    for (const [field, id, kind] of [
      ['base_exp_id', experiment.id, 'experiment'],
      ['dataset_id', dataset.id, 'dataset'],
    ] as const) {
      const expected = [400, `${field}: ${refusal(kind)}`];
      const body = { project_id: other.id, [field]: id };
      expect(await request('POST', '/v1/experiment', body)).to.deep.equal(expected);
      expect(await request('PATCH', `/v1/experiment/${own.id}`, { [field]: id })).to.deep.equal(
        expected,
      );
    }
    for (const kind of ['experiment', 'dataset', 'prompt'])
      for (const method of ['POST', 'PUT']) {
        const body = { project_id: project.id, name: 'inside' };
        const whole = kind === 'prompt' ? { ...body, slug: 'inside' } : body;
        expect(await request(method, `/v1/${kind}`, whole)).to.deep.equal([
          400,
          `project_id: ${refusal('project')}`,
        ]);
      }
  });

  it('leaves its name to a new one, which is empty', async () => {
    const next = await createProject(server(), { name: 'deleted' });
    expect(next.id).not.to.equal(inside.project.id);
    for (const kind of ['experiment', 'dataset', 'prompt'])
      expect(await listObjects(server(), `/v1/${kind}?project_name=deleted`)).to.deep.equal([]);
    const query = `select: id | from: project('${next.id}')`;
    const answer = await server().request('POST', '/query', { query });
    expect(answer.json()['data']).to.deep.equal([]);
  });
});
