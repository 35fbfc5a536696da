// Queries without a key: of one public experiment, and of nothing else.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  createDataset,
  createExperiment,
  createProject,
  type StoredObject,
} from '../../support/objects.js';
import { outcome, sharedServer, type Answer } from '../../support/start-server.js';

const noKey = 'this request needs an API key in the header "Authorization: Bearer <API_KEY>"';

const from = ({ id }: StoredObject) => `from: experiment('${id}')`;

const ident = (...name: readonly string[]) => ({ op: 'ident', name });

describe('queries without a key', () => {
  const server = sharedServer();
  let project: StoredObject;
  let shown: StoredObject;
  let hidden: StoredObject;

  const ask = (id: string, body: object, key: string | null = null): Promise<Answer> =>
    server().request('POST', `/v1/experiment/${id}/query`, body, { key });

  before(async () => {
    project = await createProject(server());
    shown = await createExperiment(server(), project.id, { public: true });
    hidden = await createExperiment(server(), project.id);
    for (const { id } of [shown, hidden]) {
      for (const input of [1, 2, 3]) {
        const events = [{ id: `${input} of ${id}`, input, scores: { s: input / 4 } }];
        await server().insert(`experiment/${id}`, events);
      }
      await server().request('POST', `/v1/experiment/${id}/feedback`, {
        feedback: [{ id: `1 of ${id}`, comment: 'internal' }],
      });
    }
  });

  it('read the rows, groups and pages of a public experiment, in every format', async () => {
    const page = (
      await ask(shown.id, { query: `select: input | limit: 2 | ${from(shown)}` })
    ).json();
    expect(page['data']).to.deep.equal([{ input: 3 }, { input: 2 }]);
    const next = `select: input | limit: 2 | ${from(shown)} | cursor: '${String(page['cursor'])}'`;
    expect((await ask(shown.id, { query: next })).json()['data']).to.deep.equal([{ input: 1 }]);
    const query = `measures: avg(scores.s) as mean, count(*) as n | ${from(shown)} summary`;
    expect((await ask(shown.id, { query })).json()['data']).to.deep.equal([{ mean: 0.5, n: 3 }]);
    for (const fmt of ['jsonl', 'csv', 'parquet', 'arrow'])
      expect((await ask(shown.id, { query, fmt })).status).to.equal(200);
    const upper = shown.id.toUpperCase();
    expect((await ask(upper, { query: query.replace(shown.id, upper) })).status).to.equal(200);
  });

  it('name no other source, whether there is such an object or not', async () => {
    const dataset = await createDataset(server(), { project_id: project.id });
    const other = await createExperiment(server(), project.id, { public: true });
    for (const source of [
      `experiment('${hidden.id}')`,
      `experiment('${randomUUID()}')`,
      `experiment('${other.id}')`,
      `experiment('${shown.id}', '${hidden.id}')`,
      `experiment('${shown.id}'), project_logs('${project.id}')`,
      `project('${project.id}')`,
      `project_logs('${project.id}')`,
      `project_prompts('${project.id}')`,
      `dataset('${dataset.id}')`,
      `dataset('${shown.id}')`,
      `audit_log('${randomUUID()}')`,
    ]) {
      const [status, text] = await outcome(
        ask(shown.id, { query: `measures: count(*) as n | from: ${source}` }),
      );
      expect([status, text.replace(/column \d+/, 'column N')], source).to.deep.equal([
        400,
        `query line 1, column N: expected the experiment in the path as the only source: experiment('${shown.id}')`,
      ]);
    }
  });

  it('show nothing of what was said about events, and move no rows', async () => {
    const source = `experiment('${shown.id}')`;
    for (const body of [
      { query: `select: comments | from: ${source}` },
      { query: `select: id | from: ${source} | filter: audit is not null` },
      { query: `select: id | from: ${source} | sort: len(comments)` },
      { query: `select: id, c | from: ${source} | unpivot: comments as c` },
      { query: `infer: comments | from: ${source}` },
      { query: `SELECT count(comments) AS n FROM ${source}` },
      {
        query: {
          select: [{ expr: ident('comments', '0'), alias: 'x' }],
          from: {
            op: 'function',
            name: ident('experiment'),
            args: [{ op: 'literal', value: shown.id }],
          },
        },
      },
      { query: `select: id | from: ${source}`, use_columnstore: true },
    ])
      expect(await outcome(ask(shown.id, body)), JSON.stringify(body)).to.deep.equal([401, noKey]);
    for (const query of [`select: * | from: ${source}`, `infer: * | from: ${source}`])
      expect((await ask(shown.id, { query })).text).not.to.include('internal');
    const withKey = await ask(
      shown.id,
      { query: `select: comments | from: ${source}` },
      server().key,
    );
    expect(withKey.text).to.include('internal');
  });

  it('show only fields that a fetch of the experiment has', async () => {
    const source = `experiment('${shown.id}')`;
    for (const clauses of [
      'select: org_id',
      'select: id | filter: org_id is not null',
      'infer: org_id',
      'dimensions: org_id',
    ]) {
      const query = `${clauses} | from: ${source}`;
      expect(await outcome(ask(shown.id, { query })), query).to.deep.equal([401, noKey]);
    }
    const organisation = String(project['org_id']);
    for (const query of [`select: * | from: ${source}`, `infer: * | from: ${source}`]) {
      const [status, text] = await outcome(ask(shown.id, { query }));
      expect(status).to.equal(200);
      expect(text).to.include('input').and.not.to.include('org_id').and.not.include(organisation);
      expect((await ask(shown.id, { query }, server().key)).text).to.include('org_id');
    }
  });

  it('are refused alike for what is not public, deleted, or not there', async () => {
    const gone = await createProject(server());
    const inGone = await createExperiment(server(), gone.id, { public: true });
    await server().request('DELETE', `/v1/project/${gone.id}`);
    for (const id of [hidden.id, randomUUID(), inGone.id, project.id])
      for (const query of [`select: id | from: experiment('${id}')`, 'no query'])
        expect(await outcome(ask(id, { query }))).to.deep.equal([401, noKey]);
  });

  it('end when the experiment is no longer public', async () => {
    const one = await createExperiment(server(), project.id, { public: true });
    const query = `measures: count(*) as n | ${from(one)}`;
    expect((await ask(one.id, { query })).status).to.equal(200);
    await server().request('PATCH', `/v1/experiment/${one.id}`, { public: false });
    expect(await outcome(ask(one.id, { query }))).to.deep.equal([401, noKey]);
  });

  it('do not learn how long other queries take', async () => {
    const query = `select: id | ${from(shown)}`;
    expect((await ask(shown.id, { query })).headers.has('server-timing')).to.equal(false);
    expect((await ask(shown.id, { query }, server().key)).headers.has('server-timing')).to.equal(
      true,
    );
  });
});
