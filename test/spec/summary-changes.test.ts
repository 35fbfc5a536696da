// Summaries asked for again and again while the traces change their shape: from one row each to all else.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';
import { scoreIn, scored, summarize } from '../support/summaries.js';

const child = (root: string, fields: object) => ({
  root_span_id: root,
  span_parents: [root],
  ...fields,
});

const storages = {
  'buffered rows': { EVALSTORE_FLUSH_ROWS: '1000000' },
  'rows in segments': { EVALSTORE_FLUSH_ROWS: '1' },
};

for (const [storage, environment] of Object.entries(storages))
  describe(`summaries of a growing experiment, ${storage}`, () => {
    const server = sharedServer({ environment });
    let id: string;

    const insert = (...events: readonly object[]) => server().insert(`experiment/${id}`, events);

    const accuracy = async () => scoreIn(await summarize(server(), id), 'accuracy');
    const metric = async (name: string) => (await summarize(server(), id)).metrics[name];

    /** 0.25 above on input 1, 0.25 below on input 2. */
    beforeEach(async () => {
      const project = await createProject(server());
      const theirs = await createExperiment(server(), project.id, { name: 'theirs' });
      await server().insert(`experiment/${theirs.id}`, [
        scored('b1', 1, 0.5),
        scored('b2', 2, 0.5),
      ]);
      ({ id } = await createExperiment(server(), project.id, { name: 'ours' }));
      await insert(scored('a1', 1, 0.75), scored('a2', 2, 0.25), scored('a3', 3, 0.5));
      expect(await accuracy()).to.include({
        score: 0.5,
        count: 3,
        diff: 0,
        diff_count: 2,
        improvements: 1,
        regressions: 1,
      });
    });

    it('see a second trial of an input', async () => {
      await insert(scored('a4', 2, 1));
      expect(await accuracy()).to.include({
        score: 0.625,
        count: 4,
        diff: 0.1875,
        improvements: 2,
      });
    });

    it('see an input that was changed to that of another trace', async () => {
      await insert({ id: 'a3', _is_merge: true, input: 2 });
      expect(await accuracy()).to.include({ score: 0.5, count: 3, diff: 0.0625, diff_count: 2 });
    });

    it('see a child row', async () => {
      await insert(child('a2', { scores: { accuracy: 1 } }));
      expect(await accuracy()).to.include({
        score: 0.625,
        count: 3,
        diff: 0.1875,
        improvements: 2,
      });
    });

    it('see a second root, which is earlier', async () => {
      const root = { span_id: 'again', root_span_id: 'a2', input: 'other' };
      await insert({ ...root, created: '2020-01-01T00:00:00Z' });
      expect(await accuracy()).to.include({ score: 0.5, count: 3, diff: 0.25, diff_count: 1 });
    });

    it('see the first error, call, and time of the traces', async () => {
      expect(await metric('errors')).to.include({ metric: 0, diff: 0, improvements: 0 });
      const attributes = { span_attributes: { type: 'llm' }, error: 'failed' };
      const metrics = { start: 10, end: 12, prompt_tokens: 5, completion_tokens: 7 };
      await insert({ id: 'a1', _is_merge: true, ...attributes, metrics });
      expect(await metric('errors')).to.include({ metric: 0.333333333333333, diff: 0.5 });
      expect(await metric('llm_calls')).to.include({ metric: 0.333333333333333, regressions: 1 });
      expect(await metric('tool_calls')).to.include({ metric: 0, diff: 0, regressions: 0 });
      expect(await metric('duration'))
        .to.include({ metric: 2 })
        .and.not.to.have.property('diff');
      expect(await metric('total_tokens')).to.include({ metric: 12 });
    });

    it('of an earlier version stay as they were, also with a filter', async () => {
      const path = `/v1/experiment/${id}/summarize?summarize_scores=true`;
      const before = await server().request('GET', path);
      const version = before.headers.get('x-evalstore-version')!;
      const filtered = async () =>
        (await server().request('GET', `${path}&filter=input%20%3D%201&version=${version}`)).json();
      const some = await filtered();
      expect(some['scores']).to.have.nested.property('accuracy.score', 0.75);
      await insert(scored('a1', 1, 0), { id: 'a2', _object_delete: true });
      const after = await server().request('GET', `${path}&version=${version}`);
      expect(after.json()).to.deep.equal(before.json());
      expect(after.headers.get('x-evalstore-version')).to.equal(version);
      expect(await filtered()).to.deep.equal(some);
      expect(await accuracy()).to.include({ score: 0.25, count: 2 });
      expect(await outcome(server().request('GET', `${path}&version=x`))).to.deep.equal([
        400,
        'version: expected a transaction id of 19 digits or its short form of 16 hex digits, got "x"',
      ]);
    });

    it('see that a row is deleted', async () => {
      await insert({ id: 'a2', _object_delete: true });
      expect(await accuracy()).to.include({ score: 0.625, count: 2, diff: 0.25, diff_count: 1 });
    });
  });
