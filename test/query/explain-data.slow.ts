// What `npm run explain` shows of a real data directory.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readConfig } from '../../src/config.js';
import { openDirectory } from '../../src/explain/data-directory.js';
import { reading } from '../../src/explain/reading.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { openServer } from '../support/hosted-server.js';
import { createExperiment, createProject } from '../support/objects.js';
import { rejection } from '../support/rejection.js';

const program = fileURLToPath(new URL('../../src/explain.js', import.meta.url));

/** Every file with a hash of its content, and every directory. */
const contentOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const content = entry.isFile() ? readFileSync(file) : '';
      return [file, createHash('sha256').update(content).digest('hex')];
    }),
  );

const partOf = (output: string, title: string): string =>
  (output.split(new RegExp(`^${title}\n`, 'm'))[1] ?? '').split('\n\n')[0] ?? '';

const filesIn = (relation: string): readonly string[] =>
  (relation.match(/file segments.*/g) ?? []).toSorted((a, b) => (a < b ? -1 : 1));

async function explained(directory: string, query: string, isAnalyzed = false): Promise<string> {
  const opened = await openDirectory(readConfig({ EVALSTORE_DATA_DIR: directory }));
  try {
    return await reading(opened, parseQuery(query), directory, isAnalyzed);
  } finally {
    await opened.close();
  }
}

describe('explain over a data directory', function () {
  this.timeout(60_000);
  let data: string;
  let project: string;
  let experiment: string;
  let whileInUse: Error;

  // Two segments, of which the second alone has the score `rare`, and a buffered row.
  before(async () => {
    data = mkdtempSync(path.join(tmpdir(), 'evalstore-'));
    const server = await openServer({ dir: data, tuning: { segments: { narrowRowsMin: 1 } } });
    ({ id: project } = await createProject(server));
    ({ id: experiment } = await createExperiment(server, project));
    const insert = (...events: readonly object[]) =>
      server.request('POST', `/v1/experiment/${experiment}/insert`, { events });
    await insert({ id: 'a', scores: { s: 1 } }, { id: 'b', scores: { s: 0.5 } });
    await server.settle();
    await insert({ id: 'c', scores: { s: 1, rare: 1 } }, { id: 'd', scores: { s: 0 } });
    await server.settle();
    await insert({ id: 'e', input: 'buffered' });
    whileInUse = await rejection(explained(data, `select: id | from: experiment('${experiment}')`));
    await server.stop();
  });

  after(() => rmSync(data, { recursive: true, force: true }));

  const segmentFiles = (ending: string): readonly string[] =>
    readdirSync(path.join(data, 'segments'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending) && !name.includes('superseded'))
      .map((name) => `file segments/${name}`)
      .toSorted((a, b) => (a < b ? -1 : 1));

  const command = (query: string) =>
    spawnSync(process.execPath, [program, '--analyze', query], {
      encoding: 'utf8',
      env: { ...process.env, EVALSTORE_DATA_DIR: data },
    });

  it('names the files and leaf columns that the query reads, and the plan of the engine', async () => {
    const query = `measures: avg(scores.s) as s | from: experiment('${experiment}')`;
    const shown = await explained(data, query);
    const relation = partOf(shown, 'relation');
    expect(segmentFiles('.narrow')).to.have.length(2);
    expect(filesIn(relation)).to.deep.equal(segmentFiles('.narrow'));
    expect(relation.match(/leaf columns .*/g)).to.deep.equal([
      'leaf columns scores/s',
      'leaf columns scores/s',
    ]);
    expect(relation).to.match(/^buffer \d+:\n {2}file rows-.*\(buffered rows, from the log\)$/m);
    expect(partOf(shown, 'sql')).to.contain('"scores/s" AS f0');
    expect(partOf(shown, 'parameters')).to.contain('.narrow');
    expect(shown).to.match(/READ_PARQUET[\s\S]*Projections: scores\/s/);
    expect(shown).not.to.contain('Total Time');
  });

  it('names the wide files of a query for JSON text', async () => {
    const shown = await explained(data, `select: input | from: project_logs('${project}')`);
    expect(filesIn(partOf(shown, 'relation'))).to.deep.equal([]);
    const whole = await explained(data, `select: scores | from: experiment('${experiment}')`);
    expect(filesIn(partOf(whole, 'relation'))).to.deep.equal(segmentFiles('.parquet'));
  });

  it('leaves out the segments that cannot have a row', async () => {
    const query = `measures: count(*) as n | from: experiment('${experiment}') | filter: scores.rare > 0`;
    const relation = partOf(await explained(data, query), 'relation');
    expect(filesIn(relation)).to.deep.equal(segmentFiles('.narrow').slice(1));
    expect(relation).to.match(/^segment \d+: not read$/m);
    expect(relation).to.match(/leaf columns scores\/rare$/m);
  });

  it('runs the query for the times of its steps', async () => {
    const query = `measures: count(scores.s) as n | from: experiment('${experiment}')`;
    const shown = await explained(data, query, true);
    expect(partOf(shown, 'engine, with times')).to.match(/Total Time: [\d.]+s/);
    // Of five rows, one has no scores.
    expect(shown).to.match(/READ_PARQUET[\s\S]*\b4 rows/);
  });

  it('explains prompts, pivots and every version, and changes nothing', async () => {
    const before = contentOf(data);
    const prompts = await explained(data, `select: id | from: project_prompts('${project}')`);
    expect(partOf(prompts, 'relation')).to.equal('no rows');
    const pivot = `dimensions: id, scores.s as s | measures: count(*) as n | from: experiment('${experiment}') | pivot: n`;
    expect(partOf(await explained(data, pivot), 'parameters')).to.contain('0.5');
    const versions = `select: id | from: experiment('${experiment}') versions`;
    expect(filesIn(partOf(await explained(data, versions), 'relation'))).to.have.length(2);
    expect(contentOf(data)).to.deep.equal(before);
  });

  it('is refused while a server uses the directory', () => {
    expect(whileInUse.message).to.equal(
      `another process is using the data directory ${data}: stop it first`,
    );
  });

  it('is refused for a directory that an older release wrote, which it leaves as it was', async () => {
    const older = mkdtempSync(path.join(tmpdir(), 'evalstore-'));
    try {
      const archive = fileURLToPath(
        new URL('../../../test/formats/segments.tar.gz', import.meta.url),
      );
      expect(spawnSync('tar', ['-xzf', archive, '-C', older]).status).to.equal(0);
      const before = contentOf(older);
      const error = await rejection(explained(older, `select: id | from: experiment('e')`));
      expect(error.message).to.match(
        /^the data directory was written by an older release: \w+ has \d+ migrations of \d+\. Start the server once, which applies the others$/,
      );
      expect(contentOf(older)).to.deep.equal(before);
    } finally {
      rmSync(older, { recursive: true, force: true });
    }
  });

  it('is a command, which says what is wrong with the sources behind the stages', () => {
    const { stdout, status } = command(`select: id | from: experiment('${experiment}') | limit: 1`);
    expect(status).to.equal(0);
    expect(stdout).to.match(/^tree$[\s\S]*^relation$[\s\S]*^engine, with times$/m);
    const absent = command("select: id | from: experiment('none')");
    expect(absent.status).to.equal(1);
    expect(absent.stdout).to.match(/^plan$/m);
    expect(absent.stderr).to.equal(
      'query line 1, column 31: no experiment with the id "none" that this key may use\n',
    );
  });
});
