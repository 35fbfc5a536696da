// What a version showed stays what it shows, whatever is merged, deleted, flushed, compacted or restarted since.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { newSeed } from '../support/seed.js';
import { createProject } from '../support/objects.js';
import { startServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const rows = 2_000;
const changes = 10_000;
const changesPerRequest = 100;
/** Not a divisor of the rows, so that some are in the buffer whenever it is looked at. */
const flushRows = 1_700;

const measures = [
  'measures: count(1) as n, avg(scores.s) as mean, sum(scores.s) as total',
  'dimensions: metadata.model | measures: count(1) as n, avg(scores.s) as mean',
  'dimensions: metadata.model | measures: min(scores.s) as low, max(scores.s) as high',
  'dimensions: metadata.note | measures: count(1) as n',
  'measures: percentile(metrics.tokens, 0.9) as p, count_distinct(metadata.model) as models',
  'dimensions: is_root | measures: sum(metrics.tokens) as tokens',
  'filter: scores.s > 0.5 | measures: count(1) as n, avg(metrics.tokens) as mean',
  'select: id, input, scores | filter: metadata.model = "m3" | limit: 50',
  'select: id, metadata.note | filter: metadata.note is not null | sort: id | limit: 100',
  'select: * | filter: id = "r7"',
  'select: id | filter: input.text like "%7%" and scores.s < 0.2',
  'select: id, scores.s | sort: scores.s desc, id | limit: 20',
];

interface View {
  readonly everything: string;
  readonly answers: readonly unknown[];
}

async function look(server: TestServer, projectId: string, version: string): Promise<View> {
  const fetched = await server.request(
    'GET',
    `/v1/project_logs/${projectId}/fetch?version=${version}`,
  );
  expect(fetched.status).to.equal(200);
  const answers: unknown[] = [];
  for (const clauses of measures) {
    const query = `from: project_logs('${projectId}') | ${clauses}`;
    answers.push(await server.query(query, { version }));
  }
  return { everything: fetched.text, answers };
}

/** Equal, but for the last digits of numbers. */
function expectClose(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected === 'number' && typeof actual === 'number')
    expect(Math.abs(actual - expected), where).to.be.at.most(1e-12 * Math.abs(expected));
  else if (typeof expected === 'object' && expected !== null) {
    expect(Object.keys(actual as object), where).to.deep.equal(Object.keys(expected));
    for (const [key, value] of Object.entries(expected))
      expectClose((actual as Record<string, unknown>)[key], value, `${where}.${key}`);
  } else expect(actual, where).to.equal(expected);
}

const event = (number: number) => ({
  id: `r${number}`,
  input: { text: `question ${number}`, b: number, a: [number] },
  scores: { s: ((number * 37) % 1000) / 999 },
  metadata: { model: `m${number % 7}` },
  metrics: { tokens: number % 113 },
});

const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      id: fc.nat(rows - 1).map((number) => `r${number}`),
      _is_merge: fc.constant(true),
      scores: fc.record({ s: fc.nat(100).map((number) => number / 100) }),
      metadata: fc.record({ note: fc.nat(5) }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      id: fc.nat(rows - 1).map((number) => `r${number}`),
      _object_delete: fc.constant(true),
    }),
  },
);

describe('a version', () => {
  const directory = temporaryDirectory();

  it(`shows the same rows and answers after ${changes} merges and deletes, flushes, compactions and a restart`, async () => {
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const options = {
      dir: directory(),
      environment: { EVALSTORE_FLUSH_ROWS: String(flushRows) },
      tuning: { compaction: { fanOut: 2 }, segments: { narrowRowsMin: 1 } },
    };
    const segments = async () =>
      (await readdir(path.join(directory(), 'segments'), { recursive: true })).filter((name) =>
        /\d\.parquet$/.test(name),
      );
    let server = await startServer(options);
    const { id } = await createProject(server);
    const insert = async (events: readonly object[]) => server.insert(`project_logs/${id}`, events);
    let version = '';
    for (let first = 0; first < rows; first += 500)
      version = await insert(Array.from({ length: 500 }, (_, index) => event(first + index)));
    const before = await look(server, id, version);
    expect((JSON.parse(before.everything) as { events: unknown[] }).events).to.have.length(rows);

    const flushed = new Set<string>();
    const requests = fc.sample(
      fc.array(change, { minLength: changesPerRequest, maxLength: changesPerRequest }),
      { seed, numRuns: changes / changesPerRequest },
    );
    for (const request of requests) {
      await insert(request);
      for (const name of await segments()) flushed.add(name);
    }
    await waitUntil('a compaction', async () => (await segments()).length === 1);
    expect(flushed.size, 'segments over time').to.be.at.least(2);
    for (const round of ['changed', 'restarted']) {
      const after = await look(server, id, version);
      expect(after.everything === before.everything, `${round}: bytes of everything`).to.equal(
        true,
      );
      expectClose(after.answers, before.answers, round);
      const now = await server.request('GET', `/v1/project_logs/${id}/fetch`);
      expect(now.text === before.everything, 'the latest rows are others').to.equal(false);
      await server.stop();
      server = await startServer(options);
    }
    await server.stop();
  });
});
