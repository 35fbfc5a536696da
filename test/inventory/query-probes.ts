// Body fields of queries, and parameters of summaries.
import { expect } from 'chai';
import { create, eventObject, idOf, insert, send, type Client, type Probe } from './probe.js';

interface World {
  readonly client: Client;
  readonly operation: string;
  readonly id: string;
  /** As of which there is one event of two. */
  readonly version: string;
}

async function world(client: Client, operation: string): Promise<World> {
  const id = await eventObject(client, 'experiment');
  const created = '2024-01-01T05:00:00Z';
  const version = await insert(client, 'experiment', id, { id: 'a', created });
  await insert(client, 'experiment', id, { id: 'b', created });
  return { client, operation, id, version };
}

const answer = ({ client, operation }: World, body: unknown) =>
  client.request('POST', operation.split(' ')[1]!, body);

const count = ({ id }: World) => `measures: count(1) as n | from: experiment('${id}')`;

const trials: Readonly<Record<string, (world: World) => Promise<void>>> = {
  query: async (made) => {
    const { data } = (await answer(made, { query: count(made) })).json();
    expect(data).to.deep.equal([{ n: 2 }]);
  },
  fmt: async (made) => {
    const { headers } = await answer(made, { query: count(made), fmt: 'parquet' });
    expect(headers.get('content-type')).to.equal('application/vnd.apache.parquet');
  },
  tz_offset: async (made) => {
    const query = `dimensions: day(created) as day | from: experiment('${made.id}')`;
    const { data } = (await answer(made, { query, tz_offset: 480 })).json();
    expect(JSON.stringify(data)).to.contain('2023-12-31T08:00:00');
  },
  version: async (made) => {
    const { data } = (await answer(made, { query: count(made), version: made.version })).json();
    expect(data).to.deep.equal([{ n: 1 }]);
  },
  audit_log: async ({ client, operation }) => {
    const project_id = idOf(await create(client, 'project'));
    const id = idOf(await create(client, 'prompt', { project_id, slug: 's', description: 'one' }));
    await client.request('PATCH', `/v1/prompt/${id}`, { description: 'two' });
    const query = `select: description | from: project_prompts('${project_id}')`;
    const rows = async (audit_log: boolean) =>
      (await client.request('POST', operation.split(' ')[1]!, { query, audit_log })).json()['data'];
    expect(await rows(false)).to.deep.equal([{ description: 'two' }]);
    expect(await rows(true)).to.deep.equal([{ description: 'two' }, { description: 'one' }]);
  },
  use_columnstore: async (made) => {
    const { status } = await answer(made, { query: count(made), use_columnstore: 'yes' });
    expect(status).to.equal(400);
    const read = await answer(made, { query: count(made), use_columnstore: true });
    expect(read.headers.get('x-evalstore-columnstore')).to.equal('buffer');
    expect(read.json()['data']).to.deep.equal([{ n: 2 }]);
  },
};

const queryProbes = (operation: string): readonly Probe[] =>
  Object.entries(trials).map(([name, trial]) => ({
    operation,
    place: 'body',
    name,
    run: async (client) => trial(await world(client, operation)),
  }));

async function comparesWithTheNamed(client: Client): Promise<void> {
  const project_id = idOf(await create(client, 'project'));
  const named = await create(client, 'experiment', { project_id });
  const id = idOf(await create(client, 'experiment', { project_id }));
  await create(client, 'experiment', { project_id });
  const search = `summarize_scores=true&comparison_experiment_id=${idOf(named)}`;
  const path = `GET /v1/experiment/{id}/summarize?${search}`;
  const summary = await send(client, path, undefined, id);
  expect(summary['comparison_experiment_name']).to.equal(named['name']);
}

const summaryProbes: readonly Probe[] = [
  {
    operation: 'GET /v1/experiment/{id}/summarize',
    place: 'query',
    name: 'summarize_scores',
    run: async (client) => {
      const id = await eventObject(client, 'experiment');
      await insert(client, 'experiment', id, { scores: { exact: 1 } });
      const path = 'GET /v1/experiment/{id}/summarize?summarize_scores=true';
      expect(await send(client, path, undefined, id)).to.have.nested.property('scores.exact');
    },
  },
  {
    operation: 'GET /v1/experiment/{id}/summarize',
    place: 'query',
    name: 'comparison_experiment_id',
    run: comparesWithTheNamed,
  },
  {
    operation: 'GET /v1/experiment/{id}/summarize',
    place: 'query',
    name: 'filter',
    run: async (client) => {
      const id = await eventObject(client, 'experiment');
      await insert(client, 'experiment', id, { input: 'a', scores: { exact: 1 } });
      await insert(client, 'experiment', id, { input: 'b', scores: { exact: 0 } });
      const search = new URLSearchParams({ summarize_scores: 'true', filter: "input = 'a'" });
      const path = `GET /v1/experiment/{id}/summarize?${search.toString()}`;
      expect(await send(client, path, undefined, id)).to.have.nested.property(
        'scores.exact.score',
        1,
      );
    },
  },
  {
    operation: 'GET /v1/dataset/{id}/summarize',
    place: 'query',
    name: 'summarize_data',
    run: async (client) => {
      const id = await eventObject(client, 'dataset');
      await insert(client, 'dataset', id, { input: 1 });
      const path = 'GET /v1/dataset/{id}/summarize?summarize_data=true';
      const { data_summary: summary } = await send(client, path, undefined, id);
      expect(summary).to.deep.equal({ total_records: 1 });
    },
  },
];

export const queryAndSummaryProbes: readonly Probe[] = [
  ...queryProbes('POST /query'),
  ...queryProbes('POST /btql'),
  ...summaryProbes,
];
