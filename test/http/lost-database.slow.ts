// A server whose database is lost, from the refusal to start to the answers that it gave before.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { runEvalstore } from '../support/command-line.js';
import { filesIn } from '../support/files-in.js';
import { openServer } from '../support/hosted-server.js';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { runToExit, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const row = (id: string, value: number) => ({
  id,
  input: { question: id },
  scores: { accuracy: value },
  metadata: { model: value > 0.5 ? 'large' : 'small' },
});

/** Paths of the objects with events. */
async function fill(server: TestServer): Promise<readonly string[]> {
  const { id: project } = await createProject(server);
  const { id: experiment } = await createExperiment(server, project);
  const { id: dataset } = await createDataset(server, { project_id: project });
  const { id: alone } = await createDataset(server);
  const logs = [`project_logs/${project}`, `experiment/${experiment}`];
  const sets = [`dataset/${dataset}`, `dataset/${alone}`];
  for (const where of logs) await server.insert(where, [row('a', 0.25), row('b', 1)]);
  for (const where of sets) await server.insert(where, [{ id: 'a', input: 1 }]);
  const feedback = [{ id: 'a', comment: 'no', scores: { accuracy: 0 } }];
  await server.request('POST', `/v1/experiment/${experiment}/feedback`, { feedback });
  await server.settle();
  await server.insert(`experiment/${experiment}`, [{ id: 'b', _is_merge: true, output: 'later' }]);
  await server.settle();
  return [...logs, ...sets];
}

/** What the server answers about these objects. */
async function answers(
  server: TestServer,
  objects: readonly string[],
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const where of objects) {
    found.push(await server.events(where));
    const [kind = '', id = ''] = where.split('/');
    const query = `dimensions: metadata.model as m | measures: count(*) as n, sum(scores.accuracy) as s | from: ${kind}('${id}') | sort: m`;
    found.push(await server.query(query));
  }
  found.push(await server.get(`/v1/${objects[1]}/feedback`));
  return found;
}

const logLines = (server: TestServer): readonly Readonly<Record<string, unknown>>[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a server without its database', () => {
  const directory = temporaryDirectory();

  it('does not start, and answers as before once the manifest is rebuilt', async () => {
    const dir = path.join(directory(), 'data');
    const start = () => openServer({ dir, tuning: {} });
    let server = await start();
    const objects = await fill(server);
    const before = await answers(server, objects);
    await server.stop();

    await rm(path.join(dir, 'meta.duckdb'));
    const files = await filesIn(dir);
    const refused = await runToExit({ dir, environment: { EVALSTORE_API_KEY: undefined } });
    expect(refused).to.deep.include({ code: 1, output: '' });
    expect(refused.log).to.match(
      /^cannot start: \S+meta.duckdb is missing, [^\n]+ "evalstore repair"\n$/,
    );
    expect(await filesIn(dir)).to.deep.equal(files);

    const { stdout } = runEvalstore(['repair', dir]);
    expect(stdout).to.match(/^lost: names and settings of projects, [^\n]+\n/);
    for (const where of objects) {
      const [kind = '', id = ''] = where.split('/');
      const made = kind === 'project_logs' ? 'project' : kind;
      expect(stdout).to.include(`recreated: ${made} ${id} as recovered-${id.slice(0, 8)}\n`);
    }
    expect(await checkStore(dir)).to.deep.equal([]);
    server = await start();
    expect(await answers(server, objects)).to.deep.equal(before);
    expect(logLines(server).filter(({ level }) => Number(level) > 30)).to.deep.equal([]);
    await server.stop();

    const rows = Object.keys(files).find((name) => /\d\.parquet$/.test(name)) ?? '';
    const foreign = 'segments/notes.txt';
    await rm(path.join(dir, rows));
    await writeFile(path.join(dir, foreign), 'mine');
    server = await start();
    const lineOf = (file: string) => logLines(server).find((line) => line['file'] === file);
    await waitUntil('the missing file in the log', () => lineOf(rows) !== undefined);
    expect(lineOf(rows)).to.include({
      level: 50,
      problem: 'it is missing',
      msg: 'a file of a segment is missing or damaged: restore it from a backup',
    });
    expect(lineOf(foreign)).to.include({
      level: 40,
      msg: 'a file that belongs to no segment was set aside',
    });
    expect(await readFile(path.join(dir, String(lineOf(foreign)?.['to'])), 'utf8')).to.equal(
      'mine',
    );
    await server.stop();
  }).timeout(120_000);
});
