// POST /v1/insert: events for several objects in one transaction.
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createProject,
  type StoredObject,
} from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('an insert into several objects', () => {
  const server = sharedServer();
  let project: StoredObject;
  let experiments: readonly [StoredObject, StoredObject];
  let dataset: StoredObject;

  beforeEach(async () => {
    project = await createProject(server());
    experiments = [
      await createExperiment(server(), project.id),
      await createExperiment(server(), project.id),
    ];
    dataset = await createDataset(server());
  });

  const insert = (body: unknown) => server().request('POST', '/v1/insert', body);
  const rowsIn = async (path: string, version = '9'.repeat(19)) =>
    (await server().post(`/v1/${path}/fetch`, { version }))['events'] as StoredObject[];
  const paths = () => [
    `experiment/${experiments[0].id}`,
    `experiment/${experiments[1].id}`,
    `dataset/${dataset.id}`,
    `project_logs/${project.id}`,
  ];

  it('stores all events under one transaction id, and answers the row ids by object', async () => {
    const [first, second] = experiments;
    const answer = await insert({
      experiment: {
        [first.id]: { events: [{ id: 'a', input: 1 }, { id: 'b' }] },
        [second.id]: { events: [{ id: 'a', input: 2 }] },
      },
      dataset: { [dataset.id]: { events: [{ id: 'a', output: 'expected' }] } },
      project_logs: { [project.id]: { events: [{ id: 'a', scores: { s: true } }] } },
    });
    expect(answer.json()).to.deep.equal({
      experiment: { [first.id]: { row_ids: ['a', 'b'] }, [second.id]: { row_ids: ['a'] } },
      dataset: { [dataset.id]: { row_ids: ['a'] } },
      project_logs: { [project.id]: { row_ids: ['a'] } },
    });
    const stored = (await Promise.all(paths().map((path) => rowsIn(path)))).flat();
    const version = answer.headers.get('x-evalstore-version');
    expect(stored.map((row) => row['_xact_id'])).to.deep.equal(Array(5).fill(version));
    expect(stored.at(-2)).to.include({ expected: 'expected' });
    expect(stored.at(-1)).to.deep.include({ scores: { s: 1 } });
  });

  it('is seen whole or not at all in every version', async () => {
    const versions: string[] = [];
    for (const input of [1, 2, 3]) {
      const events = [{ id: 'a', input }];
      const body = {
        experiment: { [experiments[0].id]: { events } },
        project_logs: { [project.id]: { events } },
      };
      versions.push((await insert(body)).headers.get('x-evalstore-version')!);
    }
    for (const [index, version] of versions.entries())
      for (const path of [`experiment/${experiments[0].id}`, `project_logs/${project.id}`])
        expect((await rowsIn(path, version)).map((row) => row['input'])).to.deep.equal([index + 1]);
  });

  it('applies merges, parents and deletes within each object', async () => {
    const [first, second] = experiments;
    await insert({ experiment: { [first.id]: { events: [{ id: 'a', metadata: { x: 1 } }] } } });
    await insert({
      experiment: {
        [first.id]: { events: [{ id: 'a', _is_merge: true, metadata: { y: 2 } }] },
        [second.id]: { events: [{ id: 'a' }, { id: 'b', _parent_id: 'a' }] },
      },
    });
    expect((await rowsIn(`experiment/${first.id}`))[0]).to.deep.include({
      metadata: { x: 1, y: 2 },
    });
    const rows = await rowsIn(`experiment/${second.id}`);
    expect(new Set(rows.map((row) => row['root_span_id'])).size).to.equal(1);
    await insert({ experiment: { [second.id]: { events: [{ id: 'b', _object_delete: true }] } } });
    expect((await rowsIn(`experiment/${second.id}`)).map(({ id }) => id)).to.deep.equal(['a']);
  });

  it('keeps exact numbers and the order of keys', async () => {
    const events = '[{"id":"a","input":{"10":1e400,"9":12345678901234567890}}]';
    await insert(`{"dataset":{"${dataset.id}":{"events":${events}}}}`);
    const { text } = await server().request('GET', `/v1/dataset/${dataset.id}/fetch`);
    expect(text).to.contain('"input":{"10":1e400,"9":12345678901234567890}');
  });

  it('takes an object in both cases of its id as one', async () => {
    const { id } = dataset;
    const upper = id.toUpperCase();
    const merge = { id: 'a', _is_merge: true, input: 2 };
    const body = { [id]: { events: [{ id: 'a', tags: ['t'] }] }, [upper]: { events: [merge] } };
    expect((await insert({ dataset: body })).json()).to.deep.equal({
      dataset: { [id]: { row_ids: ['a'] }, [upper]: { row_ids: ['a'] } },
    });
    const rows = await rowsIn(`dataset/${id}`);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({ input: 2, tags: ['t'] });
  });

  it('of nothing stores nothing', async () => {
    for (const body of [{}, { experiment: null }, { dataset: {} }])
      expect((await insert(body)).status, JSON.stringify(body)).to.equal(200);
    const none = { [dataset.id]: { events: [] } };
    expect((await insert({ dataset: none })).json()).to.deep.equal({
      dataset: { [dataset.id]: { row_ids: [] } },
    });
  });

  describe('is refused whole', () => {
    it('with an unknown parent under the second spelling of an id', async () => {
      const upper = dataset.id.toUpperCase();
      const events = [{ id: 'c' }, { id: 'd', _parent_id: 'absent' }];
      const body = { [dataset.id]: { events: [{ id: 'a' }, { id: 'b' }] }, [upper]: { events } };
      const answer = await insert({ dataset: body });
      const text = `dataset.${upper}.events[1]._parent_id: no row has the id "absent"`;
      expect([answer.status, answer.text]).to.deep.equal([400, text]);
    });

    it('without a key', async () => {
      const options = { key: null };
      expect((await server().request('POST', '/v1/insert', {}, options)).status).to.equal(401);
    });
  });
});
