// Answers that are made part by part equal those that are made at once.
import { tableFromIPC } from 'apache-arrow';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const requests = 45;
const perRequest = 100;
/** Of the second project. Its segments have rows of the same time as those of the first one. */
const perRequestOfOther = 30;
/** The rows of a part; the server's own size is 20 times that. */
const partRows = 1024;

interface Answer {
  readonly data: readonly unknown[];
  readonly schema: unknown;
}

describe('long answers', () => {
  const server = sharedServer({
    environment: { EVALSTORE_FLUSH_ROWS: '2000' },
    tuning: { chunks: { rows: partRows, bytes: 2 ** 40, dividedRows: partRows } },
  });
  const sources = {
    'of one project': { from: '', rows: requests * perRequest - 1 },
    'of two projects': { from: '', rows: requests * (perRequest + perRequestOfOther) - 1 },
  };

  before(async () => {
    const { id } = await createProject(server());
    const { id: other } = await createProject(server());
    for (let request = 0; request < requests; request++) {
      const events = Array.from({ length: perRequest }, (_, n) => ({
        id: `${request}-${n}`,
        input: n,
        // In some parts nobody has it, in others it is of one kind, and of another one in the last part only.
        metadata: request > 30 ? { late: request < 40 ? n : 'text' } : null,
        expected: request > 0 ? n : 'text',
      }));
      await server().insert(`project_logs/${id}`, events);
      await server().insert(`project_logs/${other}`, events.slice(0, perRequestOfOther));
    }
    // Some of them in an older part than the row that they replace.
    const replaced = [
      { id: '3-7', input: 'replaced' },
      { id: '20-1', _object_delete: true },
    ];
    await server().insert(`project_logs/${id}`, replaced);
    sources['of one project'].from = `from: project_logs('${id}')`;
    sources['of two projects'].from = `from: project_logs('${id}'), project_logs('${other}')`;
  });

  const columns = 'select: id, _xact_id, input, expected, metadata.late as late, created';

  for (const [name, source] of Object.entries(sources)) {
    const { rows } = source;

    const download = (clauses: string, fmt: string) =>
      fetch(`${server().url}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server().key}` },
        body: JSON.stringify({ query: `${columns} | ${source.from} ${clauses}`, fmt }),
      });

    const readJson = async (clauses: string) => {
      const { data, schema } = (await (await download(clauses, 'json')).json()) as Answer;
      return { data, schema };
    };

    const readParquet = async (clauses: string) => {
      const file = await (await download(clauses, 'parquet')).arrayBuffer();
      return parquetReadObjects({ file, compressors });
    };

    const readArrow = async (clauses: string) => {
      const table = tableFromIPC(await (await download(clauses, 'arrow')).arrayBuffer());
      return table.toArray().map((row: { toJSON: () => unknown }) => row.toJSON());
    };

    for (const sort of ['', '| sort: _xact_id asc'])
      describe(`${name} ${sort}`, () => {
        const undivided = `${sort} | limit: 100000`;

        it('as JSON', async () => {
          const parts = await readJson(sort);
          expect(parts.data).to.have.length(rows);
          expect(parts).to.deep.equal(await readJson(undivided));
        });

        for (const fmt of ['csv', 'jsonl'])
          it(`as ${fmt}`, async () => {
            const parts = await (await download(sort, fmt)).text();
            const header = fmt === 'csv' ? 1 : 0;
            expect(parts.trimEnd().split('\n')).to.have.length(header + rows);
            expect(parts).to.equal(await (await download(undivided, fmt)).text());
          });

        it('as Arrow', async () => {
          const parts = await readArrow(sort);
          expect(parts).to.have.length(rows);
          expect(parts).to.deep.equal(await readArrow(undivided));
        });

        it('as Parquet', async () => {
          const parts = await readParquet(sort);
          expect(parts).to.have.length(rows);
          expect(parts).to.deep.equal(await readParquet(undivided));
        });
      });
  }
});
