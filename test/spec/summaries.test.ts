// Summaries of experiments and datasets: names, links, and what an experiment is compared with.
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createProject,
  type StoredObject,
} from '../support/objects.js';
import { outcome, sharedServer, type RequestOptions } from '../support/start-server.js';
import { askSummary, scoreIn, scored, summarize, type Summary } from '../support/summaries.js';

const manyScores = (count: number) => [
  {
    input: 'x',
    scores: Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, n / count])),
    metrics: { cost: 3 },
  },
];

describe('experiment summaries', () => {
  const server = sharedServer();
  let project: StoredObject;

  beforeEach(async () => {
    project = await createProject(server());
  });

  const create = (name: string, fields: object = {}) =>
    createExperiment(server(), project.id, { name, ...fields });

  const comparedWith = async (id: string, query?: string, options?: RequestOptions) =>
    (await summarize(server(), id, query, options))['comparison_experiment_name'];

  it('are names and links only, unless scores are asked for', async () => {
    const { id } = await create('b/c ä?');
    const name = encodeURIComponent(project.name);
    for (const query of ['', 'summarize_scores=false', `comparison_experiment_id=${project.id}`])
      expect((await askSummary(server(), id, query)).json()).to.deep.equal({
        project_name: project.name,
        experiment_name: 'b/c ä?',
        project_url: `${server().url}/app/evalstore/p/${name}`,
        experiment_url: `${server().url}/app/evalstore/p/${name}/experiments/b%2Fc%20%C3%A4%3F`,
      });
  });

  it('are those of the asked comparison, whichever was asked for before', async () => {
    const alone = await create('alone');
    await server().insert(`experiment/${alone.id}`, [scored('a', 1, 0.5)]);
    const diffs = async (id: string, query = '') => {
      const { diff, diff_count } = scoreIn(await summarize(server(), id, query), 'accuracy');
      return [diff, diff_count];
    };
    const itself = `&comparison_experiment_id=${alone.id}`;
    for (let round = 0; round < 2; round++) {
      expect(await diffs(alone.id)).to.deep.equal([undefined, 0]);
      expect(await diffs(alone.id, itself)).to.deep.equal([0, 1]);
    }
    const other = await create('other');
    await server().insert(`experiment/${other.id}`, [scored('a', 1, 0.75)]);
    for (let round = 0; round < 2; round++) {
      expect(await diffs(alone.id)).to.deep.equal([-0.25, 1]);
      expect(await diffs(other.id)).to.deep.equal([0.25, 1]);
    }
    await server().insert(`experiment/${alone.id}`, [scored('a', 1, 0.25)]);
    expect(await diffs(other.id)).to.deep.equal([0.5, 1]);
  });

  it('have up to 2,000 scores and metrics, which several statements compute', async () => {
    const { id } = await create('many');
    await server().insert(`experiment/${id}`, manyScores(120));
    const { scores, metrics } = await summarize(server(), id);
    expect(Object.keys(scores)).to.have.length(120);
    for (const [name, { score }] of Object.entries(scores))
      expect(score, name).to.equal(Number((Number(name.slice(1)) / 120).toPrecision(15)));
    expect(metrics['cost']).to.include({ metric: 3 });
    expect(metrics['errors']).to.include({ metric: 0 });
  });

  it('refuse more names than can be summed up', async () => {
    const { id } = await create('too many');
    await server().insert(`experiment/${id}`, manyScores(2000));
    const answer = await askSummary(server(), id, 'summarize_scores=true');
    expect(answer.status).to.equal(400);
    expect(answer.text).to.equal(
      'the scores and metrics have more than 2000 different names, the limit of a summary: read some of them with a query',
    );
  });

  it('of an experiment without events count nothing', async () => {
    const { id } = await create('empty');
    const { scores, metrics } = await summarize(server(), id);
    expect(scores).to.deep.equal({});
    expect(Object.values(metrics).map(({ name, metric }) => [name, metric])).to.deep.equal([
      ['llm_calls', 0],
      ['tool_calls', 0],
      ['errors', 0],
    ]);
  });

  it('tell the version that they read', async () => {
    const { id } = await create('versioned');
    await server().insert(`experiment/${id}`, [scored('a', 1, 1)]);
    const { headers } = await askSummary(server(), id, 'summarize_scores=true');
    expect(headers.get('x-evalstore-version')).to.match(/^\d{19}$/);
  });

  it('compare with the one asked for, else the base, else the most recent other one', async () => {
    const oldest = await create('oldest');
    expect(await comparedWith(oldest.id)).to.equal(undefined);
    const base = await create('base');
    const ours = await create('ours', { base_exp_id: base.id });
    const newest = await create('newest');
    expect(await comparedWith(ours.id, `&comparison_experiment_id=${oldest.id}`)).to.equal(
      'oldest',
    );
    expect(await comparedWith(ours.id)).to.equal('base');
    expect(await comparedWith(oldest.id)).to.equal('newest');
    expect(await comparedWith(newest.id)).to.equal('ours');
    await server().request('DELETE', `/v1/experiment/${base.id}`);
    expect(await comparedWith(ours.id)).to.equal('newest');
    await server().request('DELETE', `/v1/experiment/${newest.id}`);
    expect(await comparedWith(ours.id)).to.equal('oldest');
  });

  it('compare across projects, and with the experiment itself', async () => {
    const ours = await create('ours');
    const elsewhere = await createExperiment(server(), (await createProject(server())).id);
    await server().insert(`experiment/${ours.id}`, [scored('a', 1, 1), scored('b', 2, 0)]);
    await server().insert(`experiment/${elsewhere.id}`, [scored('a', 1, 0.5)]);
    const other = await summarize(server(), ours.id, `&comparison_experiment_id=${elsewhere.id}`);
    expect(scoreIn(other, 'accuracy')).to.include({ diff: 0.5, improvements: 1, diff_count: 1 });
    const itself = await summarize(server(), ours.id, `&comparison_experiment_id=${ours.id}`);
    expect(scoreIn(itself, 'accuracy')).to.include({ score: 0.5, diff: 0, diff_count: 2 });
  });

  describe('without a key', () => {
    const anonymous = { key: null };

    it('are those of public experiments, compared with public ones alone', async () => {
      const shown = await create('shown', { public: true });
      const hidden = await create('hidden');
      const ours = await create('ours', { public: true, base_exp_id: hidden.id });
      await create('newest');
      await server().insert(`experiment/${hidden.id}`, [scored('a', 1, 0)]);
      await server().insert(`experiment/${ours.id}`, [scored('a', 1, 1)]);
      expect(await comparedWith(ours.id)).to.equal('hidden');
      expect(await comparedWith(ours.id, '', anonymous)).to.equal('shown');
      const asked = `&comparison_experiment_id=${hidden.id}`;
      expect(
        await outcome(askSummary(server(), ours.id, `summarize_scores=true${asked}`, anonymous)),
      ).to.deep.equal([
        400,
        `comparison_experiment_id: no experiment with the id "${hidden.id}" that this key may use`,
      ]);
      await server().request('DELETE', `/v1/experiment/${shown.id}`);
      const alone = await askSummary(server(), ours.id, 'summarize_scores=true', anonymous);
      expect(alone.json()).not.to.have.any.keys('comparison_experiment_name');
      expect((alone.json() as Summary).scores['accuracy']).not.to.have.any.keys('diff');
      expect(alone.text).not.to.match(/hidden|newest/);
      expect((await askSummary(server(), hidden.id, '', anonymous)).status).to.equal(401);
    });
  });
});

describe('links of summaries', () => {
  const server = sharedServer({
    environment: { EVALSTORE_PUBLIC_URL: 'https://evals.example/base/', EVALSTORE_ORG: 'A & B' },
  });

  it('begin with the configured address', async () => {
    const project = await createProject(server(), { name: 'p 1' });
    const { id } = await createExperiment(server(), project.id, { name: 'e' });
    const { project_url, experiment_url } = (await askSummary(server(), id, '')).json();
    expect(project_url).to.equal('https://evals.example/base/app/A%20%26%20B/p/p%201');
    expect(experiment_url).to.equal(`${String(project_url)}/experiments/e`);
  });
});

describe('dataset summaries', () => {
  const server = sharedServer();

  const ask = (id: string, query = '', options?: RequestOptions) =>
    server().request('GET', `/v1/dataset/${id}/summarize${query}`, undefined, options);

  it('are names and links, and the number of live records when it is asked for', async () => {
    const project = await createProject(server(), { name: 'of records' });
    const { id } = await createDataset(server(), { project_id: project.id, name: 'd/1' });
    const names = {
      project_name: 'of records',
      dataset_name: 'd/1',
      project_url: `${server().url}/app/evalstore/p/of%20records`,
      dataset_url: `${server().url}/app/evalstore/p/of%20records/datasets/d%2F1`,
    };
    expect((await ask(id)).json()).to.deep.equal(names);
    expect((await ask(id, '?summarize_data=false')).json()).to.deep.equal(names);
    const count = async () => (await ask(id, '?summarize_data=true')).json();
    expect(await count()).to.deep.equal({ ...names, data_summary: { total_records: 0 } });
    for (const events of [
      [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      [{ id: 'a', _is_merge: true, input: 1 }],
      [{ id: 'b', _object_delete: true }],
    ])
      await server().insert(`dataset/${id}`, events);
    expect(await count()).to.deep.equal({ ...names, data_summary: { total_records: 2 } });
  });

  it('of a dataset without project name none', async () => {
    const { id } = await createDataset(server(), { name: 'free' });
    expect((await ask(id)).json()).to.deep.equal({
      project_name: '',
      dataset_name: 'free',
      project_url: `${server().url}/app/evalstore`,
      dataset_url: `${server().url}/app/evalstore/datasets/free`,
    });
  });

  it('need a key', async () => {
    const { id } = await createDataset(server());
    expect((await ask(id, '', { key: null })).status).to.equal(401);
    expect((await ask(id, '?summarize_data=x')).text).to.equal(
      'summarize_data: expected true or false, got "x"',
    );
  });
});
