// The files that a query can answer with, read by independent readers, equal the JSON answer value for value.
import { tableFromIPC, Vector } from 'apache-arrow';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { createProject } from '../support/objects.js';
import { readCsv } from '../support/read-csv.js';
import { sharedServer, type Json } from '../support/start-server.js';

const events = [
  { id: 'a', scores: { s: 1 }, metadata: { model: 'small', n: 1, mixed: 1, list: [1, 2] } },
  { id: 'b', scores: { s: 0 }, metadata: { model: 'small', n: 2, mixed: 'two', list: { x: 1 } } },
  { id: 'c', scores: { s: 0.1 }, metadata: { model: 'größer', n: 3, mixed: null } },
  { id: 'd', metadata: { model: null, n: 4, mixed: true }, tags: ['x', 'y, "z"'] },
  { id: 'e', scores: { s: 0.2, t: 7 }, input: 'two\nlines, "quoted"', output: '', expected: ' 1' },
  {
    id: 'f',
    scores: { s: 0.7 },
    input: '日本 😀',
    output: 'null',
    metadata: { n: -5, flag: false },
  },
  { id: 'g', input: { deep: [{ a: 'b' }] }, metadata: { n: 2.5, big: 1e300, tiny: 5e-324 } },
  { id: 'h', metadata: { n: 9007199254740991, flag: true }, created: '2024-02-29T23:59:59.123Z' },
].map((event, index) => Object.assign({ created: `2024-01-0${index + 1}T12:00:00Z` }, event));

/** Numbers that JavaScript would change. */
const exactEvents =
  '{"events":[{"id":"x","metadata":{"exact":12345678901234567890}},{"id":"y","metadata":{"exact":0.1000000000000000055511151231257827}}]}';

const queries = [
  'dimensions: metadata.model as model | measures: count(*) as n, avg(scores.s) as mean',
  'select: id, scores.s as s, metadata.n as n, metadata.mixed as m, metadata.list as list | sort: id',
  'select: id, metadata.n > 2 as big, metadata.n / 2 as half, created as at | sort: id',
  'select: id | filter: id = "nobody"',
  'select: id, metadata.nothing as nothing, null as none | sort: id',
  'select: * | filter: metadata.exact is null | sort: id',
  'select: input, output, expected | sort: id',
  'select: metadata.flag as flag, metadata.big as big, metadata.tiny as tiny | sort: id',
  'select: id, _xact_id, created, is_root | sort: id desc | limit: 3',
  'select: id, tags, tags[1] as second, len(tags) as many | sort: id',
  'select: concat(id, "-", metadata.model) as "a name, with ""quotes""" | sort: id',
  'select: sum(scores.s) as total, avg(scores.s) as mean, max(metadata.mixed) as last',
  'measures: count(*) as n, min(created) as first, any_value(metadata.unheard) as never',
  'dimensions: week(created) as week | measures: percentile(metadata.n, 50%) as half | filter: id < "h"',
  'dimensions: scores | measures: count(id) as n',
  'select: id, score, value | unpivot: scores as (score, value) | sort: id, score',
  'dimensions: metadata.flag as flag, is_root | measures: count(*) as n | pivot: n',
  'select: id, to_integer(metadata.n) as i, to_string(metadata.n) as s, to_datetime(created) as d | sort: id',
  'select: id, metadata.exact as exact, metadata.n as n | sort: id',
  'select: scores.s + 0.1 as more, -metadata.n as less, metadata.n % 2 as rest | sort: id',
  'select: metadata.n as n, metadata.model as N, id as "a,b", input as "é" | sort: id',
  'select: id, 1 as one, "x" as text, [1, {a: null}] as list, true as yes, 1.5 as half | limit: 2',
];

/** The content type of the answer by the header `Accept`. */
const accepted = {
  'application/vnd.apache.parquet': 'application/vnd.apache.parquet',
  'application/vnd.apache.arrow.stream': 'application/vnd.apache.arrow.stream',
  'text/csv': 'text/csv; charset=utf-8',
  'application/jsonl': 'application/x-ndjson; charset=utf-8',
  'application/x-ndjson': 'application/x-ndjson; charset=utf-8',
  '*/*': 'application/json; charset=utf-8',
  'text/html': 'application/json; charset=utf-8',
  'text/csv;q=0.5, application/vnd.apache.parquet': 'application/vnd.apache.parquet',
};

interface Column {
  readonly type?: string;
  readonly format?: string;
}

interface JsonAnswer {
  readonly data: readonly Json[];
  readonly schema: { readonly items: { readonly properties: Readonly<Record<string, Column>> } };
}

const moment = (value: unknown): number =>
  value instanceof Date
    ? value.getTime()
    : typeof value === 'number'
      ? value
      : Date.parse(String(value));

/** Without a type a column holds JSON text, which readers of Parquet parse, or a list. */
function meaning(value: unknown, { type, format }: Column): unknown {
  if (value === null || value === undefined) return null;
  if (format === 'date-time') return moment(value);
  if (type === undefined) return typeof value === 'string' ? parsed(value) : listed(value);
  if (type === 'boolean') return typeof value === 'string' ? value === 'true' : value;
  return type === 'string' ? value : Number(value);
}

/** A reader of Parquet has parsed a string already. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const listed = (value: unknown): unknown => (value instanceof Vector ? [...value] : value);

const entriesOf = (rows: readonly Json[], columns: Readonly<Record<string, Column>>) =>
  rows.map((row) => Object.entries(columns).map(([name, of]) => [name, meaning(row[name], of)]));

/** What the JSON answer prints, with moments as they are compared. */
const expectedEntries = ({ data, schema }: JsonAnswer) =>
  data.map((row) =>
    Object.entries(row).map(([name, value]) => {
      const isMoment = schema.items.properties[name]?.format === 'date-time';
      return [name, isMoment && value !== null ? moment(value) : value];
    }),
  );

for (const flushRows of ['1', '4', '100000'])
  describe(`formats of queries with segments of ${flushRows} rows`, () => {
    const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: flushRows } });
    let source: string;

    before(async () => {
      const { id: projectId } = await createProject(server());
      source = `from: project_logs('${projectId}')`;
      const insertPath = `/v1/project_logs/${projectId}/insert`;
      await server().request('POST', insertPath, { events: events.slice(0, 5) });
      await server().request('POST', insertPath, exactEvents);
      await server().request('POST', insertPath, { events: events.slice(5) });
    });

    async function ask(query: string, fmt: string): Promise<Response> {
      const response = await fetch(`${server().url}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server().key}` },
        body: JSON.stringify({ query: `${query} | ${source}`, fmt }),
      });
      expect(response.status).to.equal(200);
      return response;
    }

    const askJson = async (query: string) =>
      (await (await ask(query, 'json')).json()) as JsonAnswer;

    async function askFile(query: string, fmt: string, contentType: string, file: string) {
      const response = await ask(query, fmt);
      expect(response.headers.get('content-type')).to.equal(contentType);
      expect(response.headers.get('content-disposition')).to.equal(
        `attachment; filename="${file}"`,
      );
      expect(response.headers.get('x-evalstore-version')).to.match(/^\d{19}$/);
      const { data } = await askJson(query);
      expect(response.headers.get('x-evalstore-rows')).to.equal(String(data.length));
      return response;
    }

    for (const query of queries)
      it(query, async () => {
        const answer = await askJson(query);
        const columns = answer.schema.items.properties;
        const expected = expectedEntries(answer);

        const parquet = await askFile(
          query,
          'parquet',
          'application/vnd.apache.parquet',
          'query.parquet',
        );
        const file = await parquet.arrayBuffer();
        expect(Number(parquet.headers.get('content-length'))).to.equal(file.byteLength);
        const parquetRows = await parquetReadObjects({ file, compressors });
        expect(entriesOf(parquetRows, columns), 'parquet').to.deep.equal(expected);

        const arrow = await askFile(
          query,
          'arrow',
          'application/vnd.apache.arrow.stream',
          'query.arrows',
        );
        const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
        expect(table.schema.names).to.deep.equal(Object.keys(columns));
        const arrowRows = table.toArray().map((row) => (row as { toJSON(): Json }).toJSON());
        expect(entriesOf(arrowRows, columns), 'arrow').to.deep.equal(expected);

        const csv = await askFile(query, 'csv', 'text/csv; charset=utf-8', 'query.csv');
        const [names = [], ...cells] = readCsv(await csv.text());
        expect(names).to.deep.equal(Object.keys(columns));
        const csvRows = cells.map((row) =>
          Object.fromEntries(row.map((value, index) => [String(names[index]), value])),
        );
        expect(entriesOf(csvRows, columns), 'csv').to.deep.equal(expected);

        const jsonl = await askFile(
          query,
          'jsonl',
          'application/x-ndjson; charset=utf-8',
          'query.jsonl',
        );
        const lines = (await jsonl.text()).split('\n');
        expect(lines.pop()).to.equal('');
        expect(lines.map((line) => JSON.parse(line) as unknown)).to.deep.equal(answer.data);
      });

    it('a column may have no name', async () => {
      const query = 'select: id as "" | sort: id | limit: 1';
      const parquet = await (await ask(query, 'parquet')).arrayBuffer();
      expect(await parquetReadObjects({ file: parquet, compressors })).to.deep.equal([{ '': 'a' }]);
      expect(await (await ask(query, 'csv')).text()).to.equal('""\na\n');
      expect(await (await ask(query, 'jsonl')).text()).to.equal('{"":"a"}\n');
      // A name of no characters is left out by the library.
      const arrow = tableFromIPC(new Uint8Array(await (await ask(query, 'arrow')).arrayBuffer()));
      expect(arrow.getChildAt(0)?.get(0)).to.equal('a');
    });

    async function typeOf(accept: string, fmt?: string): Promise<string | null> {
      const response = await fetch(`${server().url}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server().key}`, accept },
        body: JSON.stringify({ query: `select: id | ${source}`, fmt }),
      });
      await response.arrayBuffer();
      return response.headers.get('content-type');
    }

    for (const [accept, contentType] of Object.entries(accepted))
      it(`Accept: ${accept} asks for ${contentType}, unless the body names a format`, async () => {
        expect(await typeOf(accept)).to.equal(contentType);
        expect(await typeOf(accept, 'csv')).to.equal('text/csv; charset=utf-8');
      });

    it('JSON Lines carry the cursor in a header', async () => {
      const first = await ask('select: id | limit: 6', 'jsonl');
      const ids = (await first.text()).trim().split('\n');
      const cursor = String(first.headers.get('x-evalstore-cursor'));
      const last = await ask(`select: id | limit: 6 | cursor: '${cursor}'`, 'jsonl');
      expect(last.headers.get('x-evalstore-cursor')).to.equal(null);
      const all = await ask('select: id', 'jsonl');
      expect([...ids, ...(await last.text()).trim().split('\n')]).to.deep.equal(
        (await all.text()).trim().split('\n'),
      );
    });
  });
