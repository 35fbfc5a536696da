// Files of a data directory are lost, put back from an older copy, or foreign: nothing that was published is removed.
import { expect } from 'chai';
import { appendFile, copyFile, cp, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { filesIn } from '../support/files-in.js';
import { createProject } from '../support/objects.js';
import { runToExit, startServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const tuning = { compaction: { fanOut: 2, calmMs: 0 }, segments: { narrowRowsMin: 1 } };
const environment = { EVALSTORE_FLUSH_ROWS: '1000000' };
/** The server's own key, so that a start that is refused shows that it makes none. */
const keyless = { EVALSTORE_API_KEY: undefined };

const eventsOf = (first: number) =>
  Array.from({ length: 20 }, (_, index) => ({ id: `${first + index}`, input: first }));

async function insert(server: TestServer, project: string, events: readonly object[]) {
  const answer = await server.request('POST', `/v1/project_logs/${project}/insert`, { events });
  expect(answer.status, answer.text).to.equal(200);
}

async function eventsIn(server: TestServer, project: string): Promise<readonly unknown[]> {
  const answer = await server.request('GET', `/v1/project_logs/${project}/fetch`);
  return answer.json()['events'] as readonly unknown[];
}

describe('a data directory with lost files', () => {
  const directory = temporaryDirectory();
  let whole: string;
  let project: string;
  let events: readonly unknown[];
  let dir: string;

  // Copies of the database: before the last flushes, before the last merges, and the log of a server that was killed.
  before(async () => {
    whole = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    const start = () => startServer({ dir: path.join(whole, 'data'), environment, tuning });
    const keep = (name: string) =>
      copyFile(path.join(whole, 'data/meta.duckdb'), path.join(whole, name));
    let server = await start();
    ({ id: project } = (await createProject(server)) as { id: string });
    await insert(server, project, eventsOf(0));
    await server.settle();
    await server.stop();
    await keep('before-flushes');
    server = await start();
    await insert(server, project, eventsOf(10));
    await server.settle();
    await server.stop();
    await keep('before-merges');
    server = await start();
    await insert(server, project, [{ id: 'last', input: 'last' }]);
    events = await eventsIn(server, project);
    await server.kill();
  });
  after(() => rm(whole, { recursive: true, force: true }));

  beforeEach(async () => {
    dir = path.join(directory(), 'data');
    await cp(path.join(whole, 'data'), dir, { recursive: true });
  });

  async function expectRefusal(sentence: RegExp): Promise<void> {
    const before = await filesIn(dir);
    const { code, output, log } = await runToExit({ dir, environment: keyless });
    expect(log).to.match(sentence);
    expect(log.split('\n')).to.have.lengthOf(2);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(await filesIn(dir)).to.deep.equal(before);
  }

  const tail = /"npm run rebuild-manifest"\n$/.source;
  const missing = (found: string) =>
    new RegExp(`^cannot start: \\S+/meta\\.duckdb is missing, but ${found}: put .*${tail}`);
  const old = (reason: string) =>
    new RegExp(`^cannot start: \\S+/meta\\.duckdb is older than .*, ${reason}: put .*${tail}`);

  it('is not started without its database, and keeps its segments', async () => {
    await rm(path.join(dir, 'meta.duckdb'));
    await expectRefusal(missing('there are \\d segments'));
  });

  it('is not started without its database when there is only the log', async () => {
    await rm(path.join(dir, 'meta.duckdb'));
    await rm(path.join(dir, 'segments'), { recursive: true });
    await expectRefusal(missing('its log is there'));
  });

  it('is not started without database, log and segments', async () => {
    for (const name of ['meta.duckdb', 'meta.duckdb.wal', 'segments'])
      await rm(path.join(dir, name), { recursive: true });
    await expectRefusal(missing('transaction \\d{19} was acknowledged'));
  });

  it('is not started when the log of a killed server is lost', async () => {
    await rm(path.join(dir, 'meta.duckdb.wal'));
    await expectRefusal(old('transaction \\d{19} was acknowledged and is not in it'));
  });

  it('is not started when the end of the log is cut off', async () => {
    await truncate(path.join(dir, 'meta.duckdb.wal'), 60);
    await expectRefusal(old('transaction \\d{19} was acknowledged and is not in it'));
  });

  for (const name of ['before-flushes', 'before-merges'])
    it(`is not started with the database of ${name}, also without the last transaction`, async () => {
      await rm(path.join(dir, 'meta.duckdb.wal'));
      await copyFile(path.join(whole, name), path.join(dir, 'meta.duckdb'));
      await expectRefusal(old('transaction \\d{19} was acknowledged and is not in it'));
      if (name === 'before-merges') return;
      await rm(path.join(dir, 'last-transaction'));
      await expectRefusal(old('it does not know \\S+/segments/project_id=\\S+/\\d{8}\\.parquet'));
    });

  it('is started when the note of the last transaction was not written whole', async () => {
    await writeFile(path.join(dir, 'last-transaction'), '');
    const server = await startServer({ dir, environment });
    expect(await eventsIn(server, project)).to.deep.equal(events);
    await server.stop();
  });

  it('has files that belong to no segment set aside, and says so', async () => {
    const foreign = path.join(dir, 'segments', `project_id=${project}`, '00000077.parquet');
    await writeFile(foreign, 'foreign');
    await appendFile(path.join(dir, 'segments', 'notes.txt'), 'mine');
    const server = await startServer({ dir, environment });
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line.includes('set aside'));
    const moves = lines.map(
      (line) => JSON.parse(line) as { level: number; file: string; to: string },
    );
    expect(moves.map(({ file }) => file)).to.have.members([
      foreign,
      path.join(dir, 'segments/notes.txt'),
    ]);
    expect(moves.map(({ level }) => level)).to.deep.equal([40, 40]);
    const names = Object.keys(await filesIn(path.join(dir, 'segments', 'set-aside')));
    expect(names.map((name) => name.split('/').slice(1).join('/'))).to.have.members([
      'notes.txt',
      `project_id=${project}/00000077.parquet`,
    ]);
    // No segment gets a number that a file has had.
    await insert(server, project, eventsOf(50));
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(await checkStore(dir)).to.deep.equal([]);
  });
});
