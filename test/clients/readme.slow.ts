// The programs in JavaScript of README and the manual, and those of README in Python, run as they stand there.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { manualPages, programsOf, type Program } from '../readme/readme.js';
import { commandVariables } from '../support/commands.js';
import { listObjects } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { pythonEnvironment } from './python/run-python.js';
import { root, runCommand } from './run-program.js';

/** What a reader puts in place of the address and the key. */
const filled = (page: string): string =>
  page.replace(/^export EVALSTORE_URL=.* EVALSTORE_KEY=<.*>$/m, '');

const pages: ReadonlyMap<string, ReadonlyMap<string, Program>> = new Map([
  ['README', programsOf(filled(readFileSync('README.md', 'utf8')))],
  ...['clients', 'notebooks'].map(
    (name) => [name, programsOf(manualPages.get(`src/manual/${name}.md`)!)] as const,
  ),
]);

/** Stands for any model: the manual leaves the choice open. */
const model = `
import { MockLanguageModelV3 } from 'ai/test';
const usage = { inputTokens: { total: 10 }, outputTokens: { total: 4 } };
export const model = new MockLanguageModelV3({
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'Hello.' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  }),
});
`;

describe('programs of README and the manual', () => {
  const server = sharedServer();
  let directory: string;
  const ran = new Set<string>();

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    for (const [page, programs] of pages) {
      const folder = path.join(directory, page);
      await mkdir(folder);
      await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
      await writeFile(path.join(folder, 'model.mjs'), model);
      for (const [name, { text }] of programs) await writeFile(path.join(folder, name), text);
    }
  });
  after(() => rm(directory, { recursive: true, force: true }));

  /** Sets the variables as README or the page on clients says, runs a program of a page, and gives what it wrote. */
  async function run(page: string, name: string, runtime = process.execPath): Promise<string> {
    ran.add(name);
    const variables = page === 'README' ? 'README' : 'clients';
    const { code, out, errors } = await runCommand(
      {
        EVALSTORE_URL: server().url,
        EVALSTORE_KEY: server().key,
        PATH: commandVariables()['PATH'],
      },
      ['bash', '--norc', '-euc', `. ../${variables}/variables; "${runtime}" ${name}`],
      path.join(directory, page),
    );
    expect(code, out + errors).to.equal(0);
    return out;
  }

  const eventsOf = async (kind: 'project' | 'experiment') => {
    const [found] = await listObjects(server(), `/v1/${kind}?project_name=my-bot&limit=1`);
    const source = kind === 'project' ? 'project_logs' : kind;
    return await server().events(`${source}/${found!.id}`);
  };

  it('evaluate, and compare with the run before', async () => {
    await run('clients', 'evaluation.mjs');
    expect(await run('clients', 'evaluation.mjs')).to.match(/\(baseline\) <- .+\(comparison\)/);
    const events = await eventsOf('experiment');
    expect(events.find(({ is_root }) => is_root)).to.include({
      input: 'Ada',
      output: 'Hello Ada',
      expected: 'Hello Ada',
    });
    expect(events.find(({ scores }) => scores !== null)).to.deep.include({ scores: { exact: 1 } });
  });

  it('log a trace', async () => {
    await run('clients', 'logger.mjs');
    const events = await eventsOf('project');
    const traced = events.find(({ input }) => input === 'Where is my invoice?');
    expect(traced).to.deep.include({ scores: { helpful: 1 } });
    expect(events.find(({ output }) => output === 'Under Billing.')).to.deep.include({
      span_parents: [traced?.['span_id']],
    });
  });

  it('export the telemetry of the AI SDK', async () => {
    await run('clients', 'ai-sdk.mjs');
    const calls = (await eventsOf('project')).filter(({ output }) => output === 'Hello.');
    expect(calls.map(({ span_attributes }) => (span_attributes as Json)['type'])).to.have.members([
      'task',
      'llm',
    ]);
  });

  it('export spans of OpenTelemetry', async () => {
    await run('clients', 'spans.mjs');
    const named = (await eventsOf('project')).filter(
      ({ span_attributes }) => (span_attributes as Json | null)?.['name'] === 'search',
    );
    expect(named.map(({ metadata }) => metadata)).to.deep.equal([{ 'http.route': '/search' }]);
  });

  it('read events from Parquet in a notebook', async () => {
    await run('clients', 'logger.mjs');
    expect(await run('notebooks', 'notebook.mjs')).to.match(/│ helpful │[\s\S]*│ 1 +│/);
  });

  for (const [name, runtime] of [
    ['first.mjs', () => process.execPath],
    ['first.py', () => path.join(pythonEnvironment('braintrust'), 'bin', 'python')],
  ] as const)
    it(`log a first trace and a first experiment: ${name}`, async () => {
      const before = new Set((await eventsOf('project')).map(({ id }) => id));
      await run('README', name, runtime());
      const traced = (await eventsOf('project')).filter(({ id }) => !before.has(id));
      expect(traced).to.have.length(1);
      expect(traced[0]).to.deep.include({
        input: 'Where is my invoice?',
        output: 'Under Billing.',
        scores: { helpful: 1 },
      });
      const events = await eventsOf('experiment');
      expect(events.find(({ is_root }) => is_root)).to.include({ output: 'Hello Ada' });
      expect(events.find(({ scores }) => scores !== null)).to.deep.include({
        scores: { exact: 1 },
      });
    });

  it('query the first trace', async () => {
    await run('README', 'first.mjs');
    const rows = await run('README', 'first-query.sh', 'bash');
    expect(rows).to.match(/^Where is my invoice\? +Under Billing\. +\{"helpful":1\}$/m);
  });

  it('are all run here', () => {
    const named = [...pages.values()].flatMap((programs) => Array.from(programs.keys()));
    expect([...ran]).to.have.members(named.filter((name) => path.extname(name) !== ''));
  });
});
