import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { listObjects, type StoredObject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('datasets', () => {
  const server = sharedServer();
  let project: StoredObject;

  before(async () => {
    project = await createProject(server(), { name: 'of datasets' });
  });

  const request = (method: string, path: string, body?: unknown) =>
    outcome(server().request(method, path, body));
  const create = (fields: object = {}) =>
    createDataset(server(), { project_id: project.id, ...fields });

  it('are created with every field, read, changed and deleted', async () => {
    const sent = { name: 'full', description: 'text', metadata: { a: [1] }, tags: ['t'] };
    const made = await create(sent);
    expect(Object.keys(made)).to.deep.equal([
      'id',
      'project_id',
      'name',
      'description',
      'created',
      'deleted_at',
      'user_id',
      'metadata',
      'tags',
    ]);
    expect(made).to.deep.include({ ...sent, project_id: project.id, deleted_at: null });
    expect(made['created']).to.match(isoTime);
    const path = `/v1/dataset/${made.id}`;
    expect(await server().get(path)).to.deep.equal(made);
    const change = { name: 'renamed', description: 'new', metadata: { b: null }, tags: [] };
    const patched = (await server().request('PATCH', path, change)).json();
    expect(patched).to.deep.equal({ ...made, ...change, metadata: { a: [1], b: null } });
    const deleted = (await server().request('DELETE', path)).json();
    expect(deleted['deleted_at']).to.match(isoTime);
    expect({ ...deleted, deleted_at: null }).to.deep.equal(patched);
    const refusal = `no dataset with the id "${made.id}" that this key may use`;
    expect(await request('GET', path)).to.deep.equal([403, refusal]);
    expect(await request('DELETE', path)).to.deep.equal([400, refusal]);
  });

  for (const method of ['POST', 'PUT']) {
    it(`${method} on a taken name answers the existing dataset unmodified`, async () => {
      const name = `taken by ${method}`;
      const made = await create({ name });
      const body = { project_id: project.id, name, description: 'second' };
      const again = await server().request(method, '/v1/dataset', body);
      expect(again.headers.get('x-bt-found-existing')).to.equal('true');
      expect(again.json()).to.deep.equal(made);
    });
  }

  it('refuse a rename onto a taken name', async () => {
    await create({ name: 'taken' });
    const { id } = await create();
    expect(await request('PATCH', `/v1/dataset/${id}`, { name: 'taken' })).to.deep.equal([
      400,
      'name: another dataset is already named "taken"',
    ]);
  });

  describe('without a project', () => {
    for (const fields of [{}, { project_id: null }]) {
      it(`are made with ${JSON.stringify(fields)}, and found by name in the organisation`, async () => {
        const name = `free ${JSON.stringify(fields)}`;
        const made = await createDataset(server(), { name, ...fields });
        expect(made['project_id']).to.equal(null);
        const again = await server().request('POST', '/v1/dataset', { name });
        expect(again.json()).to.deep.equal(made);
        expect(again.headers.get('x-bt-found-existing')).to.equal('true');
        expect((await create({ name })).id).not.to.equal(made.id);
      });
    }

    it('are listed, but in no project', async () => {
      const made = await createDataset(server(), { name: 'listed' });
      const list = (query: string) => listObjects(server(), `/v1/dataset?${query}`);
      expect(await list('dataset_name=listed')).to.deep.equal([made]);
      expect(await list(`dataset_name=listed&project_id=${project.id}`)).to.deep.equal([]);
      expect(await list('dataset_name=listed&project_name=of datasets')).to.deep.equal([]);
    });

    it('hold records that have no project either', async () => {
      const { id } = await createDataset(server());
      const events = [{ id: 'a', input: 1 }];
      await request('POST', `/v1/dataset/${id}/insert`, { events });
      const fetched = await server().get(`/v1/dataset/${id}/fetch`);
      expect(fetched).to.nested.include({ 'events[0].id': 'a', 'events[0].project_id': null });
      const query = `select: input, project_id | from: dataset('${id}')`;
      const answer = await server().request('POST', '/query', { query });
      expect(answer.json()['data']).to.deep.equal([{ input: 1, project_id: null }]);
    });
  });

  it('are listed by name and project, newest first', async () => {
    const own = await createProject(server(), { name: 'own' });
    const older = await create({ project_id: own.id, name: 'same' });
    const newer = await create({ project_id: own.id });
    await create({ name: 'same' });
    const list = (query: string) => listObjects(server(), `/v1/dataset?${query}`);
    expect(await list('project_name=own')).to.deep.equal([newer, older]);
    expect(await list(`project_id=${own.id}`)).to.deep.equal([newer, older]);
    expect(await list('dataset_name=same&project_name=own')).to.deep.equal([older]);
    expect(await list(`name=same&project_id=${own.id}`)).to.deep.equal([older]);
    expect(await list(`ids=${older.id}&ids=${newer.id}&limit=1`)).to.deep.equal([newer]);
  });

  describe('records', () => {
    const record = { id: 'r', input: { q: 1 }, expected: 'e', metadata: { m: 1 }, tags: ['t'] };
    let path: string;
    let dataset: StoredObject;

    beforeEach(async () => {
      dataset = await create();
      path = `/v1/dataset/${dataset.id}`;
    });

    const fetchRecords = async (how: 'GET' | 'POST' = 'GET', body?: object) =>
      (await server().request(how, `${path}/fetch`, body)).json()['events'] as StoredObject[];

    it('are fetched with every field of a dataset event and no other', async () => {
      expect(await request('POST', `${path}/insert`, { events: [record] })).to.deep.equal([
        200,
        '{"row_ids":["r"]}',
      ]);
      const [fetched, ...rest] = await fetchRecords();
      expect(rest).to.deep.equal([]);
      expect(fetched).to.deep.include({ ...record, dataset_id: dataset.id });
      expect(fetched).to.include({ project_id: project.id });
      expect(fetched).to.include.keys('_xact_id', 'created', 'span_id', 'root_span_id');
      expect(fetched).not.to.have.any.keys('output', 'scores', 'metrics', 'experiment_id');
      expect(await fetchRecords('POST', {})).to.deep.equal([fetched]);
    });

    it('take output as the old name of expected', async () => {
      await request('POST', `${path}/insert`, { events: [{ id: 'r', output: 'old' }] });
      expect((await fetchRecords())[0]).to.include({ expected: 'old' });
    });

    it('merge, vanish, and are still there in an earlier version', async () => {
      const inserted = await server().request('POST', `${path}/insert`, { events: [record] });
      const version = inserted.headers.get('x-evalstore-version');
      const merge = { id: 'r', _is_merge: true, metadata: { n: 2 } };
      await request('POST', `${path}/insert`, { events: [merge] });
      expect((await fetchRecords())[0]).to.deep.include({ ...record, metadata: { m: 1, n: 2 } });
      await request('POST', `${path}/insert`, { events: [{ id: 'r', _object_delete: true }] });
      expect(await fetchRecords()).to.deep.equal([]);
      expect((await fetchRecords('POST', { version }))[0]).to.deep.include(record);
    });

    it('are sources of queries, by the dataset and by its project', async () => {
      const own = await createProject(server());
      const [one, two] = [
        await create({ project_id: own.id }),
        await create({ project_id: own.id }),
      ];
      const experiment = await createExperiment(server(), own.id);
      for (const [object, input] of [
        [`dataset/${one.id}`, 'one'],
        [`dataset/${two.id}`, 'two'],
        [`experiment/${experiment.id}`, 'experiment'],
        [`project_logs/${own.id}`, 'log'],
      ] as const)
        await request('POST', `/v1/${object}/insert`, { events: [{ input }] });
      const inputs = async (source: string) => {
        const query = `select: input | from: ${source} | sort: input`;
        const answer = await server().post('/query', { query });
        return (answer['data'] as { input: string }[]).map(({ input }) => input);
      };
      expect(await inputs(`dataset('${one.id}')`)).to.deep.equal(['one']);
      expect(await inputs(`dataset('${one.id}', '${two.id}')`)).to.deep.equal(['one', 'two']);
      const everything = ['experiment', 'log', 'one', 'two'];
      expect(await inputs(`project('${own.id}')`)).to.deep.equal(everything);
      await request('DELETE', `/v1/dataset/${one.id}`);
      expect(await inputs(`project('${own.id}')`)).to.deep.equal(['experiment', 'log', 'two']);
      const query = `select: input | from: dataset('${one.id}')`;
      expect(await request('POST', '/query', { query })).to.deep.equal([
        400,
        `query line 1, column 31: no dataset with the id "${one.id}" that this key may use`,
      ]);
    });
  });

  describe('of experiments', () => {
    it('are accepted on create and change, with or without project', async () => {
      const [inProject, free] = [await create(), await createDataset(server())];
      const version = '1000192656880881099';
      const experiment = await createExperiment(server(), project.id, {
        dataset_id: inProject.id,
        dataset_version: version,
      });
      expect(experiment).to.include({ dataset_id: inProject.id, dataset_version: version });
      const path = `/v1/experiment/${experiment.id}`;
      const patched = (await server().request('PATCH', path, { dataset_id: free.id })).json();
      expect(patched).to.include({ dataset_id: free.id, dataset_version: version });
    });

    it('must exist, be live and be datasets', async () => {
      const gone = await create();
      await request('DELETE', `/v1/dataset/${gone.id}`);
      const experiment = await createExperiment(server(), project.id);
      for (const id of [randomUUID(), gone.id, project.id, experiment.id]) {
        const body = { project_id: project.id, dataset_id: id };
        const refusal = [400, `dataset_id: no dataset with the id "${id}" that this key may use`];
        expect(await request('POST', '/v1/experiment', body)).to.deep.equal(refusal);
        const path = `/v1/experiment/${experiment.id}`;
        expect(await request('PATCH', path, { dataset_id: id })).to.deep.equal(refusal);
      }
    });
  });
});
