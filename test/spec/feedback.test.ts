// What is said about events after the fact: rules, storage, queries, versions.
import { expect } from 'chai';
import { shortXactId } from '../support/short-xact-id.js';
import { feedbackClient, feedbackStorages } from '../support/feedback.js';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { sharedServer, startServer, type Json } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const span = (name: string, root: string | null) => ({
  id: name,
  span_id: name,
  ...(root === null ? {} : { root_span_id: root, span_parents: [root] }),
});

for (const [where, environment] of Object.entries(feedbackStorages))
  describe(`feedback, rows ${where}`, () => {
    const server = sharedServer({ environment });
    let projectId: string;

    before(async () => {
      projectId = (await createProject(server())).id;
    });

    const newExperiment = async () => (await createExperiment(server(), projectId)).id;

    const { write, listed } = feedbackClient(server);
    const insert = (id: string, ...events: readonly object[]) =>
      server().insert(`experiment/${id}`, events);
    const say = (id: string, ...feedback: readonly object[]) =>
      write(`/v1/experiment/${id}/feedback`, { feedback });
    const fetched = (id: string, search?: string) => server().events(`experiment/${id}`, search);
    const commentsOf = async (id: string, parameters = '') =>
      (await listed(id, parameters)).comments.map(({ comment }) => comment);

    describe('on an event', () => {
      it('merges scores by name and replaces expected and tags, as a new version', async () => {
        const id = await newExperiment();
        const old = { scores: { a: 0.1, b: 0.2 }, expected: { x: 1 }, tags: ['t', 'u'] };
        const before = await insert(id, { id: 'e', input: 'in', metadata: { m: 1 }, ...old });
        const after = await say(id, {
          id: 'e',
          scores: { b: true, c: null },
          expected: { y: 2 },
          tags: ['v'],
          metadata: { reviewer: 'r' },
          source: 'app',
        });
        const [event, ...others] = await fetched(id);
        expect(others).to.deep.equal([]);
        expect(event).to.deep.include({
          _xact_id: after,
          input: 'in',
          metadata: { m: 1 },
          scores: { a: 0.1, b: 1, c: null },
          expected: { y: 2 },
          tags: ['v'],
        });
        expect((await fetched(id, `?version=${before}`))[0]).to.deep.include(old);
      });

      it('scores by any name, also those that a merge of the client leaves out', async () => {
        const id = await newExperiment();
        await insert(id, { id: 'e', scores: { a: 1 } });
        const scores = '"scores":{"__proto__":0.5,"constructor":0.25,"prototype":true}';
        await write(
          `/v1/experiment/${id}/feedback`,
          `{"feedback":[{"id":"e",${scores},"metadata":{"__proto__":1}}]}`,
        );
        const path = `/v1/experiment/${id}`;
        expect((await server().request('GET', `${path}/fetch`)).text).to.contain(
          '"scores":{"a":1,"__proto__":0.5,"constructor":0.25,"prototype":1}',
        );
        const said = (await server().request('GET', `${path}/feedback`)).text;
        expect(said).to.contain(scores).and.to.contain('"metadata":{"__proto__":1}');
        await insert(id, { id: 'e', _is_merge: true, scores: { constructor: 0.75, b: 0 } });
        expect((await server().request('GET', `${path}/fetch`)).text).to.contain(
          '"scores":{"a":1,"__proto__":0.5,"constructor":0.25,"prototype":1,"b":0}',
        );
      });

      it('keeps what was said and who said it in comments and audit entries', async () => {
        const id = await newExperiment();
        await insert(id, { id: 'e' });
        const version = await say(id, {
          id: 'e',
          comment: 'too long',
          scores: { brief: 0 },
          metadata: { reviewer: 'r' },
          source: 'app',
        });
        const { comments, audit } = await listed(id, '?event_id=e');
        const [comment] = comments;
        const [entry] = audit;
        const { id: commentId, created, user_id } = comment as { id: string } & Json;
        const common = { _xact_id: version, created, event_id: 'e', user_id, source: 'app' };
        expect(comments).to.deep.equal([{ id: commentId, ...common, comment: 'too long' }]);
        expect(audit).to.deep.equal([
          {
            id: entry?.['id'],
            ...common,
            metadata: { reviewer: 'r' },
            changes: { scores: { brief: 0 } },
            comment_id: commentId,
          },
        ]);
        expect(new Date(created as string).toISOString().slice(0, 19)).to.equal(
          (created as string).slice(0, 19),
        );
        const text = `select: comments, audit | from: experiment("${id}")`;
        expect(await server().query(text)).to.deep.equal([{ comments, audit }]);
      });

      it('of a comment alone makes no version, and its source is "api" unless sent', async () => {
        const id = await newExperiment();
        const before = await insert(id, { id: 'e', scores: { a: 1 } });
        await say(id, { id: 'e', comment: 'c', scores: null, expected: null, tags: null });
        expect((await fetched(id))[0]).to.deep.include({ _xact_id: before, scores: { a: 1 } });
        const { audit } = await listed(id);
        expect(audit).to.have.length(1);
        expect(audit[0]).to.deep.include({ source: 'api', metadata: null, changes: {} });
      });

      it('takes several items about one event in one request, in their order', async () => {
        const id = await newExperiment();
        await insert(id, { id: 'e' }, { id: 'f' });
        const items = [
          { id: 'e', comment: '1', scores: { a: 1 } },
          { id: 'f', comment: '2', tags: ['f'] },
          { id: 'e', comment: '3', scores: { b: 1 } },
        ];
        const version = await say(id, ...items);
        await say(id, { id: 'e', comment: '4' });
        const events = new Map((await fetched(id)).map((event) => [event['id'], event]));
        expect(events.get('e')).to.deep.include({ _xact_id: version, scores: { a: 1, b: 1 } });
        expect(events.get('f')).to.deep.include({ _xact_id: version, tags: ['f'] });
        expect(await commentsOf(id)).to.deep.equal(['1', '2', '3', '4']);
        expect(await commentsOf(id, '?event_id=e')).to.deep.equal(['1', '3', '4']);
      });

      it('keeps exact numbers and the order of keys', async () => {
        const id = await newExperiment();
        await insert(id, { id: 'e' }, { id: 'f' });
        const exact = '{"b":12345678901234567890,"10":1,"2":0.1000000000000000055511151231257827}';
        const body = `{"feedback":[{"id":"e","metadata":${exact},"expected":${exact}},{"id":"f","comment":"c","metadata":${exact}}]}`;
        await write(`/v1/experiment/${id}/feedback`, body);
        const answers = [
          await server().request('GET', `/v1/experiment/${id}/feedback`),
          await server().request('POST', '/query', {
            query: `select: audit, expected, audit[0].metadata as m | sort: id | from: experiment("${id}")`,
          }),
        ];
        expect(answers[0]?.text).to.include(`"metadata":${exact},"changes":{"expected":${exact}}`);
        expect(answers[1]?.text).to.include(`"changes":{"expected":${exact}}`);
        expect(answers[1]?.text).to.include(`"expected":${exact},"m":${exact}`);
        expect(answers[1]?.text).to.include(`"expected":null,"m":${exact}`);
      });

      it('is not an event of its own', async () => {
        const id = await newExperiment();
        await insert(id, { id: 'e', scores: { a: 1 } });
        await say(id, { id: 'e', comment: 'c', scores: { a: 0.5 } });
        const count = 'measures: count(1) as n, avg(scores.a) as a';
        expect(await server().query(`${count} | from: experiment("${id}")`)).to.deep.equal([
          { n: 1, a: 0.5 },
        ]);
        const inProject = await server().query(
          `select: id | from: project("${projectId}") | filter: experiment_id = "${id}"`,
        );
        expect(inProject).to.deep.equal([{ id: 'e' }]);
      });
    });

    describe('in queries', () => {
      let id: string;

      before(async () => {
        id = await newExperiment();
        await insert(id, span('r', null), span('c', 'r'), span('s', null));
        await say(id, { id: 'r', comment: 'one' }, { id: 'r', comment: 'two' });
        await say(id, { id: 'c', comment: 'child', metadata: { k: 'v' } });
      });

      const ask = (text: string) => server().query(`${text} | from: experiment("${id}")`);

      it('can be selected, filtered, sorted and counted', async () => {
        expect(
          await ask('select: id, len(comments) as n, audit[-1].metadata.k as k | sort: id'),
        ).to.deep.equal([
          { id: 'c', n: 1, k: 'v' },
          { id: 'r', n: 2, k: null },
          { id: 's', n: null, k: null },
        ]);
        expect(await ask('select: id | filter: comments is null')).to.deep.equal([{ id: 's' }]);
        expect(await ask("select: id | filter: comments[1].comment = 'two'")).to.deep.equal([
          { id: 'r' },
        ]);
        expect(await ask("select: id | filter: comments ilike 'CHILD'")).to.deep.equal([
          { id: 'c' },
        ]);
        expect(await ask('measures: sum(len(comments)) as n')).to.deep.equal([{ n: 3 }]);
      });

      it('can be unpivoted: a row for each comment', async () => {
        const rows = await ask(
          'select: id, said.comment as said | unpivot: comments as said | sort: id, said desc',
        );
        expect(rows).to.deep.equal([
          { id: 'c', said: 'child' },
          { id: 'r', said: 'two' },
          { id: 'r', said: 'one' },
        ]);
        const grouped = 'dimensions: id | measures: count(said) as n, max(said.created) as last';
        const [, { last, ...counts } = {}] = await ask(`${grouped} | unpivot: comments as said`);
        expect(counts).to.deep.equal({ id: 'r', n: 2 });
        expect(Date.parse(String(last))).to.be.at.most(Date.now());
        const keys = 'select: key, value | unpivot: comments as entry, entry as (key, value)';
        expect(await ask(`${keys} | filter: id = "c" and key = "comment"`)).to.deep.equal([
          { key: 'comment', value: 'child' },
        ]);
      });

      it('is that of the rows, or of the root, that the shape shows', async () => {
        const source = `from: experiment("${id}")`;
        const filter = "filter: comments[0].comment = 'child'";
        const traces = `select: id | ${source} traces | ${filter} | sort: id`;
        expect(await server().query(traces)).to.deep.equal([{ id: 'c' }, { id: 'r' }]);
        const summary = `select: id, len(comments) as n | ${source} summary | ${filter}`;
        expect(await server().query(summary)).to.deep.equal([{ id: 'r', n: 2 }]);
      });

      it('is not part of all fields, and not of a fetch', async () => {
        const [row] = await ask('select: * | filter: id = "r"');
        expect(row).not.to.have.any.keys('comments', 'audit');
        expect((await fetched(id))[0]).not.to.have.any.keys('comments', 'audit');
      });

      it('can be null for every event', async () => {
        const other = await newExperiment();
        await insert(other, { id: 'e' });
        expect(
          await server().query(`select: comments, audit | from: experiment("${other}")`),
        ).to.deep.equal([{ comments: null, audit: null }]);
        expect(await listed(other)).to.deep.equal({ comments: [], audit: [] });
        expect(await listed(other, '?event_id=nobody')).to.deep.equal({ comments: [], audit: [] });
      });
    });

    it('under a version is as it was then', async () => {
      const id = await newExperiment();
      const none = await insert(id, { id: 'e' }, { id: 'f' });
      const first = await say(id, { id: 'e', comment: 'first' }, { id: 'f', comment: 'other' });
      const second = await say(id, { id: 'e', comment: 'second', scores: { a: 1 } });
      const gone = await insert(id, { id: 'e', _object_delete: true });
      const back = await insert(id, { id: 'e' });
      const last = await say(id, { id: 'e', comment: 'third' });
      const anew = await insert(id, { id: 'e', _object_delete: true }, { id: 'e' });
      const again = await say(id, { id: 'e', comment: 'fourth' });
      const expected: readonly (readonly [string, readonly string[] | null, number])[] = [
        [none, null, 0],
        [first, ['first'], 2],
        [second, ['first', 'second'], 3],
        [back, null, 1],
        [last, ['third'], 2],
        [anew, null, 1],
        [again, ['fourth'], 2],
      ];
      for (const [version, comments, all] of expected)
        for (const spelling of [version, shortXactId(BigInt(version))]) {
          const text = `select: comments | from: experiment("${id}") | filter: id = "e"`;
          const [row] = await server().query(text, { version: spelling });
          const found = row?.['comments'] as readonly Json[] | null;
          expect(found?.map(({ comment }) => comment) ?? null).to.deep.equal(comments);
          const parameters = `?event_id=e&version=${spelling}`;
          expect(await commentsOf(id, parameters)).to.deep.equal(comments ?? []);
          expect(await commentsOf(id, `?version=${spelling}`)).to.have.length(all);
        }
      expect(await commentsOf(id, `?version=${gone}`)).to.deep.equal(['other']);
    });

    it('of every version of an event is the current one, and deletions have none', async () => {
      const id = await newExperiment();
      await insert(id, { id: 'e', input: 1 });
      await say(id, { id: 'e', comment: 'one' });
      await insert(id, { id: 'e', _object_delete: true });
      await insert(id, { id: 'e', input: 2 });
      await insert(id, { id: 'e', input: 3 });
      await say(id, { id: 'e', comment: 'two' });
      const read = (clauses: string) =>
        server().query(`${clauses} | from: experiment("${id}") versions`);
      const columns = 'input, comments[0].comment as said, audit is null as silent';
      expect(await read(`select: ${columns}`)).to.deep.equal([
        { input: 3, said: 'two', silent: false },
        { input: 2, said: 'two', silent: false },
        { input: null, said: null, silent: true },
        { input: 1, said: 'two', silent: false },
      ]);
      const unsaid = 'measures: count(*) as n | filter: comments is null';
      expect(await read(unsaid)).to.deep.equal([{ n: 1 }]);
    });

    for (const kind of ['project_logs', 'dataset'] as const)
      it(`is given to ${kind} in the same way`, async () => {
        const object =
          kind === 'dataset' ? await createDataset(server()) : await createProject(server());
        const path = `/v1/${kind}/${object.id}`;
        await write(`${path}/insert`, { events: [{ id: 'e', expected: 1 }] });
        const item = kind === 'dataset' ? {} : { scores: { a: 1 }, expected: 2 };
        const feedback = [{ id: 'e', comment: 'c', tags: ['t'], ...item }];
        const version = await write(`${path}/feedback`, { feedback });
        const events = (await server().get(`${path}/fetch`))['events'] as Json[];
        expect(events).to.have.length(1);
        expect(events[0]).to.deep.include({ _xact_id: version, tags: ['t'], ...item });
        const { comments, audit } = await listed(object.id, '', kind);
        expect(comments).to.have.length(1);
        expect(audit[0]).to.deep.include({ changes: { ...item, tags: ['t'] } });
        expect(
          await server().query(`select: comments, audit | from: ${kind}("${object.id}")`),
        ).to.deep.equal([{ comments, audit }]);
      });
  });

describe('feedback', () => {
  const directory = temporaryDirectory();

  it('is on disk when it is answered', async () => {
    const first = await startServer({ dir: directory() });
    const project = await createProject(first);
    const path = `/v1/project_logs/${project.id}`;
    await first.request('POST', `${path}/insert`, { events: [{ id: 'e' }] });
    const feedback = [{ id: 'e', comment: 'kept', scores: { a: 1 } }];
    expect((await first.request('POST', `${path}/feedback`, { feedback })).json()).to.deep.equal({
      status: 'success',
    });
    await first.kill();
    const again = await startServer({ dir: first.dir });
    const query = `select: scores, comments[0].comment as said | from: project_logs("${project.id}")`;
    const answer = await again.request('POST', '/query', { query });
    await again.stop();
    expect(answer.json()['data']).to.deep.equal([{ scores: { a: 1 }, said: 'kept' }]);
  });
});
