// Queries made to exhaust memory and time beside inserts: the queries are refused with a reason, the inserts go on.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedProcess } from '../support/start-server.js';

const durationMs = 60_000;
const clients = 8;
const preloaded = 40_000;

const wideEvent = (number: number) => ({
  input: { text: `question ${number} ${'lorem ipsum '.repeat(60)}` },
  output: `answer ${number} ${'dolor sit '.repeat(60)}`,
  scores: { accuracy: (number % 10) / 10 },
  metadata: { model: `m${number % 7}`, key: `k${number}` },
});

const heavyQueries = [
  'select: input, output, metadata | sort: output',
  'dimensions: input as i, output as o, metadata as m | measures: count(*) as n | sort: n',
  'dimensions: input as i, id as r | measures: max(output) as o | sort: o desc',
  'select: output + output as broken, input as i | sort: i desc',
];

const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

describe('queries that exhaust the budgets, beside inserts', () => {
  const server = sharedProcess({
    environment: {
      EVALSTORE_QUERY_MEMORY_MB: '150',
      EVALSTORE_QUERY_TIMEOUT_SECONDS: '2',
      EVALSTORE_QUERY_QUEUE: '4',
    },
  });

  it(`no insert fails within ${durationMs / 1000} s`, async () => {
    const { id: projectId } = await createProject(server());
    const logs = `/v1/project_logs/${projectId}/insert`;
    const insert = (first: number, count: number) =>
      server().request('POST', logs, {
        events: Array.from({ length: count }, (_, index) => wideEvent(first + index)),
      });
    for (let first = 0; first < preloaded; first += 1000) await insert(first, 1000);

    const end = Date.now() + durationMs;
    const latencies: number[] = [];
    const refusals = new Map<string, number>();

    async function insertInALoop(client: number): Promise<void> {
      for (let number = 0; Date.now() < end; number++) {
        const start = performance.now();
        const answer = await insert(client * 1_000_000 + number, 1);
        latencies.push(performance.now() - start);
        expect(answer.status, answer.text).to.equal(200);
      }
    }

    async function queryInALoop(client: number): Promise<void> {
      for (let turn = client; Date.now() < end; turn++) {
        const query = `${heavyQueries[turn % heavyQueries.length]} | from: project_logs('${projectId}')`;
        const answer = await server().request('POST', '/query', { query });
        if (answer.status === 200) continue;
        const reason = `${answer.status} ${answer.text}`;
        refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
      }
    }

    const loops = Array.from({ length: clients }, (_, client) => client);
    await Promise.all([...loops.map(insertInALoop), ...loops.map(queryInALoop)]);

    latencies.sort((a, b) => a - b);
    console.log(
      `      ${latencies.length} inserts, p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
    );
    for (const [reason, times] of refusals) console.log(`      ${times} times ${reason}`);
    expect([...refusals.keys()].join('\n')).to.match(/memory|time/);
    for (const reason of refusals.keys())
      expect(reason).to.match(/^(400|429) .*(memory budget|time budget|are waiting)/);
    await server().get('/health');
  });
});
