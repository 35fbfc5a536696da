// A query for the first summaries in an order finds their traces before it builds them. They have to be those of the same query
// without a limit, which builds all.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { event, insertBody } from '../fuzz/model/arbitrary-event.js';
import { createExperiment, createProject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import { newSeed } from '../support/seed.js';
import type { TestServer } from '../support/start-server.js';

const score = fc.constantFrom(0, 1, 0.1, 0.2, 0.3, 0.7, null);
const metric = fc.oneof(
  fc.constantFrom(0, 1, 0.1, 0.2, 0.3, -2, 1e300, 9007199254740994, null),
  fc.double({ noNaN: true, min: -5, max: 5 }),
);
const anything = fc.constantFrom(0, 1.5, -2, '0.5', 'x', 'é', true, null, [1], { n: 1 });

const span = fc.record(
  {
    root_span_id: fc.integer({ min: 0, max: 11 }).map((trace) => `trace ${trace}`),
    span_parents: fc.constantFrom([], ['parent']),
    created: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
    scores: fc.record({ a: score, 'b"c': score }, { requiredKeys: [] }),
    metrics: fc.record(
      {
        start: metric,
        end: metric,
        prompt_tokens: metric,
        tokens: metric,
        own: metric,
        duration: metric,
      },
      { requiredKeys: [] },
    ),
    span_attributes: fc.record(
      {
        type: fc.constantFrom('llm', 'tool', 'task'),
        purpose: fc.constantFrom('scorer', null),
      },
      { requiredKeys: [] },
    ),
    error: fc.constantFrom(null, 'failed', { a: 1 }),
    metadata: fc.record({ m: anything }),
    tags: fc.constantFrom(null, ['t'], ['a', 'b']),
  },
  { requiredKeys: ['root_span_id', 'span_parents'] },
);

const conditions = [
  '',
  '| filter: is_root',
  "| filter: any_span(error is not null) and not any_span(metadata.m = 'x')",
  '| trace_filter: metrics.errors > 0 and scores.a is not null',
];

/** Compares the pages of summaries in each order, under each condition, with all summaries in that order. */
export function firstSummariesAreThoseOfAll(orders: readonly string[]): void {
  let server: TestServer;
  let from: string;

  before(async () => {
    server = await openServer({
      tuning: { chunks: { rows: 40, bytes: 2000, dividedRows: 1 }, segments: { narrowRowsMin: 1 } },
    });
    const project = await createProject(server);
    const experiment = await createExperiment(server, project.id);
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const insert = (path: string, body: object | string) =>
      server.request('POST', `/v1/${path}/insert`, body);
    const paths = [`experiment/${experiment.id}`, `project_logs/${project.id}`];
    for (const path of paths)
      for (const [part, seen] of [seed, seed + 1, seed + 2].entries()) {
        const events = fc.sample(span, { numRuns: 20, seed: seen });
        const answer = await insert(path, { events });
        expect(answer.status, answer.text).to.equal(200);
        // Some of them are refused.
        for (const odd of fc.sample(event, { numRuns: 8, seed: seen }))
          await insert(path, insertBody([odd]));
        if (part < 2) await server.settle();
      }
    from = `project('${project.id}') summary`;
  });

  after(() => server.stop());

  async function rows(clauses: string) {
    const query = `select: root_span_id, id, scores, metrics, metadata | from: ${from} | ${clauses}`;
    return (await server.post('/query', { query })) as {
      readonly data: readonly unknown[];
      readonly cursor?: string;
    };
  }

  async function pages(clauses: string): Promise<readonly unknown[]> {
    const { data, cursor } = await rows(clauses);
    if (cursor === undefined) return data;
    const [first = ''] = clauses.split(' | cursor');
    return [...data, ...(await pages(`${first} | cursor: '${cursor}'`))];
  }

  async function compare(order: string, condition: string): Promise<void> {
    const clauses = `sort: ${order} ${condition}`;
    const { data: all } = await rows(clauses);
    expect(all.length, condition).to.be.above(0);
    expect(await pages(`${clauses} | limit: 10`), condition).to.deep.equal(all);
  }

  for (const order of orders)
    it(`are those of all: ${order}`, () =>
      Promise.all(conditions.map((condition) => compare(order, condition))));
}
