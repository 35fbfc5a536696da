// Exports of other tools, shaped by their published schemas, as queries read them after the import.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { foreignNames, type ForeignName } from '../../src/cli/import/foreign/foreign-formats.js';
import { runEvalstore } from '../support/command-line.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const files: Readonly<Record<ForeignName, string>> = {
  langfuse: 'langfuse.jsonl',
  langsmith: 'langsmith.jsonl',
  phoenix: 'phoenix.jsonl',
  mlflow: 'mlflow.jsonl',
  'inspect-ai': 'inspect-ai.json',
  'lm-eval': 'lm-eval.jsonl',
};

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

describe('evalstore import --from', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();

  const run = (words: readonly string[]) =>
    runEvalstore(
      ['import', ...words, '--project', `project ${randomUUID()}`, '--experiment', 'e'],
      {
        EVALSTORE_URL: server().url,
        EVALSTORE_KEY: server().key,
      },
    );

  for (const name of foreignNames)
    it(`${name} gives the events that the golden file shows`, async () => {
      const { status, stdout, stderr } = run([
        `test/cli/foreign/${files[name]}`,
        '--from',
        name,
        '--json',
      ]);
      expect([status, stderr]).to.deep.equal([0, '']);
      const { id } = JSON.parse(stdout) as { id: string };
      const query = `select: ${fields.join(', ')} | from: experiment('${id}') | sort: id`;
      const rows = (await server().query(query)).map((row) =>
        Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
      );
      const golden = `test/cli/foreign/${name}.golden.json`;
      if (process.env['EVALSTORE_WRITE_GOLDEN'] !== undefined)
        writeFileSync(golden, `${JSON.stringify(rows, null, 2)}\n`);
      expect(rows).to.deep.equal(JSON.parse(readFileSync(golden, 'utf8')));
    });

  it('refuses a record of something else, and a map', () => {
    const file = path.join(directory(), 'a.jsonl');
    writeFileSync(file, '{"id":"trace","name":"t"}\n{"name":"nothing"}\n');
    expect(run([file, '--from', 'langfuse'])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `${file}: line 2: this is no record of Langfuse; 0 rows were stored, and the same command goes on\n`,
    });
    expect(run([file, '--from', 'langfuse', '--map', 'input=name'])).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: "--map is for rows of one's own, and --from langfuse has its fields\n",
    });
  });
});
