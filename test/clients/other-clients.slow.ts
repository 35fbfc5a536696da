// An old SDK and the client that is generated from the interface, unmodified, against a server.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { runProgram } from './run-program.js';

type Json = Readonly<Record<string, unknown>>;

describe('the SDK of mid-2024', () => {
  const server = sharedServer();
  let result: Json;

  const get = async (path: string) => (await server().request('GET', path)).json();

  before(async () => {
    const post = async (path: string, body: Json) =>
      (await server().request('POST', path, body)).json();
    const { id: project_id } = await post('/v1/project', { name: 'older' });
    const messages = [{ role: 'user', content: 'Hello {{name}}' }];
    const prompt_data = { prompt: { type: 'chat', messages }, options: { model: 'small' } };
    await post('/v1/prompt', { project_id, name: 'Answer', slug: 'answer', prompt_data });
    ({ result } = await runProgram(server(), 'older'));
  });

  it('iterates a dataset and counts its records', () => {
    const records = result['records'] as readonly Json[];
    expect(
      new Set(records.map(({ id, expected }) => `${String(id)} ${String(expected)}`)),
    ).to.deep.equal(new Set(['r1 2', 'r2 3']));
    expect(result['datasetSummary']).to.deep.nested.include({ 'dataSummary.total_records': 2 });
  });

  it('evaluates, and compares with the run before', () => {
    expect(result['summary']).to.deep.nested.include({
      comparisonExperimentName: 'first',
      'scores.exact': { name: 'exact', score: 1, diff: 1, improvements: 2, regressions: 0 },
    });
  });

  it('logs a trace with feedback', async () => {
    const path = `/v1/project_logs/${String(result['projectId'])}`;
    const events = (await get(`${path}/fetch`))['events'] as readonly Json[];
    const root = events.find(({ id }) => id === result['root']);
    expect(root).to.deep.include({
      input: 'q',
      output: 'a',
      tags: ['first'],
      scores: { human: 1 },
      is_root: true,
    });
    expect(events.find(({ output }) => output === 'inner')).to.deep.include({
      span_parents: [root?.['span_id']],
    });
    const { comments } = await get(`${path}/feedback`);
    expect((comments as readonly Json[])[0]).to.include({ comment: 'fine' });
  });

  it('loads a prompt', () => {
    expect(result['prompt']).to.deep.nested.include({ 'messages[0].content': 'Hello Ada' });
  });
});

describe('the generated client', () => {
  const server = sharedServer();

  it('creates, inserts, fetches, sums up and lists', async () => {
    const { result } = await runProgram(server(), 'generated');
    expect(result['greeting']).to.equal('Hello, World!');
    expect(result['events']).to.have.length(1);
    expect(result['summary']).to.deep.nested.include({ 'scores.exact.score': 1 });
    expect(result['listed']).to.deep.equal(['generated']);
    expect(result['refused']).to.equal(400);
  });
});
