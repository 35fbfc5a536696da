// `infer` over HTTP: the paths of the events that there are, wherever they are stored.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

const levels = (depth: number) =>
  JSON.parse(`${'{"a":'.repeat(depth)}true${'}'.repeat(depth)}`) as unknown;

const answers = new Map<string, unknown>();

for (const flushRows of ['1', '7', '100000'])
  describe(`paths that queries infer from segments of ${flushRows} rows`, () => {
    const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: flushRows } });
    let experiment: string;

    const post = (query: unknown, more: object = {}) =>
      server().request('POST', '/btql', { query, ...more });

    const source = () => `experiment('${experiment}')`;

    const infer = (paths: string, more = '') =>
      server().query(`infer: ${paths} | from: ${source()}${more}`);

    const insert = (...events: readonly object[]) =>
      server().insert(`experiment/${experiment}`, events);

    before(async () => {
      experiment = (await createExperiment(server(), (await createProject(server())).id)).id;
      for (let number = 0; number < 20; number++)
        await insert({
          id: `e${number}`,
          input: number % 4 === 0 ? 'text' : { q: `question ${number % 3}`, n: [1, { x: 1 }] },
          metadata: { model: number % 5 === 0 ? 'large' : 'small', step: number, 'a key': null },
          scores: { accuracy: number % 2 },
          ...(number === 3 ? { tags: ['a'] } : {}),
        });
      await insert({ id: 'deep', output: levels(200) });
      const keys = Array.from({ length: 1_200 }, (_, index) => [`k${index}`, index] as const);
      await insert({ id: 'wide', expected: Object.fromEntries(keys) });
      await insert({ id: 'e19', _is_merge: true, metadata: { model: 'merged' } });
      await insert({ id: 'gone', error: { only: 'here' } });
      await insert({ id: 'gone', _object_delete: true });
    });

    it('include an element of an array beside a path above it', async () => {
      const data = await infer('input, input.n[0]', " | filter: id like 'e%'");
      expect(data).to.deep.include({
        name: ['input', 'n', 0],
        types: { number: 15 },
        count: 15,
        top_values: [{ value: 1, count: 15 }],
      });
    });

    it('include those that are named below a path with more paths than are counted', async () => {
      const data = await infer('expected, expected.k1100, expected.k1');
      expect(data).to.have.length(501);
      for (const key of ['k1', 'k1100'])
        expect(data.filter(({ name }) => (name as string[]).at(-1) === key)).to.deep.equal([
          {
            name: ['expected', key],
            types: { number: 1 },
            count: 1,
            top_values: [{ value: Number(key.slice(1)), count: 1 }],
          },
        ]);
    });

    it('have types, counts and the most frequent values', async () => {
      expect(await infer('metadata, input, error', " | filter: id like 'e%'")).to.deep.equal([
        {
          name: ['input'],
          types: { object: 15, string: 5 },
          count: 20,
          top_values: [{ value: 'text', count: 5 }],
        },
        { name: ['metadata'], types: { object: 20 }, count: 20, top_values: [] },
        {
          name: ['metadata', 'model'],
          types: { string: 20 },
          count: 20,
          top_values: [
            { value: 'small', count: 15 },
            { value: 'large', count: 4 },
            { value: 'merged', count: 1 },
          ],
        },
        {
          name: ['metadata', 'step'],
          types: { number: 20 },
          count: 20,
          top_values: [0, 1, 10, 11, 12, 13, 14, 15, 16, 17].map((value) => ({ value, count: 1 })),
        },
        { name: ['input', 'n'], types: { array: 15 }, count: 15, top_values: [] },
        {
          name: ['input', 'q'],
          types: { string: 15 },
          count: 15,
          top_values: [0, 1, 2].map((third) => ({ value: `question ${third}`, count: 5 })),
        },
      ]);
    });

    it('are the same wherever the rows are', async () => {
      const fields = 'input, output, expected, error, scores, metadata, metrics, tags, is_root';
      const all = [
        await infer(fields),
        await infer('*', ' | filter: scores.accuracy = 1 | limit: 3'),
      ];
      const first = [...answers.values()][0] ?? all;
      answers.set(flushRows, all);
      expect(JSON.stringify(all[0])).to.equal(JSON.stringify((first as typeof all)[0]));
      expect(all[1]).to.have.length(3);
    });

    it('are not those of deleted events and of earlier versions', async () => {
      expect(await infer('error')).to.deep.equal([]);
    });

    it('are bounded in depth and number', async () => {
      const deep = await infer('output');
      expect(deep).to.have.length(101);
      const wide = await infer('expected');
      expect(wide).to.have.length(500);
      expect(await infer('expected, output', ' | limit: 7')).to.have.length(7);
      expect(await infer('expected', ' | limit: 0')).to.deep.equal([]);
    });

    it('come in every format', async () => {
      const query = `infer: scores | from: ${source()}`;
      expect((await post(query, { fmt: 'jsonl' })).text).to.equal(
        '{"name":["scores"],"types":{"object":20},"count":20,"top_values":[]}\n' +
          '{"name":["scores","accuracy"],"types":{"number":20},"count":20,"top_values":[{"value":0,"count":10},{"value":1,"count":10}]}\n',
      );
      expect((await post(query, { fmt: 'csv' })).text).to.equal(
        'name,types,count,top_values\n' +
          '"[""scores""]","{""object"":20}",20,[]\n' +
          '"[""scores"",""accuracy""]","{""number"":20}",20,"[{""value"":0,""count"":10},{""value"":1,""count"":10}]"\n',
      );
      for (const fmt of ['parquet', 'arrow'])
        expect((await post(query, { fmt })).status, fmt).to.equal(200);
    });

    it('are those of an earlier version, when it is asked for', async () => {
      const ofWide = `select: _xact_id | from: ${source()} | filter: id = 'wide'`;
      const [row] = await server().query(ofWide);
      const query = `infer: metadata.model | from: ${source()} | filter: id = 'e19'`;
      const sizes = await server().query(query, { version: row?.['_xact_id'] });
      expect(JSON.stringify(sizes)).to.contain('"value":"small"');
    });

    it('are refused of what may not be read', async () => {
      expect(await outcome(post("infer: * | from: experiment('none')"))).to.deep.equal([
        400,
        'query line 1, column 29: no experiment with the id "none" that this key may use',
      ]);
    });
  });

describe('paths of many rows', () => {
  const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: '700' } });

  it('are those of the newest 1,000, or of all in a sample', async () => {
    const { id } = await createExperiment(server(), (await createProject(server())).id);
    for (const from of [0, 600]) {
      const events = Array.from({ length: 600 }, (_, index) => ({
        id: `e${from + index}`,
        metadata: { number: from + index },
      }));
      await server().insert(`experiment/${id}`, events);
    }
    const query = `infer: metadata | from: experiment('${id}')`;
    const data = await server().query(query);
    expect(data.map(({ count }) => count)).to.deep.equal([1_000, 1_000]);
    for (const [sample, count] of [
      ['50', 50],
      ['1100', 1_100],
      ['100%', 1_200],
    ] as const) {
      const sampled = await server().query(`${query} | sample: ${sample}`);
      expect(sampled.map((path) => path['count'])).to.deep.equal([count, count]);
    }
  });
});
