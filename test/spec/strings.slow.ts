// Strings are kept and compared code point by code point: as ids, keys, values, tags, aliases and names, wherever they are stored.
import { tableFromIPC, type Table } from 'apache-arrow';
import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Database } from '../../src/duckdb/database.js';
import { sql } from '../../src/duckdb/sql.js';
import { createExperiment, createProject } from '../support/objects.js';
import { around, oddCharacters, oddStrings } from '../support/odd-strings.js';
import { readCsv } from '../support/read-csv.js';
import { startServer, type Json, type ServerProcess } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const strings = [...new Set([...oddCharacters.map(around), ...oddStrings])];

/** Of the query language. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`;

const keys = oddStrings.filter((text) => text.length < 20);

const eventOf = (text: string) => ({
  id: text,
  input: text,
  output: keys.includes(text) ? { [text]: [text] } : text,
  metadata: { same: text, ...(keys.includes(text) && { [text]: text }) },
  tags: [text],
  span_id: text,
  root_span_id: text,
  dataset_record_id: text,
});

describe('strings', () => {
  const directory = temporaryDirectory();
  let server: ServerProcess;
  afterEach(() => server.kill());
  const options = () => ({
    dir: directory(),
    tuning: { compaction: { fanOut: 2, idleMs: 0 }, segments: { narrowRowsMin: 1 } },
  });

  async function ask(query: string, fmt?: string): Promise<Uint8Array> {
    const answer = await fetch(`${server.url}/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.key}` },
      body: JSON.stringify({ query, fmt }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(answer.status, Buffer.from(bytes).toString()).to.equal(200);
    return bytes;
  }

  const rowsOf = async (query: string): Promise<readonly Json[]> =>
    (JSON.parse(Buffer.from(await ask(query)).toString()) as { data: Json[] }).data;

  /** Every column of `select`, which holds strings, in every format. */
  async function inAllFormats(query: string, names: readonly string[]) {
    const json = (await rowsOf(query)).map((row) => names.map((name) => row[name]));
    const lines = Buffer.from(await ask(query, 'jsonl'))
      .toString()
      .trimEnd()
      .split('\n');
    const jsonl = lines.map((line) => names.map((name) => (JSON.parse(line) as Json)[name]));
    expect(jsonl).to.deep.equal(json);
    const [header, ...csv] = readCsv(Buffer.from(await ask(query, 'csv')).toString());
    expect(header).to.deep.equal(names);
    expect(csv).to.deep.equal(json);
    expect(await parquetRows(await ask(query, 'parquet'))).to.deep.equal([names, ...json]);
    const bytes = await ask(query, 'arrow');
    expect(arrowRows(tableFromIPC(bytes))).to.deep.equal(json);
    for (const name of names) expect(Buffer.from(bytes).includes(name)).to.equal(true);
    return json;
  }

  // The package that reads Parquet in other tests leaves out U+FEFF.
  async function parquetRows(bytes: Uint8Array): Promise<readonly (readonly unknown[])[]> {
    const file = path.join(directory(), 'answer.parquet');
    await writeFile(file, bytes);
    const database = await Database.open(':memory:', {
      memoryMb: 256,
      threads: 1,
      temporaryDirectory: path.join(directory(), 'tmp', 'answer'),
      allowedDirectories: [directory()],
    });
    try {
      return await database.use(async (connection) => {
        const schema = await connection.read(
          sql`SELECT encode(name)::VARCHAR AS name FROM parquet_schema(${file}) OFFSET 1`,
        );
        const values = await connection.read(
          sql`SELECT list_transform([*COLUMNS(*)], x -> hex(x)) AS v FROM read_parquet(${file})`,
        );
        return [schema.map(({ name }) => fromBlobText(name as string)), ...values.map(fromHex)];
      });
    } finally {
      await database.close();
    }
  }

  async function check(experiment: string, n: number): Promise<void> {
    const from = `from: experiment('${experiment}')`;
    const fetched = await server.events(`experiment/${experiment}`);
    const byId = new Map(fetched.map((event) => [event['id'], event]));
    expect(fetched.length).to.equal(strings.length);
    for (const text of strings) {
      const expected = eventOf(text);
      const metadata = { ...expected.metadata, n };
      expect(byId.get(text), JSON.stringify(text)).to.deep.include({ ...expected, metadata });
    }
    const names = ['id', 'same', '\ufeffinput', 'span_id', 'root_span_id', 'dataset_record_id'];
    const all = await inAllFormats(
      `select: id, metadata.same, input as ${quoted('\ufeffinput')}, span_id, root_span_id, dataset_record_id | ${from}`,
      names,
    );
    expect(all.length).to.equal(strings.length);
    for (const row of all) expect(new Set(row).size).to.equal(1);
    expect(new Set(all.flat())).to.deep.equal(new Set(strings));
    const groups = await inAllFormats(
      `dimensions: metadata.same | measures: min(id) as least, max(tags[0]) as most | ${from}`,
      ['same', 'least', 'most'],
    );
    expect(groups.length).to.equal(strings.length);
    for (const row of groups) expect(new Set(row).size).to.equal(1);
    await checkLiterals(from);
  }

  async function checkLiterals(from: string): Promise<void> {
    const list = strings.filter((text) => text.length < 9).map(quoted);
    for (const field of ['id', 'metadata.same', 'input', 'tags[0]', 'root_span_id']) {
      const found = await rowsOf(
        `measures: count(*) as n | ${from} | filter: ${field} IN [${list.join(', ')}]`,
      );
      expect(found, field).to.deep.equal([{ n: list.length }]);
    }
    const measures = keys.map((text) => {
      const literal = quoted(text);
      const conditions = [
        `id = ${literal}`,
        `metadata.same = ${literal}`,
        `output.${literal}[0] = ${literal}`,
        `metadata.${literal} = ${literal}`,
        `tags includes ${literal}`,
        `input LIKE ${quoted(text.replaceAll('%', String.raw`\%`))}`,
      ];
      return `sum(${conditions.join(' and ')}) as ${quoted(`${text} alias`)}`;
    });
    const counted = await rowsOf(`measures: ${measures.join(', ')} | ${from}`);
    expect(counted).to.deep.equal([Object.fromEntries(keys.map((text) => [`${text} alias`, 1]))]);
  }

  it('come back equal from every place and in every format', async () => {
    server = await startServer(options());
    const { id } = await createExperiment(server, (await createProject(server)).id);
    const insert = async (events: readonly object[]) => {
      await server.insert(`experiment/${id}`, events);
    };
    const restart = async () => {
      await server.kill();
      server = await startServer(options());
    };
    const merge = (n: number) =>
      insert(strings.map((text) => ({ id: text, _is_merge: true, metadata: { n } })));
    await insert(strings.map(eventOf));
    await merge(1);
    await check(id, 1);
    await restart();
    await merge(2);
    await check(id, 2);
    await server.settle();
    await merge(3);
    await server.settle();
    await restart();
    await merge(4);
    await check(id, 4);
    await server.stop();
  });
});

/** The reader of the package leaves out U+FEFF, too. */
function arrowRows(table: Table): readonly (readonly unknown[])[] {
  const columns = table.schema.fields.map((_, index) =>
    table.getChildAt(index)!.data.flatMap(({ values, valueOffsets, length }) =>
      Array.from({ length }, (_row, row) =>
        Buffer.from(values as Uint8Array)
          .subarray(valueOffsets[row], valueOffsets[row + 1])
          .toString(),
      ),
    ),
  );
  return (columns[0] ?? []).map((_, row) => columns.map((column) => column[row]));
}

const fromHex = ({ v }: Json) =>
  (v as readonly string[]).map((hex) => Buffer.from(hex, 'hex').toString());

/** Of the text of a blob: what is not printable ASCII is \xHH. */
const fromBlobText = (text: string): string =>
  Buffer.from(
    text.replaceAll(/\\x([\dA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  ).toString();
