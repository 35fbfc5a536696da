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
import { expireTable, fillTable } from '../../support/table-events.js';
import { runPython } from './run-python.js';

/** More are read by hand. */
const events = Number(process.env['EVALSTORE_TABLE_EVENTS'] ?? 12_000);
const project = 'My project';
const readers = ['pyiceberg', 'polars native', 'polars pyiceberg', 'duckdb'];
const programs = 'test/clients/python/programs';
const page = 'src/manual/beyond-one-machine.md';
const manual = readFileSync(page, 'utf8');

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
    await expectSame(await fillTable(server, id, events));
  });

  it('have the live rows after compaction and retention', async () => {
    await expireTable(server, id);
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
