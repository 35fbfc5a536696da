// The published SDK, unmodified, against a server: what `/v1` and `/query` read back of what it did.
import { expect } from 'chai';
import { sharedServer, type Json } from '../support/start-server.js';
import { runProgram, type Ran } from './run-program.js';

const part = (value: Json, ...names: readonly string[]): Json =>
  names.reduce<Json>((inner, name) => inner[name] as Json, value);

const typeOf = (event: Json) => (event['span_attributes'] as Json | null)?.['type'];

const said = (built: Json) => (built['messages'] as readonly Json[])[0]?.['content'];

/** A refusal as the SDK shows it: it asks for JSON, and shows what comes. */
const told = (status: number, words: string, message: string): string =>
  `${status}: ${words} (${message})`;

const notMasked = (field: string): string => `ERROR: Failed to mask field '${field}' - TypeError`;

describe('the SDK', () => {
  const server = sharedServer();

  describe('evaluates', () => {
    let ran: Ran;
    const experiment = (name: string) => part(ran.result, name)['experimentId'] as string;

    before(async () => {
      ran = await runProgram(server(), 'evals');
    });

    it('with trials and several scorers', async () => {
      const events = await server().events(`experiment/${experiment('first')}`);
      const roots = events.filter(({ is_root }) => is_root);
      expect(roots).to.have.length(4);
      for (const root of roots)
        expect(root).to.have.property('expected', (root['input'] as number) + 1);
      const counts = await server().query(
        `dimensions: span_attributes.type as type | measures: count(1) as n | from: experiment('${experiment('first')}')`,
      );
      const byType = Object.fromEntries(counts.map(({ type, n }) => [type, n]));
      expect(byType).to.include({ eval: 4, task: 4, score: 8 });
      const tagged = roots.filter(({ tags }) => JSON.stringify(tags) === '["small"]');
      expect(tagged.map(({ input }) => input)).to.deep.equal([1, 1]);
    });

    it('keeps what its classifiers say', async () => {
      const events = await server().events(`experiment/${experiment('first')}`);
      const roots = events.filter(({ is_root }) => is_root);
      for (const { output, classifications } of roots) {
        const id = output === 2 ? 'even' : 'odd';
        expect(classifications).to.have.nested.property('parity[0].id', id);
      }
    });

    it('compares with a base, and does without one that is not there', async () => {
      const first = experiment('first');
      const second = await server().get(`/v1/experiment/${experiment('second')}`);
      expect(second).to.include({ base_exp_id: first });
      expect(part(ran.result, 'second', 'scores', 'exact')).to.deep.equal({
        name: 'exact',
        score: 1,
        diff: 0.5,
        improvements: 1,
        regressions: 0,
      });
      expect(part(ran.result, 'second')).to.include({ comparisonExperimentName: 'first' });
      expect(part(ran.result, 'third')['experimentName']).to.match(/^second-[0-9a-f]{8}$/);
      expect(part(ran.result, 'third')).to.include({ comparisonExperimentName: 'second' });
    });

    it('keeps its metadata', async () => {
      const { metadata } = await server().get(`/v1/experiment/${experiment('first')}`);
      expect(metadata).to.deep.equal({ model: 'm' });
    });
  });

  describe('logs', () => {
    let events: readonly Json[];
    let projectId: string;
    let root: Json;
    const named = (name: string) =>
      events.filter(({ span_attributes }) => (span_attributes as Json)['name'] === name);

    before(async () => {
      const { result } = await runProgram(server(), 'logger');
      projectId = result['projectId'] as string;
      events = await server().events(`project_logs/${projectId}`);
      root = events.find(({ id }) => id === result['root'])!;
    });

    it('nested and concurrent spans as one trace', () => {
      expect(new Set(events.map(({ root_span_id }) => root_span_id)).size).to.equal(1);
      expect(events.filter(({ is_root }) => is_root)).to.deep.equal([root]);
      for (const index of [0, 1, 2]) {
        const [child] = named(`child ${index}`);
        expect(child).to.deep.include({
          output: index,
          scores: { good: index / 2 },
          span_parents: [root['span_id']],
        });
        expect(typeOf(child!)).to.equal('llm');
        const inner = named('inner').find(({ metadata }) => (metadata as Json)['index'] === index);
        expect(inner).to.deep.include({ span_parents: [child!['span_id']] });
      }
    });

    it('a span that goes on elsewhere, under the parent that was exported', () => {
      const [elsewhere] = named('elsewhere');
      expect(elsewhere).to.deep.include({ input: 'later', span_parents: [root['span_id']] });
    });

    it('updates, and tags of several flushes', () => {
      expect(root).to.deep.include({ input: 'question', output: 'answer' });
      expect(root['metadata']).to.deep.equal({ late: true });
      expect(root['tags']).to.deep.equal(['first', 'second', 'reviewed']);
    });

    it('feedback and a comment', async () => {
      expect(root).to.deep.include({ scores: { human: 0.5 }, expected: 'better' });
      const said = await server().get(`/v1/project_logs/${projectId}/feedback`);
      expect((said['comments'] as readonly Json[])[0]).to.include({
        comment: 'fine',
        source: 'app',
      });
      const [entry] = said['audit'] as readonly Json[];
      expect(entry).to.deep.include({ source: 'app', metadata: { user: 'u1' } });
      const rows = await server().query(
        `select: id | from: project_logs('${projectId}') | filter: scores.human = 0.5`,
      );
      expect(rows).to.deep.equal([{ id: root['id'] }]);
    });
  });

  it('masks what it logs, and says what it could not mask', async () => {
    const { result } = await runProgram(server(), 'masking');
    const [event] = await server().events(`project_logs/${String(result['projectId'])}`);
    expect(event).to.deep.include({
      input: 'the ***',
      output: notMasked('output'),
      metadata: { error: notMasked('metadata') },
      context: { error: notMasked('context') },
      error: notMasked('metrics'),
    });
  });

  describe('keeps datasets', () => {
    let result: Json;

    before(async () => {
      ({ result } = await runProgram(server(), 'datasets'));
    });

    it('that it updates, deletes from and sums up', async () => {
      const [, changed] = part(result, 'snapshots')['made'] as readonly [Json, Json];
      const search = `version=${String(changed['xact_id'])}`;
      const path = `/v1/dataset/${String(result['datasetId'])}/fetch?${search}`;
      const records = (await server().get(path))['events'] as readonly Json[];
      expect(new Set(records.map(({ id }) => id))).to.deep.equal(new Set(['r1', 'r3']));
      const r1 = records.find(({ id }) => id === 'r1');
      expect(r1).to.deep.include({ input: { q: 1 }, metadata: { a: 1, b: 2 }, tags: ['t'] });
      expect(part(result, 'summary', 'dataSummary')).to.deep.include({ totalRecords: 2 });
    });

    it('whose snapshots it lists, renames and deletes', () => {
      const { made, listed, renamed, deleted } = part(result, 'snapshots');
      const [snapshot, changed] = made as readonly [Json, Json];
      expect(snapshot).to.include({ name: 'snap', description: 'two records' });
      expect(listed).to.deep.equal([changed, snapshot]);
      expect(renamed).to.deep.equal({ ...snapshot, name: 'renamed' });
      expect(deleted).to.deep.equal(renamed);
    });

    it('that it brings back to a version', async () => {
      expect(result['preview']).to.deep.equal({ rows_to_restore: 2, rows_to_delete: 1 });
      expect(result['restored']).to.deep.include({ rows_restored: 2, rows_deleted: 1 });
      const records = await server().events(`dataset/${String(result['datasetId'])}`);
      expect(new Set(records.map(({ id }) => id))).to.deep.equal(new Set(['r1', 'r2']));
    });
  });

  describe('reads datasets', () => {
    let result: Json;

    before(async () => {
      ({ result } = await runProgram(server(), 'iteration'));
    });

    it('as they are, and as of a snapshot', () => {
      for (const [when, ids] of [
        ['before', ['r1', 'r2']],
        ['after', ['r1', 'r3']],
      ] as const) {
        const records = result[when] as readonly Json[];
        expect(new Set(records.map(({ id }) => id)), when).to.deep.equal(new Set(ids));
      }
    });

    it('to evaluate on them, with the origin of each input', async () => {
      const id = String(result['experimentId']);
      const events = await server().events(`experiment/${id}`);
      const origins = events.filter(({ is_root }) => is_root).map(({ origin }) => origin as Json);
      expect(new Set(origins.map((origin) => origin['id']))).to.deep.equal(new Set(['r1', 'r3']));
      expect(origins[0]).to.include({ object_type: 'dataset', object_id: result['datasetId'] });
      const { dataset_id, dataset_version } = await server().get(`/v1/experiment/${id}`);
      expect(dataset_id).to.equal(result['datasetId']);
      expect(dataset_version).to.match(/^\d{19}$/);
    });

    it('to log on them, with the record of each input', async () => {
      const [event] = await server().events(`experiment/${String(result['loggedId'])}`);
      expect(event).to.include({ dataset_record_id: 'r1', output: 2 });
    });
  });

  it('goes on with an experiment, reads one, and knows its base', async () => {
    const { result } = await runProgram(server(), 'experiments');
    const [first, ...others] = result['ids'] as readonly string[];
    expect(others).to.deep.equal([first, first]);
    const events = await server().events(`experiment/${first}`);
    expect(new Set(events.map(({ id }) => id))).to.deep.equal(new Set(['a', 'b', 'c']));
    expect(events.find(({ id }) => id === 'a')).to.deep.include({ scores: { exact: 1, human: 1 } });
    expect(result['base']).to.deep.equal({ id: first, name: 'first' });
    expect(part(result, 'summary', 'scores', 'exact')).to.include({ diff: 1, improvements: 1 });
    const second = await server().get(`/v1/experiment/${String(result['second'])}`);
    expect(second).to.include({ commit: 'c0ffee', base_exp_id: first });
    expect(result['third']).to.match(/^[0-9a-f-]{36}$/);
    expect(result['missing']).to.match(/^Experiment missing not found in project/);
  });

  it('publishes prompts, and loads them as they are and as they were', async () => {
    const { result } = await runProgram(server(), 'prompts');
    expect(said(part(result, 'first', 'built'))).to.equal('Hello Ada');
    expect(said(part(result, 'second', 'built'))).to.equal('Goodbye Ada');
    expect(said(part(result, 'past', 'built'))).to.equal('Hello Ada');
    expect(said(part(result, 'byId'))).to.equal('Hello Ada');
    expect(part(result, 'second')).to.include({ id: part(result, 'first')['id'] });
    expect(part(result, 'parameters', 'data')).to.deep.equal({ depth: 3 });
  });

  it('is told what the server does not have', async () => {
    const { result } = await runProgram(server(), 'unbuilt');
    const noFunctions = told(
      404,
      'Not Found',
      'POST /function/invoke: this server does not run functions',
    );
    expect(result['told']).to.deep.equal({
      run: noFunctions,
      thread: noFunctions,
      sandbox: told(
        404,
        'Not Found',
        'POST /function/sandbox-list: this server does not run functions',
      ),
      prompt: told(
        400,
        'Bad Request',
        "environment: environments are not supported: ask for a version with 'version', or leave it out for the latest",
      ),
      dataset: told(
        404,
        'Not Found',
        'GET /environment-object/:kind/:object/:name: environments are not supported',
      ),
      publish: told(
        400,
        'Bad Request',
        'functions[0].environments: environments are not supported',
      ),
      tool: told(
        400,
        'Bad Request',
        'functions[0].prompt_data.tool_functions[0]: no function with the slug "search" that this key may use',
      ),
    });
  });
});
