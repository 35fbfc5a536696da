// The queries that published clients send as JSON, and what the answers tell them beside the rows.
import { expect } from 'chai';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer, type Json } from '../support/start-server.js';

interface Answer {
  readonly data: readonly Json[];
  readonly cursor?: string;
}

const ident = (...name: readonly string[]) => ({ op: 'ident', name });
const literal = (value: unknown) => ({ op: 'literal', value });
const source = (kind: string, id: string) => ({
  op: 'function',
  name: ident(kind),
  args: [literal(id)],
});
const eq = (left: unknown, right: unknown) => ({ op: 'eq', left, right });

describe('queries as JSON', () => {
  const server = sharedServer();
  let experiment: string;
  let dataset: string;

  const post = (body: unknown, path = '/btql') => server().request('POST', path, body);

  const ask = async (body: unknown): Promise<Answer> =>
    (await post(body)).json() as unknown as Answer;

  before(async () => {
    const { id: project_id } = await createProject(server());
    experiment = (await createExperiment(server(), project_id)).id;
    dataset = (await createDataset(server(), { project_id })).id;
    const events = [
      { id: 'a', root_span_id: 't', span_attributes: { name: 'one', type: 'llm' } },
      { id: 'b', root_span_id: 't', span_attributes: { type: 'score', purpose: 'scorer' } },
      { id: 'c', root_span_id: 'u', error: 'x', metadata: { deep: { k: 1 }, split: 'odd' } },
    ];
    await server().insert(`experiment/${experiment}`, events);
    const records = Array.from({ length: 5 }, (_, number) => ({ id: `r${number}`, input: number }));
    await server().insert(`dataset/${dataset}`, records);
  });

  it('iterate over a dataset page by page', async () => {
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer = await ask({
        query: { select: [{ op: 'star' }], from: source('dataset', dataset), cursor, limit: 2 },
        use_columnstore: false,
        brainstore_realtime: true,
        query_source: 'js_sdk_object_fetcher_dataset',
      });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.cursor ?? null;
    } while (cursor !== null);
    expect(seen).to.have.members(['r0', 'r1', 'r2', 'r3', 'r4']);
  });

  it('continue what a text began, and the other way round', async () => {
    const json = { select: [{ op: 'star' }], from: source('dataset', dataset), limit: 3 };
    const text = `select: * | from: dataset('${dataset}') | limit: 3`;
    const first = await ask({ query: text });
    const second = await ask({ query: { ...json, cursor: first.cursor } });
    const again = await ask({
      query: `${text} | cursor: '${(await ask({ query: json })).cursor}'`,
    });
    expect(second.data).to.have.length(2);
    expect(again.data).to.deep.equal(second.data);
    expect(
      await outcome(
        post({
          query: { ...json, filter: { btql: 'input > 0' }, cursor: first.cursor },
        }),
      ),
    ).to.deep.equal([400, 'query.cursor: cursor: not a cursor of this query']);
  });

  const spans = async (...children: readonly object[]) => {
    const trace = eq(ident('root_span_id'), literal('t'));
    const purpose = ident('span_attributes', 'purpose');
    const unscored = {
      op: 'or',
      children: [
        { op: 'isnull', expr: purpose },
        { op: 'ne', left: purpose, right: literal('scorer') },
      ],
    };
    const filter = { op: 'and', children: [trace, unscored, ...children] };
    const query = { select: [{ op: 'star' }], from: source('experiment', experiment), filter };
    return (await ask({ query })).data.map(({ id }) => id);
  };

  it('find the spans of a trace', async () => {
    expect(await spans()).to.deep.equal(['a']);
    const type = { op: 'in', left: ident('span_attributes', 'type'), right: literal(['llm']) };
    expect(await spans(type)).to.deep.equal(['a']);
    expect(await spans(literal(false))).to.deep.equal([]);
    expect(await spans({ op: 'isnotnull', expr: ident('error') })).to.deep.equal([]);
  });

  it('hold texts', async () => {
    const filter = { btql: "metadata.split = 'odd' and metadata.deep = {k: 1}" };
    const select = [{ expr: ident('id') }];
    const query = { select, from: source('experiment', experiment), filter };
    expect((await ask({ query })).data).to.deep.equal([{ id: 'c' }]);
    expect(await outcome(post({ query: { ...query, filter: { btql: 'id ==' } } }))).to.deep.equal([
      400,
      "query.filter.btql line 1, column 5: unknown operator '==': compare with '='",
    ]);
  });

  it('say which source may not be read', async () => {
    const query = { select: [{ op: 'star' }], from: source('experiment', 'none') };
    expect(await outcome(post({ query }))).to.deep.equal([
      400,
      'query.from.args[0]: no experiment with the id "none" that this key may use',
    ]);
  });

  it('are objects or texts', async () => {
    expect(await outcome(post({ query: 1 }))).to.deep.equal([
      400,
      'query: expected a string or an object, got 1',
    ]);
  });

  it('have at most 50,000 values, and more are refused before they are read', async () => {
    const list = literal(Array.from({ length: 60_000 }, () => 1));
    const query = { select: [{ op: 'star' }], from: source('dataset', dataset), filter: list };
    expect(await outcome(post({ query }))).to.deep.equal([
      400,
      'request body: expected at most 50000 members and elements, got more',
    ]);
  });

  it('are answered with how fresh the rows are', async () => {
    const query = { select: [{ op: 'star' }], from: source('dataset', dataset), limit: 1 };
    for (const path of ['/query', '/btql']) {
      const { headers, ...answer } = await post({ query }, path);
      const body = answer.json();
      const version = headers.get('x-evalstore-version');
      expect(body).to.deep.include({
        freshness: 'complete',
        freshness_state: { last_processed_xact_id: version, last_considered_xact_id: version },
        realtime_state: {
          type: 'on',
          minimum_xact_id: version,
          actual_xact_id: version,
          read_bytes: 0,
        },
        warnings: [],
      });
      expect(headers.get('x-bt-freshness-state')).to.equal('complete');
      expect(headers.get('x-bt-cursor')).to.equal(body['cursor']);
    }
    const lines = await post({ query, fmt: 'jsonl' });
    expect(lines.headers.get('x-bt-cursor')).to.equal(lines.headers.get('x-evalstore-cursor'));
    expect(lines.headers.get('x-bt-freshness-state')).to.equal('complete');
    const last = await post({ query: { ...query, limit: 100 } });
    expect(last.headers.get('x-bt-cursor')).to.equal(null);
  });
});
