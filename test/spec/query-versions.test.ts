// The shape `versions`: every version of the rows of an object, and every deletion, wherever they are stored.
import { expect } from 'chai';
import { createDataset, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

for (const flushRows of ['1', '3', '100000'])
  describe(`versions of rows in segments of ${flushRows} rows`, () => {
    const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: flushRows } });
    let dataset: string;
    /** Of each write. */
    const written: string[] = [];

    const insert = (id: string, ...events: readonly object[]) =>
      server().insert(`dataset/${id}`, events);

    const rows = (clauses: string, more: object = {}) =>
      server().query(`${clauses} | from: dataset('${dataset}') versions`, more);

    /** The rows by the number of their write, their id, and what they hold. */
    const history = async (more = '', options: object = {}) =>
      (
        await rows(
          `select: id, _xact_id, input, metadata.m as m, _object_delete as gone | sort: _xact_id, id${more}`,
          options,
        )
      ).map(({ id, _xact_id, input, m, gone }) => [
        written.indexOf(String(_xact_id)),
        id,
        gone === true ? 'deleted' : [input, m],
      ]);

    const all = [
      [0, 'a', [1, null]],
      [0, 'b', [1, null]],
      [1, 'a', [1, 'merged']],
      [2, 'b', 'deleted'],
      [3, 'b', [2, null]],
      [4, 'a', [3, null]],
    ];

    before(async () => {
      const project = (await createProject(server())).id;
      dataset = (await createDataset(server(), { project_id: project })).id;
      const other = (await createDataset(server(), { project_id: project })).id;
      const span = { span_id: 's', root_span_id: 'trace of a' };
      written.push(await insert(dataset, { id: 'a', input: 1, ...span }, { id: 'b', input: 1 }));
      await insert(other, { id: 'a', input: 'other' }, { id: 'z', input: 'other' });
      written.push(await insert(dataset, { id: 'a', _is_merge: true, metadata: { m: 'merged' } }));
      written.push(await insert(dataset, { id: 'b', _object_delete: true }));
      await insert(other, { id: 'a', _object_delete: true });
      written.push(await insert(dataset, { id: 'b', input: 2 }));
      written.push(await insert(dataset, { id: 'a', input: 3, ...span }));
    });

    it('are all of them and the deletions, and of no other object', async () => {
      expect(await history()).to.deep.equal(all);
    });

    it('are those until the version that is asked for', async () => {
      expect(await history('', { version: written[2] })).to.deep.equal(all.slice(0, 4));
    });

    it('are found by id, by trace, by transaction, and by whether they are deletions', async () => {
      const of = (id: string) => all.filter(([, each]) => each === id);
      expect(await history(" | filter: id = 'a'")).to.deep.equal(of('a'));
      expect(await history(" | filter: id in ['b', 'none']")).to.deep.equal(of('b'));
      expect(await history(" | filter: root_span_id = 'trace of a'")).to.deep.equal(of('a'));
      expect(
        await history(` | filter: _xact_id > '${written[1]}' and _xact_id <= '${written[3]}'`),
      ).to.deep.equal(all.slice(3, 5));
      expect(await history(' | filter: _object_delete')).to.deep.equal([all[3]]);
      expect(await history(" | filter: metadata.m = 'merged'")).to.deep.equal([all[2]]);
    });

    it('have pages, and groups by transaction', async () => {
      const seen: unknown[] = [];
      const query = `select: id | limit: 4 | from: dataset('${dataset}') versions`;
      for await (const page of server().pages(query)) seen.push(...page.map(({ id }) => id));
      expect(seen).to.deep.equal(['a', 'b', 'b', 'a', 'a', 'b']);
      const groups = await rows(
        'dimensions: _xact_id | measures: count(*) as rows, sum(_object_delete) as deletions',
      );
      expect(groups.map(({ rows: count, deletions }) => [count, deletions])).to.deep.equal([
        [2, 0],
        [1, 0],
        [1, 1],
        [1, 0],
        [1, 0],
      ]);
    });

    it('say with * which are deletions; other shapes show the latest alone', async () => {
      expect((await rows('select: *')).map((row) => row['_object_delete'])).to.deep.equal([
        false,
        false,
        true,
        false,
        false,
        false,
      ]);
      const latest = await server().query(
        `select: *, _object_delete as gone | from: dataset('${dataset}')`,
      );
      expect(latest.map(({ id, gone }) => [id, gone])).to.deep.equal([
        ['a', false],
        ['b', false],
      ]);
      expect(latest[0]).not.to.have.property('_object_delete');
    });
  });

describe('the shape versions', () => {
  const server = sharedServer();

  it('takes no conditions of traces, and no rows that are not events', async () => {
    const project = (await createProject(server())).id;
    const logs = `project_logs('${project}') versions`;
    for (const [query, text] of [
      [
        `select: id | from: ${logs} | filter: any_span(id = 'a')`,
        /^query line 1, column \d+: any_span is allowed only in the filter of the shapes 'traces' and 'summary'$/,
      ],
      [
        `select: id | from: ${logs} | trace_filter: id = 'a'`,
        /trace_filter requires the shape 'traces' or 'summary': use 'filter'$/,
      ],
      [
        `select: id | from: project_prompts('${project}') versions`,
        /'project_prompts' has no events: leave out the shape 'versions'$/,
      ],
    ] as const) {
      const { status, text: refusal } = await server().request('POST', '/query', { query });
      expect([status, text.test(refusal)], refusal).to.deep.equal([400, true]);
    }
  });
});
