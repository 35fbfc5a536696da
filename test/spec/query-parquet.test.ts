// The Parquet answer of a query, read by an independent reader, equals the JSON answer.
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { sharedServer } from '../support/start-server.js';

const events = [
  { id: 'a', scores: { s: 1 }, metadata: { model: 'small', n: 1, mixed: 1, list: [1, 2] } },
  { id: 'b', scores: { s: 0 }, metadata: { model: 'small', n: 2, mixed: 'two', list: { x: 1 } } },
  { id: 'c', scores: { s: 0.5 }, metadata: { model: 'größer', n: 3, mixed: null } },
  { id: 'd', metadata: { model: null, n: 4, mixed: true } },
];

const queries = [
  'dimensions: metadata.model as model | measures: count(*) as n, avg(scores.s) as mean',
  'select: id, scores.s as s, metadata.n as n, metadata.mixed as m, metadata.list as list | sort: id',
  'select: id, metadata.n > 2 as big, metadata.n / 2 as half, created as at | sort: id',
  'select: id | filter: id = "nobody"',
];

/** Timestamps as they are printed, objects as JSON text: the two forms in which values differ. */
const printed = (row: object) =>
  Object.entries(row).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'bigint') return [name, Number(value)];
    if (value instanceof Date) return [name, value.toISOString()];
    return [name, value ?? null];
  });

/** A column of mixed kinds holds JSON text in Parquet. */
const isMixed = (name: string) => name === 'm' || name === 'list';

const asParquet = (row: object) =>
  Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    isMixed(name) && value !== null ? JSON.stringify(value) : value,
  ]);

describe('fmt: parquet', () => {
  const server = sharedServer();
  let source: string;

  before(async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'parquet' })).json();
    source = `from: project_logs('${String(project['id'])}')`;
    await server().request('POST', `/v1/project_logs/${String(project['id'])}/insert`, { events });
  });

  async function readParquet(query: string): Promise<readonly object[]> {
    const response = await fetch(`${server().url}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server().key}` },
      body: JSON.stringify({ query, fmt: 'parquet' }),
    });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/vnd.apache.parquet');
    expect(response.headers.get('content-disposition')).to.include('query.parquet');
    const file = await response.arrayBuffer();
    expect(Number(response.headers.get('content-length'))).to.equal(file.byteLength);
    return parquetReadObjects({ file, compressors });
  }

  for (const query of queries)
    it(query, async () => {
      const text = `${query} | ${source}`;
      const answer = (await server().request('POST', '/query', { query: text })).json();
      const rows = await readParquet(text);
      expect(rows.map(printed)).to.deep.equal((answer['data'] as object[]).map(asParquet));
    });
});
