// Answers that are made part by part equal those that are made at once.
import { tableFromIPC } from 'apache-arrow';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const requests = 45;
const perRequest = 100;
/** The rows of a part; the server's own size is 20 times that. */
const partRows = 1024;

describe('long answers', () => {
  const server = sharedServer({
    environment: { EVALSTORE_FLUSH_ROWS: '2000' },
    tuning: { slices: { bytes: 2 ** 40, sizes: [partRows] } },
  });
  let source: string;

  before(async () => {
    const { id } = await createProject(server());
    source = `from: project_logs('${id}')`;
    for (let request = 0; request < requests; request++) {
      const events = Array.from({ length: perRequest }, (_, n) => ({
        id: `${request}-${n}`,
        input: n,
        // In some parts nobody has it, in others it is of one kind, and of another one in the last part only.
        metadata: request > 30 ? { late: request < 40 ? n : 'text' } : null,
        expected: request > 0 ? n : 'text',
      }));
      await server().insert(`project_logs/${id}`, events);
    }
    // Some of them in an older part than the row that they replace.
    const replaced = [
      { id: '3-7', input: 'replaced' },
      { id: '20-1', _object_delete: true },
    ];
    await server().insert(`project_logs/${id}`, replaced);
  });

  const columns = 'select: id, _xact_id, input, expected, metadata.late as late, created';
  const ask = (clauses: string) =>
    server().post('/query', { query: `${columns} | ${source} ${clauses}` });

  for (const sort of ['', '| sort: _xact_id asc'])
    it(`as JSON ${sort}`, async () => {
      const parts = await ask(sort);
      const whole = await ask(`${sort} | limit: 100000`);
      expect(parts['data']).to.have.length(requests * perRequest - 1);
      expect(parts['data']).to.deep.equal(whole['data']);
      expect(parts['schema']).to.deep.equal(whole['schema']);
    });

  const download = (clauses: string, fmt: string) =>
    fetch(`${server().url}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server().key}` },
      body: JSON.stringify({ query: `${columns} | ${source} ${clauses}`, fmt }),
    });

  for (const fmt of ['csv', 'jsonl'])
    it(`as ${fmt}`, async () => {
      const parts = await (await download('', fmt)).text();
      const header = fmt === 'csv' ? 1 : 0;
      expect(parts.trimEnd().split('\n')).to.have.length(header + requests * perRequest - 1);
      expect(parts).to.equal(await (await download('| limit: 100000', fmt)).text());
    });

  async function readParquet(clauses: string) {
    const file = await (await download(clauses, 'parquet')).arrayBuffer();
    return parquetReadObjects({ file, compressors });
  }

  async function readArrow(clauses: string) {
    const table = tableFromIPC(await (await download(clauses, 'arrow')).arrayBuffer());
    return table.toArray().map((row: { toJSON: () => unknown }) => row.toJSON());
  }

  it('as Arrow', async () => {
    const parts = await readArrow('');
    expect(parts).to.have.length(requests * perRequest - 1);
    expect(parts).to.deep.equal(await readArrow('| limit: 100000'));
  });

  it('as Parquet', async () => {
    const parts = await readParquet('');
    expect(parts).to.have.length(requests * perRequest - 1);
    expect(parts).to.deep.equal(await readParquet('| limit: 100000'));
  });
});
