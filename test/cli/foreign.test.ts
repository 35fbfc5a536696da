// Exports of other tools, shaped by their published schemas, as queries read them after the import.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { foreignNames, type ForeignName } from '../../src/cli/import/foreign/foreign-formats.js';
import { runEvalstore, runHere } from '../support/command-line.js';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const files: Readonly<Record<ForeignName, readonly string[]>> = {
  otlp: ['otlp.jsonl'],
  langfuse: ['langfuse.jsonl', 'langfuse-export.jsonl'],
  langsmith: ['langsmith.jsonl'],
  phoenix: ['phoenix.jsonl', 'phoenix-page.json'],
  mlflow: ['mlflow.jsonl'],
  'inspect-ai': ['inspect-ai.json', 'inspect-ai.eval'],
  'lm-eval': ['lm-eval.jsonl'],
};

const goldenOf = (file: string) =>
  `test/cli/foreign/${file.replace('.eval', '-archive').replace(/\.jsonl?$/, '')}.golden.json`;

const fields = [
  'id',
  'span_id',
  'root_span_id',
  'span_parents',
  'input',
  'output',
  'expected',
  'error',
  'scores',
  'tags',
  'metadata',
  'metrics',
  'span_attributes',
];

/** A zip of JSON documents by their names. */
const zipOf = (documents: Readonly<Record<string, unknown>>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(documents).map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]),
    ),
  );

const request = (...scopeSpans: readonly object[]) =>
  JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans }] });
const span = (fields: object) => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), ...fields });

describe('evalstore import --from', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();

  const running =
    <T>(start: (words: readonly string[], variables: Record<string, string>) => T) =>
    (words: readonly string[], project = `project ${randomUUID()}`): T =>
      start(['import', ...words, '--project', project, '--experiment', 'e'], {
        EVALSTORE_URL: server().url,
        EVALSTORE_KEY: server().key,
      });
  const run = running(runHere);
  const spawned = running(runEvalstore);

  const rowsOf = async (id: string, names: readonly string[] = fields) => {
    const query = `select: ${names.join(', ')} | from: experiment('${id}') | sort: id`;
    return (await server().query(query)).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    );
  };

  for (const [name, file] of foreignNames.flatMap((tool) =>
    files[tool].map((each) => [tool, each] as const),
  ))
    it(`${name} gives the events of ${file} that the golden file shows`, async () => {
      const project = `project ${randomUUID()}`;
      const words = [`test/cli/foreign/${file}`, '--from', name, '--json'];
      // The bundle loads the readers of formats late.
      const isBundle = file.endsWith('.eval');
      const { status, stdout, stderr } = await (isBundle ? spawned : run)(words, project);
      expect([status, stderr]).to.deep.equal([0, '']);
      const { id, stored } = JSON.parse(stdout) as { id: string; stored: number };
      const rows = await rowsOf(id);
      if (process.env['EVALSTORE_WRITE_GOLDEN'] !== undefined)
        writeFileSync(goldenOf(file), `${JSON.stringify(rows, null, 2)}\n`);
      expect(rows).to.deep.equal(JSON.parse(readFileSync(goldenOf(file), 'utf8')));
      const before = await rowsOf(id, ['id', '_xact_id']);
      expect(JSON.parse((await run(words, project)).stdout)).to.include({
        stored: 0,
        skipped: stored,
      });
      expect(await rowsOf(id, ['id', '_xact_id'])).to.deep.equal(before);
    });

  it('skips spans that an exporter sent, and adds the others to them', async () => {
    const [line = ''] = readFileSync('test/cli/foreign/otlp.jsonl', 'utf8').split('\n');
    const { id, name } = await createProject(server());
    const headers = { 'x-bt-parent': `project_id:${id}`, 'content-type': 'application/json' };
    await server().request('POST', '/otel/v1/traces', line, { headers });
    await server().post(`/v1/project_logs/${id}/feedback`, {
      feedback: [{ id: '1111111111111113', scores: { judged: 1 } }],
    });
    const words = ['import', 'test/cli/foreign/otlp.jsonl', '--from', 'otlp', '--logs', '--json'];
    const variables = { EVALSTORE_URL: server().url, EVALSTORE_KEY: server().key };
    const { stdout } = await runHere([...words, '--project', name], variables);
    expect(JSON.parse(stdout)).to.include({ id, stored: 2, skipped: 2 });
    const query = `select: id, scores | from: project_logs('${id}') | sort: id`;
    expect(await server().query(query)).to.deep.equal([
      { id: '1111111111111111', scores: null },
      { id: '1111111111111113', scores: { judged: 1 } },
      { id: '1111111111111114', scores: null },
      { id: '1111111111111115', scores: null },
    ]);
  });

  it('reads an archive in deflate, of a run that has not ended', async () => {
    const file = path.join(directory(), 'running.eval');
    const sample = { id: 'a/b', epoch: 1, input: 'i', output: { completion: 'o' } };
    const entries = {
      '_journal/start.json': { eval: { run_id: 'r', task: 't', dataset: { samples: 1 } } },
      'samples/a/b_epoch_1.json': sample,
    };
    writeFileSync(file, zipOf(entries));
    const { stdout, stderr } = await run([file, '--from', 'inspect-ai', '--json']);
    expect(stderr).to.equal('');
    const { id } = JSON.parse(stdout) as { id: string };
    expect(await rowsOf(id, ['id', 'output'])).to.deep.equal([{ id: 'r-a/b-1', output: 'o' }]);
  });

  it('reads the answers of APIs with a list of records in them', async () => {
    for (const [tool, page] of [
      ['langfuse', 'data'],
      ['langsmith', 'runs'],
    ] as const) {
      const file = path.join(directory(), `${tool}-page.json`);
      const records = [
        { id: 'a', name: 'first' },
        { id: 'b', name: 'second' },
      ];
      writeFileSync(file, JSON.stringify({ [page]: records, next: null }, null, 2));
      const { id } = JSON.parse((await run([file, '--from', tool, '--json'])).stdout) as {
        id: string;
      };
      expect(await rowsOf(id, ['id', 'span_attributes'])).to.deep.equal(
        records.map((record) => ({ id: record.id, span_attributes: { name: record.name } })),
      );
    }
  });

  const bad: readonly (readonly [
    name: ForeignName,
    content: string | Uint8Array,
    sentence: string,
  ])[] = [
    ['otlp', '{"resourceMetrics":[]}', 'line 1: this is no request of OTLP with "resourceSpans"'],
    [
      'otlp',
      '\n{"resourceSpans":[{"instrumentationLibrarySpans":[]}]}',
      'line 2: a member of "resourceSpans" has no "scopeSpans"',
    ],
    ['otlp', request({ spans: [7] }), 'line 1: "spans": expected a list of objects'],
    [
      'otlp',
      `${request()}\n${request({ spans: [span({})] }, { spans: [span({ traceId: 'x' })] })}`,
      'line 2: traceId: expected 32 hex digits that are not all 0, got "x"',
    ],
    ['otlp', request({ spans: [span({ name: 7 })] }), 'line 1: name: expected a string, got 7'],
    ['otlp', '{"resourceSpans":[]}\n{', 'line 2: the object has no end'],
    ['otlp', '{"resourceSpans":[]}\n]', 'line 2: expected a JSON object'],
    [
      'lm-eval',
      '{\n"results":{"gsm8k":{"exact_match,strict-match":0.5}}}',
      'line 1: this is no record of lm-evaluation-harness: the samples are in samples_*.jsonl beside it, which --log_samples writes',
    ],
    ['inspect-ai', zipOf({ a: 1 }), 'this is no log of inspect_ai'],
    [
      'inspect-ai',
      zipOf({ 'header.json': { eval: {} }, 'samples/1_epoch_1/sample.json': {} }),
      'samples/1_epoch_1/sample.json: this is a part of a sample: convert the log to JSON first',
    ],
    ['inspect-ai', zipOf({ 'header.json': {} }), 'the header names no run'],
    [
      'inspect-ai',
      zipOf({ 'header.json': { eval: {} }, 'samples/1_epoch_1.json': { id: 1 } }),
      'sample 1: this is no record of inspect_ai',
    ],
    ['inspect-ai', 'PK', 'this is no zip that can be read: '],
  ];
  for (const [index, [name, content, sentence]] of bad.entries())
    it(`stops a file of ${name}: ${sentence}`, async () => {
      const file = path.join(directory(), `bad-${index}.json`);
      writeFileSync(file, content);
      const { status, stderr } = await run([file, '--from', name]);
      expect(status).to.equal(1);
      expect(stderr).to.satisfy((said: string) => said.startsWith(`${file}: ${sentence}`));
    });

  it('refuses spans for a dataset', async () => {
    const words = ['import', 'test/cli/foreign/otlp.jsonl', '--from', 'otlp'];
    expect(await runHere([...words, '--project', 'p', '--dataset', 'd'])).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: 'spans go to --logs or to --experiment, and not to a dataset\n',
    });
  });

  it('refuses a record of something else, and a map', async () => {
    const file = path.join(directory(), 'a.jsonl');
    writeFileSync(file, '{"id":"trace","name":"t"}\n{"name":"nothing"}\n');
    expect(await run([file, '--from', 'langfuse'])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `${file}: line 2: this is no record of Langfuse; 0 rows were stored, and the same command goes on\n`,
    });
    expect(await run([file, '--from', 'langfuse', '--map', 'input=name'])).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: "--map is for rows of one's own, and --from langfuse has its fields\n",
    });
  });
});
