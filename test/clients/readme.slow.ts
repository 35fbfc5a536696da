// The programs of the README's section for clients, run as they stand there.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { programsOf } from '../readme/readme.js';
import { listObjects } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { root, runCommand } from './run-program.js';

const programs = programsOf(readFileSync('README.md', 'utf8'));

/** Stands for any model: the README leaves the choice open. */
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

describe('programs of the README', () => {
  const server = sharedServer();
  let directory: string;
  const ran = new Set<string>();

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
    await writeFile(path.join(directory, 'model.mjs'), model);
    for (const [name, { text }] of programs) await writeFile(path.join(directory, name), text);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  /** Sets the variables as the README says, runs a program, and gives what it wrote. */
  async function run(name: string): Promise<string> {
    ran.add(name).add('variables');
    const { code, out, errors } = await runCommand(
      { EVALSTORE_URL: server().url, EVALSTORE_KEY: server().key, PATH: process.env['PATH'] },
      ['bash', '-euc', `. ./variables; "${process.execPath}" ${name}`],
      directory,
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
    await run('evaluation.mjs');
    expect(await run('evaluation.mjs')).to.match(/\(baseline\) <- .+\(comparison\)/);
    const events = await eventsOf('experiment');
    expect(events.find(({ is_root }) => is_root)).to.include({
      input: 'Ada',
      output: 'Hello Ada',
      expected: 'Hello Ada',
    });
    expect(events.find(({ scores }) => scores !== null)).to.deep.include({ scores: { exact: 1 } });
  });

  it('log a trace', async () => {
    await run('logger.mjs');
    const events = await eventsOf('project');
    const traced = events.find(({ input }) => input === 'Where is my invoice?');
    expect(traced).to.deep.include({ scores: { helpful: 1 } });
    expect(events.find(({ output }) => output === 'Under Billing.')).to.deep.include({
      span_parents: [traced?.['span_id']],
    });
  });

  it('export the telemetry of the AI SDK', async () => {
    await run('ai-sdk.mjs');
    const calls = (await eventsOf('project')).filter(({ output }) => output === 'Hello.');
    expect(calls.map(({ span_attributes }) => (span_attributes as Json)['type'])).to.have.members([
      'task',
      'llm',
    ]);
  });

  it('export spans of OpenTelemetry', async () => {
    await run('spans.mjs');
    const named = (await eventsOf('project')).filter(
      ({ span_attributes }) => (span_attributes as Json | null)?.['name'] === 'search',
    );
    expect(named.map(({ metadata }) => metadata)).to.deep.equal([{ 'http.route': '/search' }]);
  });

  it('read events from Parquet in a notebook', async () => {
    await run('logger.mjs');
    expect(await run('notebook.mjs')).to.match(/│ helpful │[\s\S]*│ 1 +│/);
  });

  it('are all run here', () => {
    expect([...programs.keys()]).to.have.members([...ran]);
  });
});
