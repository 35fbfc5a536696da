// The texts of queries that published clients send, as they send them.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';

interface Answer {
  readonly data: readonly Json[];
  readonly cursor?: string;
}

for (const flushRows of ['3', '100000'])
  describe(`published queries over segments of ${flushRows} rows`, () => {
    const server = sharedServer({
      environment: { EVALSTORE_FLUSH_ROWS: flushRows },
      tuning: { chunks: { rows: 2, bytes: 2 ** 40, dividedRows: 1 } },
    });
    let project: string;
    let experiment: string;

    const post = (query: unknown, more: object = {}) =>
      server().request('POST', '/btql', { query, ...more });

    const ask = async (query: string): Promise<Answer> =>
      (await post(query)).json() as unknown as Answer;

    const ids = async (query: string) => (await ask(query)).data.map(({ id }) => id);

    before(async () => {
      project = (await createProject(server())).id;
      experiment = (await createExperiment(server(), project)).id;
      for (const number of [0, 1, 2, 3, 4]) {
        const trace = { root_span_id: `t${number}`, input: `hello ${number}` };
        const events = [
          { id: `a${number}`, ...trace, span_id: 'a', span_attributes: { name: 'task' } },
          { id: `b${number}`, ...trace, span_id: 'b', span_parents: ['a'], tags: ['urgent'] },
          { id: `s${number}`, ...trace, span_parents: ['a'], span_attributes: { type: 'score' } },
        ];
        await server().insert(`project_logs/${project}`, events);
        await server().insert(`experiment/${experiment}`, events);
      }
    });

    const recent = 'created >= NOW() - INTERVAL 604800 SECOND';

    async function walk(query: string): Promise<readonly Json[]> {
      const seen: Json[] = [];
      let page = await ask(query);
      seen.push(...page.data);
      while (page.cursor !== undefined) {
        page = await ask(`${query} | cursor: '${page.cursor}'`);
        seen.push(...page.data);
      }
      return seen;
    }

    it('walk summaries by their page keys', async () => {
      const query = `select: * | from: project_logs('${project}') summary | filter: ${recent} | preview_length: 125 | sort: _pagination_key DESC | limit: 2`;
      const seen = await walk(query);
      expect(seen.map(({ root_span_id: trace }) => trace)).to.deep.equal([
        't4',
        't3',
        't2',
        't1',
        't0',
      ]);
      const keys = seen.map((row) => String(row['_pagination_key']));
      expect(keys).to.deep.equal(keys.toSorted((a, b) => (a < b ? 1 : -1)));
    });

    for (const [direction, first, last] of [
      ['DESC', 's4', 'a0'],
      ['ASC', 'a0', 's4'],
    ] as const)
      it(`walk spans by their page keys, ${direction}`, async () => {
        const query = `select: * | from: project_logs('${project}') spans | limit: 4 | sort: _pagination_key ${direction} | filter: ${recent}`;
        const seen = await walk(query);
        const found = seen.map(({ id }) => String(id));
        expect([found.length, new Set(found).size, found[0], found.at(-1)]).to.deep.equal([
          15,
          15,
          first,
          last,
        ]);
        const after = seen[3]?.['_pagination_key'];
        const compared = direction === 'DESC' ? '<' : '>';
        const rest = await ids(
          `select: id | from: project_logs('${project}') | filter: _pagination_key ${compared} '${String(after)}' | sort: _pagination_key ${direction}`,
        );
        expect(rest).to.deep.equal(found.slice(4));
      });

    it('walk in the order of any values', async () => {
      for (const sort of ['input desc, id', 'span_attributes.type', 'created', 'tags, id desc']) {
        const query = `select: id, input | from: project_logs('${project}') | sort: ${sort}`;
        expect(await walk(`${query} | limit: 4`), sort).to.deep.equal((await ask(query)).data);
      }
    });

    it('search', async () => {
      const fields = ['input', 'expected', 'metadata', 'tags', 'output', 'span_attributes'];
      const search = fields.map((field) => `${field} MATCH 'urgent'`).join(' OR ');
      const query = `select: * | from: project_logs('${project}') spans | filter: (${recent}) AND (${search}) | preview_length: 125 | sort: _pagination_key DESC | limit: 50`;
      expect(await ids(query)).to.deep.equal(['b4', 'b3', 'b2', 'b1', 'b0']);
    });

    it('read the traces of a list', async () => {
      const query = `select: * | from: project_logs('${project}') spans | filter: root_span_id IN ['t1', 't3'] | limit: 1000 | sort: _pagination_key ASC`;
      expect(await ids(query)).to.deep.equal(['a1', 'b1', 's1', 'a3', 'b3', 's3']);
    });

    it('read the spans of a trace with their names', async () => {
      const query = `select: span_id, span_parents, root_span_id, name | from: project_logs('${project}') | filter: root_span_id = 't1' and name is not null`;
      expect((await ask(query)).data).to.deep.equal([
        { span_id: 'a', span_parents: null, root_span_id: 't1', name: 'task' },
      ]);
    });

    it('read the spans of a trace in SQL', async () => {
      const where = "WHERE root_span_id = 't1' AND span_attributes.type != 'score'";
      const query = `SELECT * FROM experiment('${experiment}') ${where}`;
      const { text } = await post(`${query} LIMIT 1000`, { fmt: 'jsonl' });
      expect(text).to.equal('');
      const all = `SELECT * FROM project_logs('${project}') WHERE root_span_id = 't1' ORDER BY created ASC LIMIT 1000`;
      expect(await ids(all)).to.have.members(['a1', 'b1', 's1']);
      const size = `SELECT max(_xact_id) as version, count(*) as count FROM experiment('${experiment}')`;
      const [row] = (await ask(size)).data;
      expect(row).to.include({ count: 15 }).and.to.have.property('version');
    });

    it('page through SQL', async () => {
      const query = `SELECT id FROM experiment('${experiment}') ORDER BY id LIMIT 8`;
      const first = await ask(query);
      const second = await ask(`${query} CURSOR '${first.cursor}'`);
      const found = [...first.data, ...second.data].map(({ id }) => id);
      expect(found).to.deep.equal(
        await ids(`SELECT id FROM experiment('${experiment}') ORDER BY 1`),
      );
      expect(second.cursor).to.equal(undefined);
    });
  });
