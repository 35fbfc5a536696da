// Spark with two executors and Trino with two workers read the table of a project through the catalog, after inserts, merges, deletions,
// compaction and retention: every row is that of POST /query.
import { execFile } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { asking } from '../spec/access/asking.js';
import { bucketCredentials, bucketName, bucketService } from '../support/bucket-service.js';
import { testKey } from '../support/client.js';
import { openServer } from '../support/hosted-server.js';
import { expireTable, fillTable } from '../support/table-events.js';
import type { TestServer } from '../support/test-server.js';
import { clusterFile, clusterPrograms } from './folder.js';
import { startTrino, type RunningTrino } from './running-trino.js';
import { compareRows } from './same-rows.js';

const run = promisify(execFile);
/** Of which retention and deletions leave 300,000. */
const events = 310_000;
const name = 'My project';
const refusal = 'this key may not change tables: they are read-only';
const fields = ['id', 'created', 'tags', 'metadata', 'scores', 'input', 'metrics'];
const columns = fields.join(', ');
const typesOfTrino: Readonly<Record<string, string>> = { created: 'TIMESTAMP', tags: 'VARCHAR[]' };
const manual = readFileSync('src/manual/beyond-one-machine.md', 'utf8');

/** The settings of Spark in the manual. */
const manualSettings = (url: string, key: string) =>
  Object.fromEntries(
    [...manual.matchAll(/^(spark\.\S+) +(\S+)$/gm)].map(([, setting = '', value = '']) => [
      setting,
      value.replace('http://127.0.0.1:8000', url).replace('KEY', key),
    ]),
  );

/** Sums of doubles, in any order. */
const round = (sum: number) => Math.round(sum * 1e6) / 1e6;

interface SparkRead {
  readonly count: number;
  readonly sum: number;
  readonly withoutTags: number;
  readonly tasks: readonly number[];
  readonly stranger: readonly [unknown, string];
  readonly writes: readonly string[];
}

describe('tables in clusters', () => {
  const service = bucketService();
  let directory: string;
  let server: TestServer;
  let project: string;
  let expected: { readonly count: number; readonly sum: number; readonly withoutTags: number };
  const { addAccount } = asking(() => server);
  const ours = () => `'${directory}/ours.parquet'`;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-tables-'));
    server = await openServer({
      environment: { EVALSTORE_BUCKET: `s3://${bucketName}/tables` },
      tuning: { compaction: { fanOut: 3 } },
    });
    project = String((await server.post('/v1/project', { name }))['id']);
    await fillTable(server, project, events);
    await expireTable(server, project);
    const from = `from: project_logs('${project}')`;
    const query = `select: ${columns} | ${from} | limit: ${events}`;
    const answer = await fetch(`${server.url}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: JSON.stringify({ query, fmt: 'parquet' }),
    });
    await writeFile(path.join(directory, 'ours.parquet'), Buffer.from(await answer.arrayBuffer()));
    const [sums] = await server.query(
      `measures: count(1) as count, sum(scores.exact) as sum, sum(tags is null) as withoutTags | ${from}`,
    );
    expected = sums as unknown as typeof expected;
    expect(expected.count).to.be.within(300_000, events - 5_000);
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  async function spark(): Promise<SparkRead> {
    const folder = path.join(clusterPrograms(), 'spark-4.0.1');
    const { service_token: stranger } = await addAccount();
    const settings = manualSettings(server.url, server.key);
    const strangers = Object.entries(manualSettings(server.url, stranger)).map(
      ([setting, value]) => [setting.replace('.evals', '.stranger'), value],
    );
    const own = {
      'spark.ui.enabled': 'false',
      'spark.driver.host': '127.0.0.1',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.log.level': 'ERROR',
      'spark.sql.shuffle.partitions': '4',
      // Times have no zone, whatever that of the session is.
      'spark.sql.session.timeZone': 'America/New_York',
    };
    const env = {
      ...process.env,
      ...bucketCredentials,
      AWS_REGION: 'us-east-1',
      PYTHONPATH: folder,
      SPARK_HOME: path.join(folder, 'pyspark'),
      SETTINGS: JSON.stringify({ ...own, ...settings, ...Object.fromEntries(strangers) }),
      PROJECT: name,
      FIELDS: columns,
      ROWS: path.join(directory, 'spark'),
    };
    const { stdout } = await run('python3', [clusterFile('spark.py')], { env, cwd: directory });
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as SparkRead;
  }

  it('are read by Spark with two executors, and nothing else', async () => {
    const { tasks, stranger, writes, ...read } = await spark();
    expect({ ...read, sum: round(read.sum) }).to.deep.equal({
      ...expected,
      sum: round(expected.sum),
    });
    expect(tasks).to.have.length(2);
    expect(Math.min(...tasks)).to.be.above(0);
    expect(await compareRows(ours(), `'${directory}/spark/*.parquet'`)).to.deep.equal({
      rows: expected.count,
      different: null,
    });
    expect(stranger[0]).to.deep.equal([]);
    expect(stranger[1]).to.match(/NoSuchTable|TABLE_OR_VIEW_NOT_FOUND/i);
    for (const write of writes) expect(write).to.include(refusal);
  });

  /** The rows that Trino reads, in a file, as a relation of DuckDB. */
  async function rowsOf({ client }: RunningTrino): Promise<string> {
    const file = path.join(directory, 'trino.ndjson');
    const statement = `SELECT ${columns} FROM lake."${project}".events`;
    async function* lines() {
      for await (const page of client.pages(statement, AbortSignal.timeout(300_000)))
        for (const cells of page) {
          const row = fields.map((field, at) => [field, cells[at]] as const);
          yield `${JSON.stringify(Object.fromEntries(row))}\n`;
        }
    }
    await pipeline(Readable.from(lines()), createWriteStream(file));
    const types = fields.map((field) => `${field}: '${typesOfTrino[field] ?? 'VARCHAR'}'`);
    return `read_json('${file}', columns = {${types.join(', ')}})`;
  }

  /** By the catalog, if Trino itself would write; otherwise by Trino. */
  async function expectRefusals({ rows }: RunningTrino): Promise<void> {
    const failed = /ICEBERG_CATALOG_ERROR: Failed to/;
    const writes: readonly (readonly [string, string | RegExp])[] = [
      [`INSERT INTO open."${project}".events (id) VALUES ('new')`, refusal],
      [`DELETE FROM open."${project}".events WHERE id = 'r2'`, refusal],
      [`ALTER TABLE open."${project}".events ADD COLUMN more varchar`, refusal],
      // Of these, Trino says that they failed, and not why.
      [`DROP TABLE open."${project}".events`, failed],
      [`CREATE TABLE open."${project}".more (id varchar)`, failed],
      ['CREATE SCHEMA open.more', failed],
    ];
    for (const [write, answer] of writes) {
      const answered: unknown = await rows(write).catch(String);
      expect(answered).to.match(new RegExp(answer), write);
      const refused: unknown = await rows(write.replace('open.', 'lake.')).catch(String);
      expect(refused).to.include('Access Denied', write);
    }
  }

  it('are read by Trino with two workers, and nothing else', async () => {
    const trino = await startTrino(18_801, {
      EVALSTORE_URL: server.url,
      EVALSTORE_KEY: testKey,
      EVALSTORE_BUCKET_ENDPOINT: service().url,
      AWS_REGION: 'us-east-1',
      ...bucketCredentials,
    });
    try {
      const table = `lake."${project}".events`;
      const [row = []] = await trino.rows(
        `SELECT count(*), sum("scores/exact"), count_if(tags IS NULL) FROM ${table}`,
      );
      const [count, sum, withoutTags] = row.map(Number);
      expect({ count, sum: round(sum!), withoutTags }).to.deep.equal({
        ...expected,
        sum: round(expected.sum),
      });
      expect(await compareRows(ours(), await rowsOf(trino))).to.deep.equal({
        rows: expected.count,
        different: null,
      });
      await expectRefusals(trino);
      expect(await trino.rows(`SELECT count(*) FROM ${table}`)).to.deep.equal([[count]]);
    } finally {
      trino.stop();
    }
  });
});
