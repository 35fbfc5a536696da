// Parquet in an insert: the rows of a query become the same events again.
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { parquetOf } from '../support/parquet-file.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const type = 'application/vnd.apache.parquet';

describe('an insert of Parquet', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();

  const insert = (path: string, body: Buffer, headers = {}) =>
    server().request('POST', `/v1/${path}/insert`, body, {
      headers: { 'content-type': type, ...headers },
    });

  const newExperiment = async () => {
    const { id } = await createProject(server());
    return `experiment/${(await createExperiment(server(), id)).id}`;
  };

  async function fileOf(path: string): Promise<Buffer> {
    const [kind, id] = path.split('/');
    const answer = await fetch(`${server().url}/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server().key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `select: * | from: ${kind}('${id}')`, fmt: 'parquet' }),
    });
    expect(answer.status).to.equal(200);
    return Buffer.from(await answer.arrayBuffer());
  }

  const own = new Set(['_xact_id', 'experiment_id', 'dataset_id', 'project_id', '_pagination_key']);

  /** The events without what says where they are stored. */
  async function stored(path: string) {
    const events = await server().events(path);
    return events
      .map((event) => Object.fromEntries(Object.entries(event).filter(([name]) => !own.has(name))))
      .sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
  }

  const events = [
    {
      id: 'a',
      input: { question: 'é', list: [1, null, 'x'], big: 1 },
      output: 'text',
      expected: ['text'],
      error: null,
      scores: { helpful: 0.5, exact: 1, none: null },
      metrics: { start: 1.25, end: 2, tokens: 7 },
      metadata: { model: 'small', '10': 1, '9': { deep: [[]] } },
      tags: ['one', 'two'],
      created: '2024-01-02T03:04:05.678Z',
      span_attributes: { name: 'root', type: 'llm' },
      context: { caller_lineno: 3 },
      origin: { object_type: 'dataset' },
      dataset_record_id: 'r',
    },
    { id: 'b', _parent_id: 'a', input: 5, output: true, scores: { helpful: 1 } },
    { id: 'c', input: '', output: 0.1, tags: [], error: { message: 'bad' } },
    { id: 'd', input: 'null', output: '1' },
  ];

  it('of what a query gives stores the same events, of experiments, logs and datasets', async () => {
    const { id } = await createProject(server());
    const logs = `project_logs/${id}`;
    const records = [
      { id: 'a', input: { q: 1 }, expected: 'x', metadata: { k: [1e300] }, tags: ['t'] },
      { id: 'b', input: 'text' },
    ];
    const dataset = async () => `dataset/${(await createDataset(server(), { project_id: id })).id}`;
    const pairs = [
      [await newExperiment(), await newExperiment(), events],
      [
        logs,
        `project_logs/${(await createProject(server())).id}`,
        events.map(({ dataset_record_id: _record, ...event }) => event),
      ],
      [await dataset(), await dataset(), records],
    ] as const;
    for (const [from, into, inserted] of pairs) {
      const body = JSON.stringify({ events: inserted }).replace(
        '"big":1',
        '"big":9007199254740993',
      );
      expect((await server().request('POST', `/v1/${from}/insert`, body)).status).to.equal(200);
      const { status, text } = await insert(into, await fileOf(from));
      expect([status, text.slice(0, 12)]).to.deep.equal([200, '{"row_ids":[']);
      expect(await stored(into)).to.deep.equal(await stored(from));
      expect((await stored(into)).length).to.equal(inserted.length);
      const big = `select: input | from: ${into.replace('/', "('")}') | filter: id = 'a'`;
      if (inserted !== records)
        expect(
          (await server().request('POST', '/query', { query: big, fmt: 'jsonl' })).text,
        ).to.include('9007199254740993');
    }
  });

  it('answers the ids in the order of the rows, also of a compressed body', async () => {
    const path = await newExperiment();
    const file = await parquetOf(
      directory(),
      "SELECT 'x' || i AS id, i AS input FROM range(3) r(i)",
    );
    const expected = '{"row_ids":["x0","x1","x2"]}';
    expect((await insert(path, file)).text).to.equal(expected);
    const zipped = await insert(path, gzipSync(file), { 'content-encoding': 'gzip' });
    expect(zipped.text).to.equal(expected);
    expect((await server().events(path)).map(({ input }) => input)).to.have.members([0, 1, 2]);
    const none = await parquetOf(directory(), "SELECT 'x' AS id LIMIT 0");
    expect((await insert(path, none)).text).to.equal('{"row_ids":[]}');
  });

  it('names the row of a refused event, also of one that the store refuses, and stores nothing', async () => {
    const path = await newExperiment();
    const refusals = {
      "SELECT 'a' AS id, NULL AS _parent_id UNION ALL SELECT 'b', 'none'":
        'row 2: event._parent_id: no row has the id "none"',
      "SELECT 'a' AS id, 'x' AS created UNION ALL SELECT 'b', '2024-01-01'":
        'row 1: event.created: expected an ISO 8601 date-time or null, got "x"',
      'SELECT 1 AS question': 'request body: unknown field "question"',
    };
    for (const [sql, sentence] of Object.entries(refusals)) {
      const { status, text } = await insert(path, await parquetOf(directory(), sql));
      expect([status, text]).to.deep.equal([400, sentence]);
    }
    expect((await insert(path, Buffer.from('{"events":[]}'))).text).to.equal(
      'request body: expected a Parquet file',
    );
    expect(await server().events(path)).to.deep.equal([]);
  });
});
