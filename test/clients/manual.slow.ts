// The programs of the page on Python, run as they stand there, in their order; they print what the page says.
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { manualPages, programsOf, withoutChance, type Program } from '../readme/readme.js';
import { createProject } from '../support/objects.js';
import { sharedServer, type TestServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';
import { sharedModel } from './python/model-server.js';
import { pythonEnvironment, type PythonEnvironment } from './python/run-python.js';
import { root, runCommand } from './run-program.js';

/** Where a program does not run beside pandas, polars, pyarrow and DuckDB. */
const environments: Readonly<Record<string, PythonEnvironment>> = {
  'first.py': 'braintrust',
  'calls.py': 'litellm',
  'spans.py': 'opentelemetry',
};

const commands: Readonly<Record<string, string>> = {
  '.py': 'python',
  '': '.',
};

/** Waits until every event of the project `my-bot` is in segments. */
async function waitForSegments(server: TestServer): Promise<void> {
  const { id } = await createProject(server, { name: 'my-bot' });
  const query = `select: id | from: project('${id}') | limit: 1`;
  await waitUntil(
    'every row is in a published segment',
    async () => {
      const body = { query, use_columnstore: true };
      const { headers } = await server.request('POST', '/query', body);
      return headers.get('x-evalstore-columnstore') === 'segments';
    },
    20_000,
  );
}

const preparations: Readonly<Record<string, (server: TestServer) => Promise<void>>> = {
  'disk.py': waitForSegments,
};

describe('programs of the page on Python', () => {
  const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: '1' } });
  const model = sharedModel();
  let directory: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    for (const folder of ['home', 'packages', 'work']) await mkdir(path.join(directory, folder));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  /** Runs a program with what the page installed, and gives what it printed. */
  async function run(name: string): Promise<string> {
    const bin = path.join(pythonEnvironment(environments[name] ?? 'frames'), 'bin');
    const packages = path.join(directory, 'packages');
    const { code, out, errors } = await runCommand(
      {
        EVALSTORE_URL: server().url,
        EVALSTORE_KEY: server().key,
        EVALSTORE_DATA_DIR: server().dir,
        ...model(),
        HOME: path.join(directory, 'home'),
        PATH: `${bin}:${path.join(root, '.python/uv/bin')}:${process.env['PATH'] ?? ''}`,
        // `pip install` of a page goes to a folder of its own.
        PIP_TARGET: packages,
        PYTHONPATH: packages,
        MPLBACKEND: 'agg',
      },
      ['bash', '--norc', '-euc', `. ./variables; ${commands[path.extname(name)]} ./${name}`],
      path.join(directory, 'work'),
    );
    expect(code, out + errors).to.equal(0);
    return out;
  }

  const check = (name: string, { text, output }: Program) =>
    it(`${name} runs`, async () => {
      await writeFile(path.join(directory, 'work', name), text);
      await preparations[name]?.(server());
      const printed = await run(name);
      if (output !== null) expect(withoutChance(printed)).to.equal(withoutChance(output));
    });

  for (const [name, program] of programsOf(manualPages.get('src/manual/python.md')!))
    check(name, program);

  it('log what they say', async () => {
    const { id } = await createProject(server(), { name: 'my-bot' });
    const named = (name: string) =>
      server().query(
        `select: input, output, scores, tags | from: project_logs('${id}') | filter: span_attributes.name = '${name}'`,
      );
    expect(await named('answer')).to.deep.equal([
      {
        input: { question: 'Where is my invoice?' },
        output: 'Under Billing.',
        scores: { helpful: 1 },
        tags: ['billing', 'web'],
      },
    ]);
    expect(await named('search')).to.deep.equal([
      { input: 'invoice', output: 'Billing', scores: null, tags: null },
    ]);
    const plots = (await readdir(path.join(directory, 'work'))).filter((name) =>
      name.endsWith('.png'),
    );
    expect(plots).to.deep.equal(['scores.png']);
    const { size } = await stat(path.join(directory, 'work', 'scores.png'));
    expect(size).to.be.above(5000);
  });
});
