import { expect } from 'chai';
import { QueryError } from '../../src/errors.js';
import { cursorOf, nextCursor } from '../../src/query/cursor/query-cursor.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import type { EventRelation } from '../../src/schema/event-relation.js';
import { trusted } from '../../src/duckdb/sql.js';
import { sharedEngine, type Engine } from './fixture.js';
import { compile, reader } from './golden-file.js';

type Span = Readonly<Record<string, string | number | boolean>>;

/** Three traces: t1 of a task with model calls and a scorer, t2 of two roots, t3 without a root. */
const rows: readonly Span[] = [
  {
    id: 'a1',
    trace: 't1',
    xact: 1,
    input: '"a question that is long"',
    metadata: '{"model":"small","n":[1,2,3]}',
    metrics: '{"start":1,"end":9,"cost":3}',
    span_attributes: '{"type":"task"}',
    scores: '{"x":1}',
  },
  {
    id: 'a2',
    trace: 't1',
    xact: 1,
    child: true,
    metrics: '{"prompt_tokens":10,"completion_tokens":5,"cost":5}',
    span_attributes: '{"type":"llm"}',
  },
  {
    id: 'a3',
    trace: 't1',
    xact: 5,
    child: true,
    metrics: '{"prompt_tokens":1,"tokens":7,"start":0,"end":100}',
    span_attributes: '{"type":"llm"}',
    error: '"failed"',
  },
  {
    id: 'a4',
    trace: 't1',
    xact: 2,
    child: true,
    scores: '{"x":0,"y":0.1}',
    metrics: '{"prompt_tokens":1000,"cost":1000}',
    span_attributes: '{"type":"llm","purpose":"scorer"}',
  },
  { id: 'b1', trace: 't2', xact: 3, input: '"first"', metrics: '{"start":2,"end":4,"tokens":3}' },
  { id: 'b2', trace: 't2', xact: 4, input: '"second"', scores: '{"x":0.3}' },
  { id: 'c1', trace: 't3', xact: 2, child: true, span_attributes: '{"type":"tool"}' },
];

const text = (value: string | number | boolean | undefined) =>
  value === undefined ? 'NULL' : `'${String(value)}'`;

function selectOf(row: Span, index: number): string {
  const json = ['input', 'error', 'scores', 'metadata', 'metrics', 'span_attributes'];
  const given = json.map((name) => `CAST(${text(row[name])} AS VARCHAR) AS ${name}`);
  const isChild = row['child'] === true;
  return `SELECT event.* REPLACE (${[
    `${text(row['id'])} AS id`,
    `${text(row['trace'])} AS root_span_id`,
    `CAST(${1000196022104358000 + Number(row['xact']) * 1000} AS BIGINT) AS _xact_id`,
    `${index} AS _position`,
    `${String(!isChild)} AS is_root`,
    `TIMESTAMP '2024-01-01' + to_seconds(${index}) AS created`,
    `NULL AS expected`,
    `NULL AS output`,
    `NULL AS tags`,
    ...given,
  ].join(', ')}) FROM event WHERE id = 'r1'`;
}

const relation: EventRelation = {
  branches: [rows.slice(0, 3), rows.slice(3)].map((part, branch) => ({
    name: `buffer ${branch}`,
    rows: trusted(
      `(${part.map((row, index) => selectOf(row, index + branch * 3)).join(' UNION ALL ')})`,
    ),
    hasLossless: false,
    paths: null,
  })),
};

const pageOf = (clauses: string) => compile(`${clauses} | from: experiment('e1')`, relation).page;

const queryFrom = (clauses: string, cursor: string) =>
  `select: id | from: experiment('e1')${clauses} | cursor: '${cursor}'`;

const firstTraces = (limit: number) =>
  `select: id | from: experiment('e1') traces | limit: ${limit}`;

/** The ids of each page, and the version that all but the first were asked for. */
async function walk(engine: Engine, clauses: string, limit: number) {
  const pages: unknown[][] = [];
  let cursor: string | null = null;
  do {
    const last: string = cursor === null ? '' : ` | cursor: '${cursor}'`;
    const query: string = `select: id | from: ${clauses} | limit: ${limit}${last}`;
    const { columns, page, valueRows } = compile(query, relation);
    if (page === null) throw new Error('the query has no pages');
    const found = await engine.result(columns, page.valueRows);
    const shown = found.slice(0, page.size);
    const { length } = await engine.all(valueRows);
    expect(length).to.equal(shown.length);
    pages.push(shown.map(({ text }) => (JSON.parse(text) as { id: string }).id));
    const ast = parseQuery(query);
    if (cursor !== null) expect(cursorOf(ast, reader)?.version).to.equal(77n);
    const place = String(shown.at(-1)?.place);
    cursor = found.length > page.size ? nextCursor(ast, reader, { version: 77n }, place) : null;
  } while (cursor !== null);
  return pages;
}

describe('shapes and pages', () => {
  const engine = sharedEngine();

  const run = async (clauses: string) => {
    const { columns, valueRows } = compile(clauses, relation);
    const found = await engine().result(columns, valueRows);
    return found.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  };

  const ids = async (clauses: string) => (await run(clauses)).map(({ id }) => id);

  const filtered = (filter: string, shape = 'traces') =>
    ids(`select: id | from: experiment('e1') ${shape} | filter: ${filter} | sort: id`);

  describe('traces', () => {
    it('have all rows of each trace with a row that passes', async () => {
      const found = await ids(
        "select: id | from: experiment('e1') traces | filter: error is not null or id = 'c1' | sort: id",
      );
      expect(found).to.deep.equal(['a1', 'a2', 'a3', 'a4', 'c1']);
    });

    it('are what limits count', async () => {
      expect(await ids(firstTraces(0))).to.deep.equal([]);
      expect(await ids(firstTraces(1))).to.deep.equal(['a3', 'a4', 'a2', 'a1']);
      expect(await ids(firstTraces(2))).to.deep.equal(['a3', 'b2', 'b1', 'a4', 'a2', 'a1']);
    });

    it('come in the order of the rows that are first', async () => {
      const query = "select: id | from: experiment('e1') traces | sort: id desc | limit: 2";
      expect(await ids(query)).to.deep.equal(['c1', 'b2', 'b1']);
      const tied = "select: id | from: experiment('e1') traces | sort: is_root desc | limit: 1";
      expect(await ids(tied)).to.deep.equal(['b2', 'b1']);
    });

    it('are counted row by row', async () => {
      const query = "measures: count(*) as n | from: experiment('e1') traces | filter: id = 'a1'";
      expect(await run(query)).to.deep.equal([{ n: 4 }]);
    });

    it('pass conditions of different rows', async () => {
      const llm = "span_attributes.type = 'llm'";
      expect(await filtered(`is_root and ${llm}`)).to.deep.equal([]);
      const all = ['a1', 'a2', 'a3', 'a4'];
      expect(await filtered(`any_span(is_root) and any_span(${llm})`)).to.deep.equal(all);
      expect(await filtered(`is_root and any_span(${llm}) and scores.x = 1`)).to.deep.equal(all);
      expect(await filtered(`is_root and any_span(${llm}) and scores.x = 0`)).to.deep.equal([]);
      expect(await filtered(`not any_span(${llm}) and not any_span(is_root)`)).to.deep.equal([
        'c1',
      ]);
      expect(await filtered("any_span(scores.x = 0.3) or id = 'c1'")).to.deep.equal([
        'b1',
        'b2',
        'c1',
      ]);
    });

    it('pass conditions of different rows in summaries', async () => {
      const both = "any_span(span_attributes.type = 'llm') and any_span(is_root)";
      expect(await filtered(both, 'summary')).to.deep.equal(['a1']);
      const query = `select: id | from: experiment('e1') summary | filter: not ${both} | limit: 5`;
      expect(await ids(query)).to.deep.equal(['b1']);
    });

    it('show some of their rows', async () => {
      const llm = "filter_spans(span_attributes.type = 'llm')";
      expect(await filtered(llm)).to.deep.equal(['a2', 'a3', 'a4']);
      expect(await filtered(`is_root and scores.x = 1 and ${llm}`)).to.deep.equal([
        'a2',
        'a3',
        'a4',
      ]);
      expect(await filtered(`id = 'c1' and ${llm}`)).to.deep.equal([]);
      const first = `select: id | from: experiment('e1') traces | filter: filter_spans(is_root) | limit: 1`;
      expect(await ids(first)).to.deep.equal(['a1']);
    });

    it('are sampled as a whole', async () => {
      const found = await ids("select: id | from: experiment('e1') traces | sample: 1");
      expect([['a3', 'a4', 'a2', 'a1'], ['b2', 'b1'], ['c1']]).to.deep.include(found);
    });
  });

  describe('summaries', () => {
    it('are one row for each trace', async () => {
      const found = await run(
        "select: id, root_span_id, input, scores, metrics, is_root | from: experiment('e1') summary",
      );
      expect(found).to.deep.equal([
        {
          id: 'a1',
          root_span_id: 't1',
          input: 'a question that is long',
          scores: { x: 0.5, y: 0.1 },
          metrics: {
            completion_tokens: 5,
            cost: 4,
            duration: 8,
            errors: 1,
            llm_calls: 2,
            prompt_tokens: 11,
            tool_calls: 0,
            total_tokens: 22,
          },
          is_root: true,
        },
        {
          id: 'b1',
          root_span_id: 't2',
          input: 'first',
          scores: { x: 0.3 },
          metrics: { duration: 2, errors: 0, llm_calls: 0, tool_calls: 0, total_tokens: 3 },
          is_root: true,
        },
        {
          id: 'c1',
          root_span_id: 't3',
          input: null,
          scores: null,
          metrics: { errors: 0, llm_calls: 0, tool_calls: 1 },
          is_root: false,
        },
      ]);
    });

    it('have the traces with a row that passes', async () => {
      const query = "select: id | from: experiment('e1') summary | filter: scores.x < 0.5";
      expect(await ids(query)).to.deep.equal(['a1', 'b1']);
    });

    it('sort, group and limit by what they show', async () => {
      const source = "from: experiment('e1') summary";
      expect(await ids(`select: id | ${source} | sort: scores.x | limit: 1`)).to.deep.equal(['b1']);
      const groups = await run(
        `dimensions: metrics.llm_calls | measures: count(*) as n | ${source}`,
      );
      expect(groups).to.deep.equal([
        { llm_calls: 0, n: 2 },
        { llm_calls: 2, n: 1 },
      ]);
    });

    it('cut long values, and look into whole ones', async () => {
      const source = "from: experiment('e1') summary | filter: id = 'a1'";
      const [row] = await run(
        `select: input, metadata, metadata.model = 'small' as m, scores, coalesce(metadata.none, input) as first | ${source} | preview_length: 10`,
      );
      expect(row).to.deep.equal({
        input: 'a question',
        metadata: '{"model":"',
        m: true,
        scores: { x: 0.5, y: 0.1 },
        first: 'a question',
      });
      const [whole] = await run(`select: metadata | ${source} | preview_length: -1`);
      expect(whole).to.deep.equal({ metadata: { model: 'small', n: [1, 2, 3] } });
    });

    it('of nothing are nothing', () => {
      const query = "select: id | from: experiment('e1') summary";
      expect(() => compile(query, { branches: [] })).not.to.throw();
    });
  });

  describe('pages', () => {
    it('have every row once, in the order of the whole', async () => {
      for (const clauses of [
        "experiment('e1')",
        "experiment('e1') | sort: _xact_id",
        "experiment('e1') | sort: _xact_id desc",
        "experiment('e1') | filter: scores.x >= 0",
        "experiment('e1') | sample: 60%",
        "experiment('e1') summary",
        "experiment('e1') | sort: id",
        "experiment('e1') | sort: scores.x desc",
        "experiment('e1') | sort: metadata.v, scores.x",
        "experiment('e1') | sort: input desc, id desc",
        "experiment('e1') | sort: created, metrics.start desc",
        "experiment('e1') | sort: _xact_id, id",
        "experiment('e1') | sort: _pagination_key",
        "experiment('e1') | sort: _pagination_key desc",
        "experiment('e1') | sort: scores.x | filter: scores.x >= 0 | sample: 60%",
        "experiment('e1') summary | sort: scores.x desc",
        "experiment('e1') | unpivot: scores as (score, value) | sort: value desc",
      ]) {
        const whole = await ids(`select: id | from: ${clauses}`);
        for (const limit of clauses.includes('sort: ') ? [3] : [1, 2, 3, 7]) {
          const pages = await walk(engine(), clauses, limit);
          expect(pages.flat(), clauses).to.deep.equal(whole);
          expect(pages.length, clauses).to.equal(Math.max(1, Math.ceil(whole.length / limit)));
        }
      }
    });

    it('are not made of what has no lasting order', () => {
      expect(pageOf('select: id')).to.equal(null);
      expect(pageOf('select: id | limit: 0')).to.equal(null);
      expect(pageOf('select: id | sort: id | limit: 1')).not.to.equal(null);
      expect(pageOf('measures: count(*) | limit: 1')).to.equal(null);
      expect(pageOf('select: id | sample: 2 | limit: 1')).to.equal(null);
    });

    it('refuse cursors of other queries, damaged ones, and queries without pages', () => {
      const ast = parseQuery("select: id | from: experiment('e1')");
      const place = '["t1","1000196022104358000","0"]';
      const cursor = nextCursor(ast, reader, { version: 7n }, place);
      expect(() => compile(queryFrom(' | limit: 3', cursor), relation)).not.to.throw();
      const foreign = 'query line 1, column 71: cursor: not a cursor of this query';
      expect(() => compile(queryFrom(" | filter: id = 'abcdef'", cursor), relation)).to.throw(
        QueryError,
        foreign,
      );
      expect(() => compile(queryFrom('', cursor.slice(1)), relation)).to.throw(
        QueryError,
        'query line 1, column 47: cursor: not a cursor of this query',
      );
      const sampled = parseQuery("select: id | from: experiment('e1') | sample: 3");
      expect(() =>
        compile(
          queryFrom(' | sample: 3', nextCursor(sampled, reader, { version: 7n }, place)),
          relation,
        ),
      ).to.throw(
        QueryError,
        "query line 1, column 59: cursor: groups, 'traces' and a sample of a number of rows have no pages",
      );
    });
  });
});
