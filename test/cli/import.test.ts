// `evalstore import` of files of rows: what is stored, what a second run changes, and what is refused.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import { startProgress } from '../../src/cli/progress.js';
import { runEvalstore, runHere, type Ended } from '../support/command-line.js';
import { flakyProxy } from '../support/flaky-proxy.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Summary {
  readonly kind: string;
  readonly id: string;
  readonly stored: number;
  readonly skipped: number;
}

const summaryOf = ({ stdout }: Ended) => JSON.parse(stdout) as Summary;

const logs = () => ['--project', `project ${randomUUID()}`, '--logs', '--json'];

const row = (id: string, fields: object = {}) => ({
  id,
  input: null,
  output: null,
  metadata: null,
  scores: null,
  ...fields,
});

const inMetadata = (file: string, columns: string) =>
  `${file}: these columns are no fields of events, and are in metadata: ${columns}\n`;

const drawn = (isTTY: boolean) => {
  const terminal = Object.assign(new PassThrough(), { isTTY });
  const progress = startProgress({ terminal }, { label: 'x', totalBytes: 4_000_000 });
  progress.add(7);
  progress.addBytes(1_000_000);
  progress.end();
  terminal.end();
  return textOf(terminal);
};

describe('evalstore import', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();
  const variables = () => ({ EVALSTORE_URL: server().url, EVALSTORE_KEY: server().key });

  const fileOf = (name: string, content: string | Uint8Array) => {
    const file = path.join(directory(), name);
    writeFileSync(file, content);
    return file;
  };
  const run = (words: readonly string[]) => runHere(['import', ...words], variables());

  /** With standard input, of a process of its own. */
  const piped = (words: readonly string[], input = '') =>
    runEvalstore(['import', ...words], variables(), input);

  const imported = async (words: readonly string[], note = '') => {
    const { status, stdout, stderr } = await run(words);
    expect([status, stderr], stdout).to.deep.equal([0, note]);
    return JSON.parse(stdout) as Summary;
  };
  const rowsOf = async ({ kind, id }: Summary, select = 'input, output, metadata, scores') => {
    const query = `select: id, ${select} | from: ${kind}('${id}') | sort: id`;
    const { data } = (await server().post('/query', { query })) as { data: unknown[] };
    return data;
  };

  const twoRows = [
    row('a', { input: { q: 1 }, scores: { s: 0.5 } }),
    row('b', { input: 'two', metadata: { model: 'm' } }),
  ];
  const lines =
    '{"id":"a","input":{"q":1},"scores":{"s":0.5}}\n\n{"id":"b","input":"two","metadata":{"model":"m"}}';
  const array =
    '[\n {"id":"a","input":{"q":1},"scores":{"s":0.5}},\n {"id":"b","input":"two","metadata":{"model":"m"}}\n]\n';
  const csv = 'id,input,scores.s,metadata.model\na,"{""q"":1}",0.5,\nb,two,,m\n';

  const forms: Readonly<Record<string, string | Uint8Array>> = {
    'rows.jsonl': lines,
    'rows.ndjson': lines.replaceAll('\n', '\r\n'),
    'rows.json': array,
    'lines.json': lines,
    'rows.csv': csv,
    'rows.jsonl.gz': gzipSync(lines),
    'rows.csv.gz': gzipSync(csv),
    other: array,
  };
  for (const [name, content] of Object.entries(forms))
    it(`reads ${name}`, async () => {
      const summary = await imported([fileOf(name, content), ...logs()]);
      expect(summary).to.include({ kind: 'project_logs', stored: 2, skipped: 0 });
      expect(await rowsOf(summary)).to.deep.equal(twoRows);
    });

  it('reads standard input, and the format that is named', async () => {
    expect(await rowsOf(summaryOf(piped(['-', ...logs()], lines)))).to.deep.equal(twoRows);
    const summary = summaryOf(piped(['-', ...logs(), '--from', 'csv'], csv));
    expect(await rowsOf(summary)).to.deep.equal(twoRows);
  });

  it('reads Parquet and zstd', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const file = path.join(directory(), "it's.parquet");
    const compressed = path.join(directory(), 'rows.jsonl.zst');
    await connection.run(
      `COPY (SELECT 'a' AS id, {'q': 1} AS input, 12345678901234567890::UBIGINT AS count, '{"t":1}' AS metadata
        UNION ALL SELECT 'b', NULL, NULL, NULL) TO '${file.replaceAll("'", "''")}'`,
    );
    await connection.run(
      `COPY (SELECT '{"id":"a","input":' || i || '}' AS "line" FROM range(7, 8) t(i))
        TO '${compressed}' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\t', ESCAPE '', COMPRESSION zstd)`,
    );
    connection.closeSync();
    instance.closeSync();
    // The bundle loads the readers of formats late.
    const ended = piped([file, ...logs()]);
    expect(ended.stderr).to.equal(inMetadata(file, 'count'));
    const summary = summaryOf(ended);
    const { text } = await server().request('POST', '/query', {
      query: `select: id, input, metadata | from: project_logs('${summary.id}') | sort: id`,
      fmt: 'jsonl',
    });
    expect(text).to.equal(
      '{"id":"a","input":{"q":1},"metadata":{"t":1,"count":12345678901234567890}}\n{"id":"b","input":null,"metadata":null}\n',
    );
    expect(await rowsOf(summaryOf(piped([compressed, ...logs()])))).to.deep.equal([
      row('a', { input: 7 }),
    ]);
  });

  it('takes fields from the columns of a map, and the other columns into metadata', async () => {
    const file = fileOf(
      'mapped.jsonl',
      '{"question":"q","run":{"model":"m"},"n":12345678901234567890,"10":2,"9":3}\n',
    );
    const words = ['--project', `project ${randomUUID()}`, '--experiment', 'e', '--json'];
    const map = ['--map', 'input=question', '--map', 'metadata.model=run.model'];
    const summary = await imported([file, ...words, ...map], inMetadata(file, 'run, n, 10, 9'));
    expect(summary.kind).to.equal('experiment');
    const { text } = await server().request('POST', '/query', {
      query: `select: input, metadata | from: experiment('${summary.id}')`,
      fmt: 'jsonl',
    });
    expect(text).to.equal(
      '{"input":"q","metadata":{"run":{"model":"m"},"n":12345678901234567890,"10":2,"9":3,"model":"m"}}\n',
    );
  });

  it('changes nothing the second time, adds what is new, and replaces if told to', async () => {
    const words = ['--project', `project ${randomUUID()}`, '--dataset', 'd', '--json'];
    const content = '{"input":1}\n{"input":1}\n{"id":"it\'s \\\\ \\"x\\"","input":3}\n';
    const file = fileOf('twice.jsonl', content);
    const summary = await imported([file, ...words]);
    expect(summary).to.include({ kind: 'dataset', stored: 3, skipped: 0 });
    const before = await rowsOf(summary, '_xact_id, input');
    expect(await imported([file, ...words])).to.include({ id: summary.id, stored: 0, skipped: 3 });
    expect(await rowsOf(summary, '_xact_id, input')).to.deep.equal(before);
    fileOf('twice.jsonl', `${content}{"input":4}\n`);
    expect(await imported([file, ...words])).to.include({ stored: 1, skipped: 3 });
    expect(await imported([file, ...words, '--replace'])).to.include({ stored: 4, skipped: 0 });
    expect(await rowsOf(summary, 'input')).to.have.length(4);
  });

  it('says what it did', async () => {
    const file = fileOf('said.jsonl', lines);
    const { stdout } = await run([
      file,
      '--project',
      `project ${randomUUID()}`,
      '--experiment',
      'e',
    ]);
    expect(stdout).to.match(/^e: 2 rows stored, 0 were there, [\d.]+ s\n$/);
  });

  const bad: readonly (readonly [
    name: string,
    content: string | Uint8Array,
    sentence: string | RegExp,
    words?: readonly string[],
  ])[] = [
    ['a.jsonl', '{"id":"a"}\n{"id":\n', /^line 2: .*; 0 rows were stored/],
    ['b.jsonl', '[1]\n', 'line 1: expected a JSON object'],
    ['c.jsonl', '{"input":1}\n\n{"scores":{"s":"x"}}\n', /^line 3: .*scores.*finite number/],
    ['d.json', '[{"id":"a"},\n{"id":"b"}', 'line 2: the array has no end'],
    ['e.json', '[{"id":"a"},,]', 'line 1: an element of the array is missing'],
    ['f.json', '[{"id":"a"}]\n[]', 'line 2: expected one JSON array'],
    ['g.csv', 'a,a\n1,2\n', 'row 1: two columns have the name "a"'],
    ['h.csv', 'a,b\n1,2,3\n', 'row 2: expected 2 cells as in the line of names, got 3'],
    ['i.jsonl', Buffer.from([0x7b, 0xff]), 'the text is no UTF-8'],
    ['j.jsonl', Buffer.concat([gzipSync(lines).subarray(0, 20)]), /^the gzip is damaged: /],
    ['k.jsonl', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 9, 9, 9, 9, 9, 9]), /^the zstd is damaged: /],
    ['l.parquet', 'PAR1', /^this is no Parquet that can be read: /],
    [
      'm.jsonl',
      '{"model":1,"metadata":{"model":2}}\n',
      'line 1: two columns belong to metadata.model: map one of them with --map',
    ],
    [
      'n.jsonl',
      '{"model":1,"metadata":2}\n',
      'line 1: "metadata" is no object, so there is no place for metadata.model',
    ],
    [
      'o.jsonl',
      '{"question":1}\n',
      'no row has the column "qestion" of --map',
      ['--map', 'input=qestion'],
    ],
  ];
  for (const [name, content, sentence, words = []] of bad)
    it(`stops at ${name}: ${String(sentence)}`, async () => {
      const file = fileOf(name, content);
      const { status, stdout, stderr } = await run([file, ...logs(), ...words]);
      expect([status, stdout], stderr).to.deep.equal([1, '']);
      const [, said = ''] = stderr.split(`${file}: `);
      if (typeof sentence === 'string')
        expect(said).to.equal(`${sentence}; 0 rows were stored, and the same command goes on\n`);
      else expect(said).to.match(sentence);
      expect(stderr.split('\n')).to.have.length(2);
    });

  it('says how many rows were stored before a bad line', async () => {
    const many = Array.from({ length: 1500 }, (_, index) => `{"input":${index}}\n`).join('');
    const file = fileOf('many.jsonl', `${many}{`);
    const { status, stderr } = await run([file, ...logs()]);
    expect(status).to.equal(1);
    expect(stderr).to.match(
      /many\.jsonl: line 1501: .*; 1000 rows were stored, and the same command goes on\n$/,
    );
  });

  const wrong: readonly (readonly [words: readonly string[], sentence: string])[] = [
    [[], "error: missing required argument 'file'\nAdd --help for more."],
    [['x.jsonl', '--logs'], 'name the project of the rows with --project'],
    [
      ['x.jsonl', '--project', 'p'],
      'say where the rows go with one of --experiment, --dataset and --logs',
    ],
    [
      ['x.jsonl', '--project', 'p', '--logs', '--dataset', 'd'],
      'say where the rows go with one of --experiment, --dataset and --logs',
    ],
    [['x.jsonl', '--project', 'p', '--logs'], 'x.jsonl: there is no such file'],
    [
      ['x.jsonl', '--from', 'xml'],
      "error: option '--from <format>' argument 'xml' is invalid. Allowed choices are jsonl, json, csv, parquet, otlp, langfuse, langsmith, phoenix, mlflow, inspect-ai, lm-eval.\nAdd --help for more.",
    ],
    [['x', '--project', 'p', '--logs', '--map', 'input'], '--map input: expected FIELD=COLUMN'],
    [
      ['x', '--project', 'p', '--dataset', 'd', '--map', 'scores.s=x'],
      '--map scores.s=x: events have no field "scores"; fields are',
    ],
    [['.', 'x'], 'import one directory at a time, and no files with it'],
    [['.', '--logs'], '--logs is for files of rows, and . is a directory'],
    [
      ['-', '--project', 'p', '--logs'],
      '-: the format does not follow from the name and the first characters: name it with --from',
    ],
    [
      ['-', '--project', 'p', '--logs', '--from', 'parquet'],
      '-: Parquet is read from a file that is not compressed as a whole',
    ],
  ];
  for (const [words, sentence] of wrong)
    it(`refuses ${words.join(' ')}`, async () => {
      const { status, stdout, stderr } = words[0] === '-' ? piped(words) : await run(words);
      expect([status, stdout]).to.deep.equal([2, '']);
      expect(stderr.startsWith(sentence), stderr).to.equal(true);
    });

  it('sends a batch again that was cut or refused for now', async () => {
    const proxy = await flakyProxy(server().url, (url) => url.endsWith('/insert'), ['cut', 429]);
    const words = ['import', fileOf('again.jsonl', lines), ...logs()];
    const { stdout, stderr } = await runHere(words, { ...variables(), EVALSTORE_URL: proxy.url });
    proxy.close();
    expect(stderr).to.equal('');
    expect(proxy.seen).to.have.length(3);
    expect(await rowsOf(JSON.parse(stdout) as Summary)).to.deep.equal(twoRows);
  });

  it('shows progress on a terminal alone', async () => {
    expect(await drawn(false)).to.equal('');
    const [, line] = (await drawn(true)).split('\r\u001B[K').toReversed();
    expect(line).to.match(/^x: 7 rows, \d+\/s, 1\.0 MB \(25%\)$/);
  });
});
