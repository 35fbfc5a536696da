// The numbers of experiment summaries, computed by hand, wherever the rows are stored.
import { expect } from 'chai';
import path from 'node:path';
import { readdir } from 'node:fs/promises';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { scoreIn, scored, summarize, trace, type Summary } from '../support/summaries.js';
import { waitUntil } from '../support/wait-until.js';

let children = 0;

const child = (root: string, type: string, fields: object = {}, purpose?: string) => ({
  span_id: `${root}-${(children += 1)}`,
  root_span_id: root,
  span_parents: [root],
  span_attributes: { type, purpose },
  ...fields,
});

const timed = (span: string, input: unknown, seconds: number) =>
  trace(span, input, { metrics: { start: 1000, end: 1000 + seconds, cost: seconds } });

const at = (span: string, input: unknown, time: number) =>
  trace(span, input, { metrics: { time } });

const trials = (values: readonly number[], of: string) =>
  values.map((value, index) => scored(`${of}${index}`, 'same', value));

const secondRoot = (root: string, input: unknown, created: string) => ({
  id: `${root} again`,
  span_id: `${root} again`,
  root_span_id: root,
  input,
  created,
});

const metric = (name: string, value: number, unit = '') => ({
  name,
  metric: value,
  unit,
  improvements: 0,
  regressions: 0,
});

const storages = {
  'buffered rows': { EVALSTORE_FLUSH_ROWS: '1000000' },
  'rows in segments': { EVALSTORE_FLUSH_ROWS: '1' },
};

for (const [storage, environment] of Object.entries(storages))
  describe(`numbers of an experiment summary, ${storage}`, () => {
    const server = sharedServer({ environment });
    const inSegments = environment.EVALSTORE_FLUSH_ROWS === '1';

    const segments = async () =>
      (await readdir(path.join(server().dir, 'segments'), { recursive: true })).filter((file) =>
        file.endsWith('.parquet'),
      );

    /** The summary of the first, compared with the second. */
    async function compare(ours: readonly object[], theirs: readonly object[]): Promise<Summary> {
      const project = await createProject(server());
      const first = await createExperiment(server(), project.id, { name: 'theirs' });
      const second = await createExperiment(server(), project.id, { name: 'ours' });
      if (theirs.length > 0) await server().insert(`experiment/${first.id}`, theirs);
      const before = new Set(await segments());
      await server().insert(`experiment/${second.id}`, ours);
      if (inSegments) {
        const isNew = (file: string) => !before.has(file);
        await waitUntil('a new segment', async () => (await segments()).some(isNew));
      }
      return summarize(server(), second.id);
    }

    it('are those of scores on child rows, with trials and inputs that only one of them has', async () => {
      const summary = await compare(
        [
          trace('a1', { q: 1, k: 'x' }),
          child('a1', 'score', { scores: { accuracy: 1 } }),
          child('a1', 'score', { scores: { accuracy: 0 } }),
          child('a1', 'llm', { scores: { accuracy: null } }),
          trace('a2', { k: 'x', q: 1 }),
          child('a2', 'score', { scores: { accuracy: 0.9 } }),
          scored('a3', { q: 1, k: 'x' }, 0.1),
          scored('a4', 2, 1),
          scored('a5', 'three', 0.2),
          scored('a6', null, 0),
          scored('a7', 'only ours', 0.3),
          scored('a8', [4], null),
        ],
        [
          scored('b1', { q: 1, k: 'x' }, 0.4),
          scored('b2', { k: 'x', q: 1 }, 0.2),
          scored('b4', 2, 0.5),
          scored('b5', 'three', 0.6),
          scored('b6', null, 1),
          scored('b7', 'only theirs', 1),
          scored('b8', [4], 1),
        ],
      );
      expect(summary['comparison_experiment_name']).to.equal('theirs');
      expect(Object.keys(summary.scores)).to.deep.equal(['accuracy']);
      // Traces 0.5, 0.9, 0.1, 1, 0.2, 0, 0.3; buckets 0.5 - 0.3, 1 - 0.5, 0.2 - 0.6.
      const { score, diff, stddev, diff_low, diff_high, ...rest } = scoreIn(summary, 'accuracy');
      expect(rest).to.deep.equal({
        name: 'accuracy',
        improvements: 2,
        regressions: 1,
        count: 7,
        diff_count: 3,
      });
      expect(score).to.be.closeTo(3 / 7, 1e-12);
      expect(stddev).to.be.closeTo(Math.sqrt((2.2 - 9 / 7) / 6), 1e-12);
      expect(diff).to.be.closeTo(0.1, 1e-12);
      // 4.302653 is t(0.975, 2), from a table.
      const reach = (4.302653 * Math.sqrt(0.42 / 2)) / Math.sqrt(3);
      expect(diff_low).to.be.closeTo(0.1 - reach, 1e-6);
      expect(diff_high).to.be.closeTo(0.1 + reach, 1e-6);
    });

    it('are metrics of traces, without the rows of scorers', async () => {
      const { metrics } = await compare(
        [
          trace('t1', 1, {
            metrics: { start: 100, end: 120, prompt_tokens: 1000, cost: 0.5, note: 'text' },
          }),
          child('t1', 'task', { metrics: { start: 101, end: 104 } }),
          child('t1', 'task', { metrics: { start: 103, end: 109 } }),
          child('t1', 'task', { metrics: { start: 50 } }),
          child('t1', 'llm', { metrics: { prompt_tokens: 10, completion_tokens: 5, cost: 1.5 } }),
          child('t1', 'llm', { metrics: { prompt_tokens: 3, total_tokens: 7 } }),
          child('t1', 'tool', { error: 'failed' }),
          child('t1', 'task', { metrics: { start: 1, end: 900 } }, 'scorer'),
          child('t1', 'llm', { metrics: { prompt_tokens: 500, cost: 9 }, error: 'x' }, 'scorer'),
          trace('t2', 2, { metrics: { start: 200, end: 204, prompt_tokens: 20, tokens: 30 } }),
          child('t2', 'function', { metrics: { prompt_tokens: 5 } }),
        ],
        [],
      );
      expect(metrics).to.deep.equal({
        cost: metric('cost', 1),
        duration: metric('duration', (8 + 4) / 2, 's'),
        prompt_tokens: metric('prompt_tokens', (13 + 25) / 2, 'tok'),
        completion_tokens: metric('completion_tokens', 5, 'tok'),
        total_tokens: metric('total_tokens', (15 + 7 + 30) / 2, 'tok'),
        llm_calls: metric('llm_calls', 1),
        tool_calls: metric('tool_calls', 0.5),
        errors: metric('errors', 0.5),
      });
    });

    it('count lower metrics as better', async () => {
      const { metrics } = await compare(
        [timed('a1', 1, 1), timed('a2', 2, 2), timed('a3', 3, 3)],
        [timed('b1', 1, 3), timed('b2', 2, 2), timed('b3', 3, 2)],
      );
      for (const [name, unit] of [
        ['duration', 's'],
        ['cost', ''],
      ] as const)
        expect(metrics[name]).to.deep.equal({
          name,
          metric: 2,
          unit,
          diff: -0.333333333333333,
          improvements: 1,
          regressions: 1,
        });
      expect(metrics['errors']).to.include({ metric: 0, diff: 0, improvements: 0, regressions: 0 });
    });

    it('have no difference when nothing is comparable', async () => {
      const { scores, score_stats, metrics } = await compare(
        [scored('a', 1, 0.5)],
        [scored('b', 2, 1)],
      );
      expect(scores).to.deep.equal({
        accuracy: { name: 'accuracy', score: 0.5, improvements: 0, regressions: 0 },
      });
      expect(score_stats).to.deep.equal({ accuracy: { count: 1, diff_count: 0 } });
      expect(Object.keys(metrics).sort()).to.deep.equal(['errors', 'llm_calls', 'tool_calls']);
      expect(metrics['errors']).not.to.have.property('diff');
    });

    it('have no interval of one difference, and none of its deviation', async () => {
      const { scores, score_stats } = await compare([scored('a', 1, 0.5)], [scored('b', 1, 1)]);
      const changes = { improvements: 0, regressions: 1 };
      expect(scores['accuracy']).to.deep.equal({
        name: 'accuracy',
        score: 0.5,
        diff: -0.5,
        ...changes,
      });
      expect(score_stats['accuracy']).to.deep.equal({ count: 1, diff_count: 1 });
    });

    it('take equal trials in another order for equal', async () => {
      const values = [0.1, 0.2, 0.3, 0.7, 0.6];
      const { scores } = await compare(trials(values, 'a'), trials(values.toReversed(), 'b'));
      expect(scores['accuracy']).to.include({ diff: 0, improvements: 0, regressions: 0 });
    });

    it('show small differences between large numbers, in traces and in trials', async () => {
      for (const [ours, theirs] of [
        [[at('a', 1, 1795333730.199)], [at('b', 1, 1795333730.2)]],
        [
          [at('a', 1, 1795333730.199), at('a again', 1, 1795333730.199)],
          [at('b', 1, 1795333730.2), at('b again', 1, 1795333730.2)],
        ],
      ] as const) {
        const { diff, improvements } = (await compare(ours, theirs)).metrics['time'] ?? {};
        expect(diff).to.be.closeTo(-0.001, 1e-6);
        expect(improvements).to.equal(1);
      }
    });

    it('are those of the greatest doubles and integers, without rounding', async () => {
      const values = { double: 1.7976931348623157e308, integer: 9007199254740991, third: 1 / 3 };
      const { metrics } = await compare([trace('a', 1, { metrics: values })], []);
      expect(metrics['double']).to.include({ metric: 1.7976931348623157e308 });
      expect(metrics['integer']).to.include({ metric: 9007199254740991 });
      expect(metrics['third']).to.include({ metric: 0.333333333333333 });
    });

    it('match by the earliest root, and leave out traces without one', async () => {
      const early = '2024-01-01T00:00:00Z';
      const late = '2024-01-02T00:00:00Z';
      const summary = await compare(
        [
          { ...scored('a1', 'counts', 1), created: early },
          secondRoot('a1', 'other', late),
          { ...scored('a2', 'other', 1), created: late },
          secondRoot('a2', null, early),
          child('a3', 'task', { input: 'rootless', scores: { accuracy: 1 } }),
        ],
        [scored('b1', 'counts', 0.5), scored('b2', 'other', 0.5), scored('b3', 'rootless', 0.5)],
      );
      expect(scoreIn(summary, 'accuracy')).to.include({
        score: 1,
        count: 3,
        diff: 0.5,
        diff_count: 1,
      });
    });

    it('have scores of any name', async () => {
      const names = ['a.b', '*', '', 'say "hi"', '__proto__', '7'];
      const scores = `{${names.map((name, index) => `${JSON.stringify(name)}:${index}`).join()}}`;
      const event = `{"events":[{"input":1,"scores":${scores}}]}`;
      const project = await createProject(server());
      const { id } = await createExperiment(server(), project.id);
      await server().request('POST', `/v1/experiment/${id}/insert`, event);
      const found = Object.entries((await summarize(server(), id)).scores);
      expect(new Map(found.map(([name, { score }]) => [name, score]))).to.deep.equal(
        new Map([...names.entries()].map(([index, name]) => [name, index])),
      );
    });

    it('leave out the numbers of a trace that are too great for a double', async () => {
      const project = await createProject(server());
      const { id } = await createExperiment(server(), project.id);
      const insert = (...events: readonly string[]) =>
        server().request('POST', `/v1/experiment/${id}/insert`, `{"events":[${events.join()}]}`);
      await insert(
        '{"input":1,"metrics":{"total_tokens":1e400,"cost":1e400}}',
        '{"span_id":"b","root_span_id":"b","input":2,"metrics":{"total_tokens":5,"cost":3,"start":1,"end":3}}',
        '{"input":3,"metrics":{"start":-1e308,"end":1e308}}',
      );
      const means = async () => {
        const { metrics } = await summarize(server(), id);
        return ['total_tokens', 'cost', 'duration'].map((name) => metrics[name]?.metric);
      };
      expect(await means()).to.deep.equal([5, 3, 2]);
      await insert('{"root_span_id":"b","span_parents":["b"],"metrics":{"total_tokens":1}}');
      expect(await means()).to.deep.equal([6, 3, 2]);
    });

    it('have no score that only the other experiment has, also if it is named like a metric', async () => {
      const names = ['errors', 'llm_calls', 'tool_calls'];
      const named = Object.fromEntries(names.map((name) => [name, 1]));
      const { scores, metrics } = await compare(
        [scored('a', 1, 1)],
        [trace('b', 1, { scores: named })],
      );
      expect(Object.keys(scores)).to.deep.equal(['accuracy']);
      expect(Object.keys(metrics).sort()).to.deep.equal(names);
    });

    it('survive numbers that are too great to be squared', async () => {
      const summary = await compare([scored('a', 1, 1e300), scored('b', 2, -1e300)], []);
      expect(scoreIn(summary, 'accuracy'))
        .to.include({ score: 0, count: 2 })
        .and.not.to.have.any.keys('stddev');
    });
  });
