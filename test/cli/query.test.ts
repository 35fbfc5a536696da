// `evalstore query` and `evalstore stats` against a server.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runEvalstore } from '../support/command-line.js';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('the commands that ask a server', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();
  let query = '';
  let project = '';
  before(async () => {
    const { id, name } = await createProject(server());
    project = name;
    await server().insert(`project_logs/${id}`, [
      { id: 'a', input: 'one\nline', scores: { s: 0.5 } },
      { id: 'b', input: 'x'.repeat(100), scores: { s: 1 } },
    ]);
    query = `select: id, input, scores.s as s | from: project_logs('${id}') | sort: id`;
  });

  const run = (words: readonly string[], input = '') =>
    runEvalstore(words, { EVALSTORE_URL: server().url, EVALSTORE_KEY: server().key }, input);

  const printed = (words: readonly string[], input = '') => {
    const { status, stdout, stderr } = run(words, input);
    expect([status, stderr], stdout).to.deep.equal([0, '']);
    return stdout;
  };

  it('prints a table, with each value in one line and cut', () => {
    const cut = `${'x'.repeat(59)}…`;
    const table = [
      `id  input${' '.repeat(55)}  s`,
      `a   one line${' '.repeat(52)}  0.5`,
      `b   ${cut}  1`,
      '',
    ].join('\n');
    expect(printed(['query', query])).to.equal(table);
    expect(printed(['query', '-'], query)).to.equal(table);
  });

  it('prints the answer in the formats of the server', () => {
    const rows = [
      { id: 'a', input: 'one\nline', s: 0.5 },
      { id: 'b', input: 'x'.repeat(100), s: 1 },
    ];
    for (const words of [['--format', 'json'], ['--json']])
      expect(
        (JSON.parse(printed(['query', query, ...words])) as { data: unknown }).data,
      ).to.deep.equal(rows);
    expect(printed(['query', query, '--format', 'jsonl'])).to.equal(
      `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
    );
    expect(printed(['query', query, '--format', 'csv'])).to.match(/^id,input,s\n/);
  });

  it('writes a file as a whole or not at all', () => {
    const file = path.join(directory(), 'rows.parquet');
    expect(printed(['query', query, '--format', 'parquet', '--out', file])).to.equal('');
    expect(readFileSync(file).subarray(0, 4).toString()).to.equal('PAR1');
    const failed = run(['query', 'select: nothing', '--out', path.join(directory(), 'none')]);
    expect(failed.status).to.equal(1);
    expect(failed.stderr).to.match(/^POST \/query: 400 /);
    expect(existsSync(path.join(directory(), 'none'))).to.equal(false);
    expect(readdirSync(directory())).to.deep.equal(['rows.parquet']);
  });

  it('notes that more rows follow', () => {
    const { status, stderr } = run(['query', `${query} | limit: 1`]);
    expect(status).to.equal(0);
    expect(stderr).to.match(/^more rows follow: /);
  });

  it('prints the state of the server and the sizes of its projects', () => {
    const text = printed(['stats']);
    expect(text).to.match(/^server {4}Evalstore \d/);
    expect(text).to.match(new RegExp(`^${project} +\\d+ +\\d+ +\\d+ +\\d+$`, 'm'));
    expect(JSON.parse(printed(['stats', '--json']))).to.include.keys('version', 'projects');
  });
});
