// PyIceberg, Polars and DuckDB read the table of a project through the catalog: the rows are those of POST /query.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { programsOf } from '../../readme/readme.js';
import { asking } from '../../spec/access/asking.js';
import { bucketService } from '../../support/bucket-service.js';
import { openServer } from '../../support/hosted-server.js';
import type { TestServer } from '../../support/start-server.js';
import { waitUntil } from '../../support/wait-until.js';
import { runPython } from './run-python.js';

/** More are read by hand. */
const events = Number(process.env['EVALSTORE_TABLE_EVENTS'] ?? 12_000);
const batch = 2_000;
const project = 'My project';
const readers = ['pyiceberg', 'polars native', 'polars pyiceberg', 'duckdb'];
const programs = 'test/clients/python/programs';
const page = 'src/manual/beyond-one-machine.md';
const manual = readFileSync(page, 'utf8');

/** An event with a bit of everything: paths of several types, names that differ by case, exact numbers, empty and absent lists. */
const event = (index: number) => ({
  id: `r${index}`,
  input: { question: `ü ${index}`, list: [index, null] },
  scores: { exact: (index % 10) / 10, ...(index % 7 === 0 ? { rare: 1 } : {}) },
  metadata: {
    model: `m${index % 3}`,
    kind: 'a',
    Kind: index,
    n: index % 2 === 0 ? index : String(index),
    // In the second half of the events alone.
    ...(index > events / 2 ? { late: index % 5 === 0, n: `text ${index}` } : {}),
  },
  metrics: { tokens: index },
  ...(index % 4 === 0 ? {} : { tags: index % 4 === 1 ? [] : ['a', `t${index % 5}`] }),
  created: new Date((index % 50 === 0 ? 1.5e12 : Date.now() - 1e9) + index * 1000.5).toISOString(),
});

const some = (count: number, row: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => row(index));

const exactRow = '{"events":[{"id":"exact","metadata":{"big":12345678901234567890,"f":0.1000}}]}';

describe('tables in engines', () => {
  const service = bucketService();
  let directory: string;
  let server: TestServer;
  let id: string;
  const { addAccount } = asking(() => server);

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-tables-'));
    server = await openServer({
      dir: directory,
      environment: { EVALSTORE_BUCKET: 's3://evals/tables' },
      tuning: { compaction: { fanOut: 3 } },
    });
    id = String((await server.post('/v1/project', { name: project }))['id']);
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const insert = (list: readonly object[]) => server.insert(`project_logs/${id}`, list);
  const secret = () => {
    const { host } = new URL(service().url);
    return `CREATE SECRET (TYPE s3, KEY_ID 'S3RVER', SECRET 'S3RVER', ENDPOINT '${host}', URL_STYLE 'path', USE_SSL false, REGION 'us-east-1')`;
  };
  const variables = () => ({
    ...service().environment,
    AWS_REGION: 'us-east-1',
    EVALSTORE_URL: server.url,
    EVALSTORE_KEY: server.key,
    // Of the reader of Polars, which does not ask the catalog.
    AWS_ENDPOINT_URL: service().url,
    AWS_ALLOW_HTTP: 'true',
    DUCKDB_SECRET: secret(),
  });

  /** What each engine has of the table, compared with the answer of the server. */
  async function expectSame(count: number): Promise<void> {
    const expected = path.join(directory, 'expected.jsonl');
    const query = `select: id, created, tags, metadata, scores, input | from: project_logs('${id}') | limit: ${2 * events}`;
    const { text } = await server.request('POST', '/query', { query, fmt: 'jsonl' });
    await writeFile(expected, text);
    const [{ sum }] = (await server.query(
      `select: sum(scores.exact) as sum | from: project_logs('${id}')`,
    )) as unknown as readonly [{ readonly sum: number }];
    const { service_token: stranger } = await addAccount();
    const { out } = await runPython(server, {
      environment: 'tables',
      files: [`${programs}/tables.py`],
      variables: { ...variables(), PROJECT: project, EXPECTED: expected, STRANGER: stranger },
    });
    const lines = out
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    const [{ writes }] = lines.splice(-1) as [{ writes: readonly string[] }];
    const same = { count, rows: count, sum: Math.round(sum * 1e6) / 1e6, different: null };
    expect(lines).to.deep.equal([
      ...readers.map((reader) => Object.assign({ reader }, same)),
      { stranger: [] },
    ]);
    for (const write of writes)
      expect(write).to.include('this key may not change tables: they are read-only');
  }

  it('have the live rows after inserts, merges and deletions', async () => {
    for (let first = 0; first < events; first += batch) {
      await insert(Array.from({ length: batch }, (_, index) => event(first + index)));
      if (first % (events / 2) === 0) await server.settle();
    }
    await server.request('POST', `/v1/project_logs/${id}/insert`, exactRow);
    await server.settle();
    await insert(
      some(events / 40, (index) => ({
        id: `r${3 * index}`,
        _is_merge: true,
        scores: { exact: 0.5 },
      })),
    );
    await insert(some(events / 80, (index) => ({ id: `r${3 * index + 1}`, _object_delete: true })));
    await server.settle();
    await expectSame(events + 1 - events / 80);
  });

  it('have the live rows after compaction and retention', async () => {
    await server.request('PATCH', `/v1/project/${id}`, { settings: { retention_days: 365 } });
    const { id: job } = await server.post(`/v1/project/${id}/retention`);
    await waitUntil(
      'old events are removed',
      async () => (await server.get(`/v1/job/${String(job)}`))['state'] === 'done',
    );
    await insert([{ id: 'last', metadata: { model: 'm0' } }]);
    await server.settle();
    const [{ n }] = (await server.query(
      `select: count(*) as n | from: project_logs('${id}')`,
    )) as unknown as readonly [{ readonly n: number }];
    expect(n).to.be.below(events * 0.98);
    await expectSame(n);
  });

  it('run what the manual shows', async () => {
    const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(manual) ?? [];
    const statements = sql
      .split('\n')
      .filter((line) => !/^(?:INSTALL|CREATE SECRET)/.test(line))
      .join('\n')
      .replace('http://127.0.0.1:8000', server.url)
      .replace("'KEY'", `'${server.key}'`);
    const program = programsOf(manual).get('tables.py')!;
    const shown = path.join(directory, 'shown.py');
    await writeFile(shown, program.text);
    const { out } = await runPython(server, {
      environment: 'tables',
      files: [`${programs}/shown_tables.py`],
      variables: { ...variables(), SHOWN: shown, STATEMENTS: statements },
    });
    const [{ n }] = (await server.query(
      `select: count(*) as n | from: project_logs('${id}')`,
    )) as unknown as readonly [{ readonly n: number }];
    expect(out.split('\n')[0]).to.equal(String(n));
    expect(out).to.match(/shape: \(4, 3\)/);
    expect(out).to.match(/^duckdb 4$/m);
  });
});
