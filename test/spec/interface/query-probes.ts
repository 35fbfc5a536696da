// Body fields of queries, and parameters of summaries.
import { expect } from 'chai';
import { pathOf } from '../../support/attachments.js';
import type { Answer } from '../../support/client.js';
import {
  create,
  eventObject,
  idOf,
  insert,
  newProject,
  probesOf,
  send,
  type Client,
  type Json,
  type Probe,
  type Run,
} from './probe.js';

const offer = 'POST /query/download';

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

/** A download is asked for, and then opened. */
async function ask(client: Client, operation: string, id: string, body: unknown): Promise<Answer> {
  const path = operation.split(' ')[1]!.replace('{id}', id);
  const answered = await client.request('POST', path, body);
  const isOffer = operation === offer && answered.status === 200;
  return isOffer ? client.request('GET', pathOf(answered.json()['url'])) : answered;
}

const answer = ({ client, operation, id }: World, body: unknown): Promise<Answer> =>
  ask(client, operation, id, body);

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
  types: async (made) => {
    const query = `select: coalesce(metadata.n, 'text') as n | from: experiment('${made.id}')`;
    const types = { 'metadata.n': 'bigint' };
    const refused = await answer(made, { query, types });
    expect(refused.status).to.equal(400);
    const plain = `select: coalesce(input, 'text') as x, input | from: experiment('${made.id}')`;
    const { headers } = await answer(made, {
      query: plain,
      fmt: 'parquet',
      types: { input: 'json' },
    });
    expect(headers.get('x-evalstore-misfits')).to.equal('0');
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
    const project_id = await newProject(client);
    const id = idOf(await create(client, 'prompt', { project_id, slug: 's', description: 'one' }));
    await client.request('PATCH', `/v1/prompt/${id}`, { description: 'two' });
    const query = `select: description | from: project_prompts('${project_id}')`;
    const rows = async (audit_log: boolean) =>
      (await ask(client, operation, '', { query, audit_log })).json()['data'];
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
  explain: async (made) => {
    const [statement] = (await answer(made, { query: count(made), explain: true })).json()[
      'data'
    ] as readonly Json[];
    expect(statement?.['sql']).to.match(/^SELECT /);
  },
};

const { explain: _ofAnswers, ...ofDownloads } = trials;
const { audit_log: _ofPrompts, ...ofEvents } = ofDownloads;

const onWorld =
  (operation: string, trial: (world: World) => Promise<void>): Run =>
  async (client) =>
    trial(await world(client, operation));

const queryProbes = (operation: string, tried: Partial<typeof trials> = trials): readonly Probe[] =>
  Object.entries(tried as typeof trials).flatMap(([name, trial]) =>
    probesOf(operation, 'body', { [name]: onWorld(operation, trial) }),
  );

async function comparesWithTheNamed(client: Client): Promise<void> {
  const project_id = await newProject(client);
  const named = await create(client, 'experiment', { project_id });
  const id = idOf(await create(client, 'experiment', { project_id }));
  await create(client, 'experiment', { project_id });
  const search = `summarize_scores=true&comparison_experiment_id=${idOf(named)}`;
  const path = `GET /v1/experiment/{id}/summarize?${search}`;
  const summary = await send(client, path, undefined, id);
  expect(summary['comparison_experiment_name']).to.equal(named['name']);
}

const summaryProbes: readonly Probe[] = [
  ...probesOf('GET /v1/experiment/{id}/summarize', 'query', {
    summarize_scores: async (client) => {
      const id = await eventObject(client, 'experiment');
      await insert(client, 'experiment', id, { scores: { exact: 1 } });
      const path = 'GET /v1/experiment/{id}/summarize?summarize_scores=true';
      expect(await send(client, path, undefined, id)).to.have.nested.property('scores.exact');
    },
    comparison_experiment_id: comparesWithTheNamed,
    filter: async (client) => {
      const id = await eventObject(client, 'experiment');
      await insert(client, 'experiment', id, { input: 'a', scores: { exact: 1 } });
      await insert(client, 'experiment', id, { input: 'b', scores: { exact: 0 } });
      const search = new URLSearchParams({ summarize_scores: 'true', filter: "input = 'a'" });
      const path = `GET /v1/experiment/{id}/summarize?${search.toString()}`;
      const summary = await send(client, path, undefined, id);
      expect(summary).to.have.nested.property('scores.exact.score', 1);
    },
    tz_offset: async (client) => {
      const id = await eventObject(client, 'experiment');
      const created = '2024-01-01T03:00:00Z';
      await insert(client, 'experiment', id, { created, scores: { exact: 1 } });
      const filter = "day(created) = '2023-12-31T08:00:00Z'";
      const search = new URLSearchParams({ summarize_scores: 'true', filter, tz_offset: '480' });
      const path = `GET /v1/experiment/{id}/summarize?${search.toString()}`;
      const summary = await send(client, path, undefined, id);
      expect(summary).to.have.nested.property('scores.exact.score', 1);
    },
    version: async (client) => {
      const id = await eventObject(client, 'experiment');
      await insert(client, 'experiment', id, { scores: { exact: 1 } });
      // Of 1970, in which there were no rows.
      const search = 'summarize_scores=true&version=1000080592253026303';
      const path = `GET /v1/experiment/{id}/summarize?${search}`;
      expect(await send(client, path, undefined, id)).to.have.deep.property('scores', {});
    },
  }),
  ...probesOf('GET /v1/dataset/{id}/summarize', 'query', {
    summarize_data: async (client) => {
      const id = await eventObject(client, 'dataset');
      await insert(client, 'dataset', id, { input: 1 });
      const path = 'GET /v1/dataset/{id}/summarize?summarize_data=true';
      const { data_summary: summary } = await send(client, path, undefined, id);
      expect(summary).to.deep.equal({ total_records: 1 });
    },
  }),
];

/** Which of three versions, newest first, are listed. */
const lists =
  (search: (versions: readonly string[]) => string, found: readonly number[]): Run =>
  async (client) => {
    const id = await eventObject(client, 'dataset');
    const versions: string[] = [];
    for (const input of [1, 2, 3]) versions.unshift(await insert(client, 'dataset', id, { input }));
    const path = `GET /v1/dataset/{id}/versions?${search(versions)}`;
    const { objects } = await send(client, path, undefined, id);
    const listed = (objects as readonly Json[]).map(({ xact_id }) => xact_id);
    expect(listed).to.deep.equal(found.map((index) => versions[index]));
  };

const versionProbes = probesOf('GET /v1/dataset/{id}/versions', 'query', {
  limit: lists(() => 'limit=2', [0, 1]),
  starting_after: lists(([, middle]) => `starting_after=${middle}`, [2]),
  ending_before: lists(([, middle]) => `ending_before=${middle}`, [0]),
});

export const queryAndSummaryProbes: readonly Probe[] = [
  ...versionProbes,
  ...queryProbes('POST /query'),
  ...queryProbes('POST /btql'),
  ...queryProbes('POST /v1/experiment/{id}/query', ofEvents),
  ...queryProbes(offer, ofDownloads),
  ...probesOf('GET /query/download', 'query', { token: onWorld(offer, trials['query']!) }),
  ...summaryProbes,
];
