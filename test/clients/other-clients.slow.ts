// An old SDK and the client that is generated from the interface, unmodified, against a server.
import { expect } from 'chai';
import { listObjects } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { runProgram } from './run-program.js';

const nameOf = (event: Json) => (event['span_attributes'] as Json | null)?.['name'];

describe('the SDK of mid-2024', () => {
  const server = sharedServer();
  let result: Json;

  before(async () => {
    const { id: project_id } = await server().post('/v1/project', { name: 'older' });
    const messages = [{ role: 'user', content: 'Hello {{name}}' }];
    const prompt_data = { prompt: { type: 'chat', messages }, options: { model: 'small' } };
    await server().post('/v1/prompt', { project_id, name: 'Answer', slug: 'answer', prompt_data });
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
    const events = (await server().get(`${path}/fetch`))['events'] as readonly Json[];
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
    const { comments } = await server().get(`${path}/feedback`);
    expect((comments as readonly Json[])[0]).to.include({ comment: 'fine' });
  });

  it('loads a prompt', () => {
    expect(result['prompt']).to.deep.nested.include({ 'messages[0].content': 'Hello Ada' });
  });
});

describe('the SDK of mid-2024, in depth', () => {
  const server = sharedServer();
  let result: Json;

  before(async () => {
    ({ result } = await runProgram(server(), 'older-traces'));
  });

  it('runs trials with several scorers, and compares them with the base', async () => {
    const { experimentId } = result['second'] as Json;
    const events = await server().events(`experiment/${String(experimentId)}`);
    const roots = events.filter(({ is_root }) => is_root);
    expect(roots.map(({ input }) => input)).to.have.members([1, 1, 1, 2, 2, 2]);
    for (const root of roots) {
      const inner = events.filter(({ root_span_id }) => root_span_id === root['root_span_id']);
      expect(inner.map(nameOf)).to.include.members(['eval', 'task']);
    }
    expect(result['second']).to.deep.nested.include({
      comparisonExperimentName: 'first',
      'scores.exact': { name: 'exact', score: 1, diff: 1, improvements: 2, regressions: 0 },
      'scores.half': { name: 'half', score: 0.5, diff: 0, improvements: 0, regressions: 0 },
    });
  });

  it('goes on with an experiment, and reads it', async () => {
    const [opened, more] = result['ids'] as readonly [string, string];
    expect(opened)
      .to.equal(more)
      .and.to.equal((result['first'] as Json)['experimentId']);
    expect(result['inputs']).to.have.members([1, 1, 1, 2, 2, 2, 3]);
    const events = await server().events(`experiment/${opened}`);
    const added = events.find(({ input }) => input === 3);
    expect(added).to.deep.include({ output: 4, expected: 4, scores: { exact: 1, human: 1 } });
  });

  it('logs nested and concurrent spans, also under an exported parent', async () => {
    const events = await server().events(`project_logs/${String(result['projectId'])}`);
    const root = events.find((event) => nameOf(event) === 'request')!;
    expect(events).to.have.length(8);
    expect(root).to.deep.include({
      input: 'q',
      output: 'a',
      tags: ['first', 'second'],
      span_id: root['root_span_id'],
    });
    for (const event of events.filter(({ is_root }) => !is_root)) {
      expect(event['root_span_id']).to.equal(root['span_id']);
      const index = (event['metadata'] as Json | null)?.['index'];
      const parent =
        nameOf(event) === 'inner'
          ? events.find((other) => nameOf(other) === `child ${String(index)}`)!
          : root;
      expect(event['span_parents']).to.deep.equal([parent['span_id']]);
    }
    expect(events.map(nameOf)).to.include('elsewhere');
  });
});

describe('the generated client', () => {
  const server = sharedServer();
  let result: Json;

  before(async () => {
    ({ result } = await runProgram(server(), 'generated'));
  });

  it('creates, inserts, fetches, sums up and lists', () => {
    expect(result['greeting']).to.equal('Hello, World!');
    expect(result['events']).to.have.length(1);
    expect(result['summary']).to.deep.nested.include({ 'scores.exact.score': 1 });
    expect(result['listed']).to.deep.equal(['generated']);
  });

  it('changes, reads and deletes objects of every kind, and lists them page by page', async () => {
    for (const kind of ['project', 'experiment', 'dataset', 'prompt'])
      expect((result['kinds'] as Json)[kind]).to.deep.equal({
        changed: `${kind} 2`,
        read: `${kind} 2`,
      });
    const pages = [4, 3, 2, 1, 0].map((index) => `page ${index}`);
    expect(result['pages']).to.deep.equal([...pages, 'experiment 2']);
    expect(result['byIds']).to.deep.equal(['page 3', 'experiment 2']);
    expect(await listObjects(server(), '/v1/prompt')).to.deep.equal([]);
  });

  it('merges and filters events, and gives feedback', () => {
    const [event, ...others] = result['filtered'] as readonly Json[];
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({
      id: 'a',
      input: 1,
      output: 2,
      scores: { exact: 1, human: 0.5 },
      metadata: { model: 'small' },
    });
  });

  it('reads datasets and logs', () => {
    expect((result['records'] as readonly Json[])[0]).to.include({ id: 'r', expected: 2 });
    expect(result['datasetSummary']).to.deep.nested.include({ 'data_summary.total_records': 1 });
    expect((result['logs'] as readonly Json[])[0]).to.include({ id: 'l', input: 'logged' });
  });

  it('replaces groups and ACLs, and the members of groups and roles', () => {
    expect(result['access']).to.deep.equal({
      group: [true, 'second'],
      acl: true,
      members: [],
      created: [{ permission: 'read' }],
      changed: [[{ permission: 'update' }], 1],
    });
  });

  it('is told what is refused', () => {
    expect([result['refused'], result['gone']]).to.deep.equal([400, 403]);
  });
});
