// The clause `cursor`, and lookups of rows by id and trace, over buffered rows and rows in segments.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const idsOf = (rows: unknown): readonly string[] =>
  (rows as readonly { readonly id: string }[]).map(({ id }) => id);

for (const flushRows of ['1', '7', '100000'])
  describe(`queries with segments of ${flushRows} rows`, () => {
    const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: flushRows } });
    let project: string;
    let source: string;

    const insert = (events: readonly object[]) =>
      server().insert(`project_logs/${project}`, events);

    const ask = (text: string, more?: object) => server().query(`${text} | ${source}`, more);

    before(async () => {
      project = (await createProject(server())).id;
      source = `from: project_logs('${project}')`;
      for (let number = 0; number < 20; number++)
        await insert([
          { id: `r${number}`, metadata: { v: number }, root_span_id: `t${number % 3}` },
        ]);
      await insert([{ id: 'r3', _is_merge: true, metadata: { v: 'merged' } }]);
      await insert([{ id: 'r4', _object_delete: true }]);
    });

    it('a walk gives every row of the first page once, whatever is written meanwhile', async () => {
      const expected = await ask('select: id, metadata.v as v');
      expect(expected).to.have.length(19);
      const seen: object[] = [];
      const query = `select: id, metadata.v as v | limit: 4 | ${source}`;
      for await (const page of server().pages(query)) {
        seen.push(...page);
        await insert([
          { id: 'r0', _is_merge: true, metadata: { v: `new ${seen.length}` } },
          { id: `new ${seen.length}` },
        ]);
      }
      expect(seen).to.deep.equal(expected);
    });

    it('rows are found by id, replaced and deleted ones by their last state', async () => {
      const found = await ask(
        "select: id, metadata.v as v | filter: id IN ['r3', 'r4', 'r5', 'x']",
      );
      expect(found).to.deep.equal([
        { id: 'r3', v: 'merged' },
        { id: 'r5', v: 5 },
      ]);
      expect(await ask("select: id | filter: id = 'r4'")).to.deep.equal([]);
    });

    it('a trace is found by its root span', async () => {
      const data = await ask("select: id | filter: root_span_id = 't2' | sort: id");
      expect(data.map(({ id }) => id)).to.deep.equal(['r11', 'r14', 'r17', 'r2', 'r5', 'r8']);
    });

    it('counts of all rows are those of the rows, now and at every version', async () => {
      const versions = new Set((await ask('select: _xact_id as v')).map(({ v }) => String(v)));
      for (const version of [undefined, ...versions]) {
        const { length: n } = await ask('select: id', { version });
        const counted = await ask('measures: count(*) as n', { version });
        expect(counted, version).to.deep.equal([{ n }]);
      }
    });

    it('times of creation bound what is read', async () => {
      await insert([
        { id: 'old', created: '2001-01-01T00:00:00Z' },
        { id: 'older', created: '2000-01-01T00:00:00Z' },
      ]);
      const data = await ask("select: id | filter: created < '2001-01-02' | sort: id");
      expect(data.map(({ id }) => id)).to.deep.equal(['old', 'older']);
    });

    it('transaction ids bound what is read', async () => {
      await insert([{ id: 'last' }]);
      const [newest] = await ask('select: id, _xact_id as v | limit: 1');
      const data = await ask(`select: id | filter: _xact_id >= '${String(newest?.['v'])}'`);
      expect(data.map(({ id }) => id)).to.deep.equal(['last']);
    });
  });

describe('the pages of a query with now()', () => {
  const server = sharedServer();

  it('have the time of the first page', async () => {
    const { id } = await createProject(server());
    const now = Date.now();
    const events = Array.from({ length: 6 }, (_, n) => ({
      id: `r${n}`,
      created: new Date(now - 9500 + 1000 * n).toISOString(),
    }));
    await server().insert(`project_logs/${id}`, events);
    const query = `select: id | from: project_logs('${id}') | filter: created > now() - interval 10 seconds | sort: created`;
    const limited = `${query} | limit: 2`;
    const pages: string[][] = [];
    for await (const page of server().pages(limited)) {
      pages.push(page.map((row) => String(row['id'])));
      const [oldest] = pages[0]!;
      await waitUntil('the oldest row no longer passes', async () => {
        const found = await server().query(query);
        return found.every((row) => row['id'] !== oldest);
      });
    }
    expect(pages).to.deep.equal([
      ['r0', 'r1'],
      ['r2', 'r3'],
      ['r4', 'r5'],
    ]);
  });
});

describe('the pages of a query over a project', () => {
  // A page that waited for a second turn would wait forever.
  const server = sharedServer({ environment: { EVALSTORE_QUERY_CONCURRENCY: '1' } });

  /** The query for the second page of a project, whose first page ends with a row of an experiment that is deleted. */
  async function halfRead(clauses: string, trace: string) {
    const { id: project } = await createProject(server());
    const { id: experiment } = await createExperiment(server(), project);
    const insert = (kind: string, events: readonly object[]) => server().insert(kind, events);
    await insert(`project_logs/${project}`, [{ id: 'a', input: [1] }]);
    await insert(`experiment/${experiment}`, [{ id: 'b', root_span_id: trace, input: [1] }]);
    await insert(`project_logs/${project}`, [
      { id: 'c', input: [1] },
      { id: 'd', input: [1] },
    ]);
    const query = `select: id | from: project('${project}') ${clauses} | limit: 2`;
    const page = await server().post('/query', { query });
    expect(idsOf(page['data'])).to.include('b');
    await server().request('DELETE', `/v1/experiment/${experiment}`);
    return `${query} | cursor: '${String(page['cursor'])}'`;
  }

  const lostRow =
    'cursor: the last row of the page before is no longer in the result: begin again without the cursor';

  for (const [clauses, trace] of [
    ['| sort: id', 'short'],
    ['summary | sort: id', 'short'],
    ["| filter: id < 'd' | sort: id desc", 'short'],
    ['| sort: _pagination_key', 'x'.repeat(2000)],
    ['| unpivot: input as each | sort: id', 'short'],
  ] as const)
    it(`${clauses} are refused without the row at which the page before ended`, async () => {
      const query = await halfRead(clauses, trace);
      for (const fmt of ['json', 'jsonl', 'csv', 'parquet', 'arrow']) {
        const answer = await server().request('POST', '/query', { query, fmt });
        expect([answer.status, answer.text.replace(/^.*?: /, '')], fmt).to.deep.equal([
          400,
          lostRow,
        ]);
      }
    });

  it('end where the rows after the cursor are gone', async () => {
    const { id: project } = await createProject(server());
    const { id: experiment } = await createExperiment(server(), project);
    await server().insert(`project_logs/${project}`, [{ id: 'a' }]);
    await server().insert(`experiment/${experiment}`, [{ id: 'b' }]);
    const query = `select: id | from: project('${project}') | sort: id | limit: 1`;
    const page = await server().post('/query', { query });
    expect(idsOf(page['data'])).to.deep.equal(['a']);
    await server().request('DELETE', `/v1/experiment/${experiment}`);
    const cursor = `cursor: '${String(page['cursor'])}'`;
    expect(await server().query(`${query} | ${cursor}`)).to.deep.equal([]);
    expect(
      await server().query(`${query.replace('limit: 1', 'limit: 0')} | ${cursor}`),
    ).to.deep.equal([]);
  });
});
