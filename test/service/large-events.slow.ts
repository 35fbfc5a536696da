// Events of 10 and 50 MB with the default settings, by all ways in and out.
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { startServer, type TestServer } from '../support/start-server.js';

const megabyte = 2 ** 20;
const sizes = [
  ...Array.from({ length: 12 }, (_, n) => ({ id: `fifty ${n}`, bytes: 50 * megabyte })),
  ...Array.from({ length: 40 }, (_, n) => ({ id: `ten ${n}`, bytes: 10 * megabyte })),
];
const newestFirst = sizes.map(({ id }) => id).toReversed();

const inputOf = (id: string): string => {
  const { bytes } = sizes.find((each) => each.id === id)!;
  return `${id} `.repeat(Math.floor(bytes / (id.length + 1)));
};

/** Instead of the text, which no report should show. */
const digestOf = (text: unknown): string => createHash('sha256').update(String(text)).digest('hex');

describe('events of 10 and 50 MB', () => {
  let server: TestServer;
  let dir: string;
  let id: string;

  before(async function load() {
    this.timeout(600_000);
    dir = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    // The default of the memory for queries.
    server = await startServer({
      dir,
      tuning: {},
      environment: { EVALSTORE_QUERY_MEMORY_MB: undefined },
    });
    id = String((await server.post('/v1/project', { name: 'large' }))['id']);
    for (const { id: own } of sizes)
      await insert({ id: own, root_span_id: own, span_id: own, input: inputOf(own) });
    await server.settle();
  });

  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const logs = () => `/v1/project_logs/${id}`;

  async function insert(event: object): Promise<void> {
    await server.post(`${logs()}/insert`, { events: [event] });
  }

  it('are fetched one by one', async function walk() {
    this.timeout(300_000);
    const ids: unknown[] = [];
    let cursor: unknown = null;
    do {
      const page = await server.post(`${logs()}/fetch`, { limit: 1, cursor });
      for (const event of page['events'] as Record<string, unknown>[]) {
        ids.push(event['id']);
        expect(digestOf(event['input'])).to.equal(digestOf(inputOf(String(event['id']))));
      }
      ({ cursor } = page);
    } while (cursor !== null);
    expect(ids).to.deep.equal(newestFirst);
  });

  it('are answered by a query as JSON', async function ask() {
    this.timeout(120_000);
    const query = `select: id, input | from: project_logs('${id}') | filter: id = 'fifty 3'`;
    const data = await server.query(query);
    const rows = data as { id: string; input: string }[];
    expect(rows.map((row) => [row.id, digestOf(row.input)])).to.deep.equal([
      ['fifty 3', digestOf(inputOf('fifty 3'))],
    ]);
  });

  it('are answered by a query as Parquet', async function ask() {
    this.timeout(120_000);
    const query = `select: id, input | from: project_logs('${id}') | filter: id = 'fifty 4'`;
    const response = await fetch(`${server.url}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: JSON.stringify({ query, fmt: 'parquet' }),
    });
    expect(response.status).to.equal(200);
    const file = await response.arrayBuffer();
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows.map((row) => [row['id'], digestOf(row['input'])])).to.deep.equal([
      ['fifty 4', digestOf(inputOf('fifty 4'))],
    ]);
  });

  it('are merged into, as buffered rows and in segments', async function merge() {
    this.timeout(300_000);
    for (const [round, own] of ['fifty 5', 'ten 5', 'fifty 5'].entries()) {
      await insert({ id: own, _is_merge: true, metadata: { [`round ${round}`]: true } });
      if (round === 1) await server.settle();
    }
    const page = await server.post(`${logs()}/fetch`, { limit: 1 });
    const [event] = page['events'] as Record<string, unknown>[];
    expect(event?.['id']).to.equal('fifty 5');
    expect(event?.['metadata']).to.deep.equal({ 'round 0': true, 'round 2': true });
    expect(digestOf(event?.['input'])).to.equal(digestOf(inputOf('fifty 5')));
  });

  it('leave a sound directory and no error in the log', async function check() {
    this.timeout(300_000);
    await server.settle();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line !== '');
    expect(
      lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    ).to.deep.equal([]);
    expect(await checkStore(dir)).to.deep.equal([]);
  });
});
