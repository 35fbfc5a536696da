import { expect } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { copyFile, cp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { logFile } from '../../src/store/log/event-log.js';
import { rebuildManifest } from '../../src/store/rebuild/rebuild-manifest.js';
import { runEvalstore } from '../support/command-line.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { filesIn } from '../support/files-in.js';
import { rejection } from '../support/rejection.js';
import { spawnServer, startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const options = { flushRows: 1_000_000, segments: { narrowRowsMin: 1 } };
const merging = { ...options, compaction: { fanOut: 2, idleMs: 0 } };

/** Every transaction of a store has the id that it has in another one. */
const now = () => 1_700_000_000_000;

describe('a rebuilt manifest', () => {
  const directory = temporaryDirectory();
  let opened: TestStore | undefined;

  const open = async (given: Parameters<typeof openStore>[1] = options) =>
    (opened = await openStore(directory(), given));
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  async function close(): Promise<void> {
    await opened?.close();
    opened = undefined;
  }

  const file = (name: string) => path.join(directory(), name);
  const segmentNames = async () =>
    (await readdir(file('segments/project_id=project'))).filter((name) =>
      /\d\.parquet$/.test(name),
    );
  const rebuild = () =>
    rebuildManifest(directory(), { memoryMb: 512, threads: 1 }, (_, objects) =>
      Promise.resolve(objects.map(({ kind, id }) => `${kind} ${id}`)),
    );

  /** The live rows of the experiment now and as of each of the versions. */
  async function shown(versions: readonly bigint[]): Promise<readonly object[]> {
    const store = opened!;
    const snapshots = [undefined, ...versions];
    const rows: object[] = [];
    for (const version of snapshots) {
      const snapshot = await store.store.snapshot(version);
      rows.push(await store.live('e', snapshot));
      await snapshot.release();
    }
    return rows;
  }

  /** Two segments, the second with later versions of rows of the first, and a third of another object. */
  async function fill(): Promise<bigint[]> {
    const at = await open();
    const versions = [
      await at.insert('e', { id: 'a', input: 1 }, { id: 'b', input: { x: 1 } }, { id: 'c' }),
      await at.insert('e', { id: 'c', _object_delete: true }, { id: 'd', input: 1 }),
    ];
    await at.store.flush();
    versions.push(await at.insert('e', { id: 'a', _is_merge: true, input: 2 }, { id: 'e' }));
    await at.store.flush();
    await at.insert('other', { id: 'a' });
    await at.store.flush();
    return versions;
  }

  it('has the rows and versions that the lost one had', async () => {
    const versions = await fill();
    const before = await shown(versions);
    await close();
    for (const name of ['meta.duckdb', 'last-transaction']) await rm(file(name));
    const lines = await rebuild();
    expect(lines).to.include.members(['experiment e', 'experiment other']);
    expect(lines.at(-1)).to.equal('3 segments with 8 row versions, and 0 buffered ones');
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await shown(versions)).to.deep.equal(before);
    await opened!.insert('e', { id: 'a', _is_merge: true, input: 3 });
    await opened!.store.flush();
    expect(await opened!.live('e')).to.include({ a: 3 });
    await close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('has all segments of a transaction that a flush divided, and names those that are lost', async () => {
    await open({ ...options, maintenanceMemoryMb: 64 });
    const large = ['b', 'c', 'd'].map((id) => ({ id, input: 'x'.repeat(3 * 2 ** 20) }));
    await opened!.insert('e', { id: 'a' });
    await opened!.insert('e', ...large);
    await opened!.insert('e', { id: 'e' });
    await opened!.store.flush();
    const before = await shown([]);
    await close();
    expect(await segmentNames()).to.have.length(3);
    expect((await rebuild()).at(-1)).to.equal(
      '3 segments with 5 row versions, and 0 buffered ones',
    );
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await shown([])).to.deep.equal(before);
    await close();
    const [, middle = ''] = (await segmentNames()).sort();
    await rm(file(`segments/project_id=project/${middle}`));
    expect((await rebuild()).join('\n')).to.match(/^lost: .*segment/m);
  });

  it('keeps the buffered rows of a database that is there', async () => {
    await fill();
    await opened!.insert('e', { id: 'b', input: 'buffered' }, { id: 'f' });
    const before = await shown([]);
    await close();
    const lines = await rebuild();
    expect(lines.at(-1)).to.equal('3 segments with 8 row versions, and 2 buffered ones');
    expect(lines[0]).to.match(/^the former database is kept as \S+\/meta\.duckdb\.before-rebuild-/);
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await shown([])).to.deep.equal(before);
  });

  it('counts rows once that an older database has as buffered rows and that are in segments', async () => {
    await open();
    await opened!.insert('e', { id: 'a', input: 1 }, { id: 'b' });
    await close();
    await copyFile(file('meta.duckdb'), file('older'));
    await open();
    await opened!.insert('e', { id: 'a', input: 2 });
    await opened!.store.flush();
    const before = await shown([]);
    await close();
    await copyFile(file('older'), file('meta.duckdb'));
    expect((await rejection(open())).message).to.match(/does not match the rest of the directory/);
    expect((await rebuild()).slice(1)).to.deep.equal([
      'experiment e',
      '1 segments with 3 row versions, and 0 buffered ones',
    ]);
    await open();
    expect(await shown([])).to.deep.equal(before);
  });

  it('takes merged segments instead of those that they were merged from', async () => {
    const versions = await fill();
    await close();
    await cp(file('segments'), file('inputs'), { recursive: true });
    await open(merging);
    await opened!.store.flush();
    const before = await shown(versions);
    await close();
    expect(await segmentNames()).to.have.lengthOf(1);
    await cp(file('inputs'), file('segments'), { recursive: true });
    await rm(file('meta.duckdb'));
    const lines = await rebuild();
    expect(lines.filter((line) => line.startsWith('set aside'))).to.have.length.of.at.least(3);
    expect(lines).to.include('1 segments with 8 row versions, and 0 buffered ones');
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await shown(versions)).to.deep.equal(before);
  });

  it('shows the version before one that is lost with the logs', async () => {
    const at = await open();
    const version = await at.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 1 });
    await at.store.flush();
    await at.insert('e', { id: 'c' });
    await at.store.flush();
    await at.insert('e', { id: 'b', input: 2 });
    await close();
    // The merged segment does not say that the first version of `b` has ended, since the second one is a buffered row alone.
    await open(merging);
    await waitUntil('the segments are merged', async () => (await segmentNames()).length === 1);
    await close();
    const merged = await segmentNames();
    await rm(file('meta.duckdb'));
    await rm(file('log'), { recursive: true });
    const lines = await rebuild();
    expect(lines).to.include('1 segments with 3 row versions, and 0 buffered ones');
    expect(await segmentNames()).to.deep.equal(merged);
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await shown([version])).to.deep.equal([
      { a: 1, b: 1, c: null },
      { a: 1, b: 1 },
    ]);
    expect(await opened!.insert('e', { id: 'b', _is_merge: true, output: 1 })).to.be.a('bigint');
    await opened!.store.flush();
    expect(await opened!.live('e')).to.deep.equal({ a: 1, b: 1, c: null });
    await close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('makes the files anew that lie beside the rows', async () => {
    const versions = await fill();
    const before = await shown(versions);
    await close();
    for (const name of Object.keys(await filesIn(file('segments'))))
      if (!/\d\.parquet$/.test(name)) await rm(file(`segments/${name}`));
    await rebuild();
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await shown(versions)).to.deep.equal(before);
  });

  it('is not made without segments that a newer release wrote', async () => {
    await fill();
    const newer = file('segments/project_id=project/00000088.parquet');
    await opened!.writer.use((connection) =>
      connection.run(sql`COPY (SELECT 1 AS x) TO ${newer} (
        FORMAT parquet, KV_METADATA {evalstore_format: '2', evalstore_paths: '{}'})`),
    );
    await close();
    await rm(file('meta.duckdb'));
    const before = await filesIn(directory());
    expect((await rejection(rebuild())).message).to.equal(
      `${newer} was written by a newer release: it has format 2, this release reads formats up to 1`,
    );
    expect(await filesIn(directory())).to.deep.equal(before);
  });

  it('is made without what cannot be read or is missing, which is named', async () => {
    await fill();
    const foreign = file('segments/project_id=project/00000088.parquet');
    await opened!.writer.use((connection) =>
      connection.run(sql`COPY (SELECT 1 AS x) TO ${foreign} (FORMAT parquet)`),
    );
    await close();
    const [first, second] = (await segmentNames()).sort();
    await writeFile(file(`segments/project_id=project/${first}`), 'damaged');
    await rm(file(`segments/project_id=project/${second}`));
    const lines = await rebuild();
    expect(lines.filter((line) => line.startsWith('left out'))).to.have.lengthOf(2);
    expect(lines).to.include(`left out: ${foreign}: it is not a segment`);
    expect(lines.filter((line) => line.startsWith('lost: segment'))).to.have.lengthOf(2);
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('leaves buffered rows out that were in a segment that is lost, and keeps their log', async () => {
    await open();
    await opened!.insert('e', { id: 'a' }, { id: 'b' });
    await close();
    await copyFile(file('meta.duckdb'), file('older'));
    await cp(file('log'), file('older log'), { recursive: true });
    await open();
    await opened!.store.flush();
    await opened!.insert('e', { id: 'c' });
    await opened!.store.flush();
    await close();
    const [first] = (await segmentNames()).sort();
    await rm(file(`segments/project_id=project/${first}`));
    await copyFile(file('older'), file('meta.duckdb'));
    await cp(file('older log'), file('log'), { recursive: true });
    const lines = await rebuild();
    expect(lines).to.include('left: 2 buffered row versions that are older than segments');
    expect(lines.join('\n')).to.match(/^set aside: \S+\.log\.before-rebuild-/m);
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
    expect(await opened!.live('e')).to.deep.equal({ c: null });
  });

  it('is not made of segments that contradict each other, and nothing changes', async () => {
    await open({ ...options, now });
    await opened!.insert('e', { id: 'here' });
    await opened!.insert('e', { id: 'here, too' });
    await opened!.store.flush();
    await close();
    const other = await openStore(file('other'), { ...options, now });
    await other.insert('e', { id: 'there' });
    await other.insert('e', { id: 'there, too' });
    await other.store.flush();
    await other.close();
    const [name = ''] = await segmentNames();
    const inProject = 'segments/project_id=project';
    await copyFile(file(`other/${inProject}/${name}`), file(`${inProject}/00000077.parquet`));
    await rm(file('other'), { recursive: true });
    const before = await filesIn(directory());
    expect((await rejection(rebuild())).message).to.equal(
      `segments 77 and ${Number.parseInt(name)} of project project hold different rows of the same transactions: move the files of one of them out of the directory`,
    );
    expect(await filesIn(directory())).to.deep.equal(before);
  });

  it('is not made while a server uses the directory, nor where there is none', async () => {
    await open();
    const { status, stderr } = runEvalstore(['repair', directory()]);
    expect(status).to.equal(1);
    expect(stderr).to.equal(
      `another process is using the data directory ${directory()}: stop it first\n`,
    );
    const nowhere = rebuildManifest(file('nowhere'), { memoryMb: 512, threads: 1 }, async () => []);
    expect((await rejection(nowhere)).message).to.equal(
      `${file('nowhere')}: no server has used this data directory yet`,
    );
  });

  it('keeps servers out until it is made', async () => {
    await open();
    await close();
    let found: Awaited<ReturnType<typeof spawnServer>['exit']> | undefined;
    await rebuildManifest(directory(), { memoryMb: 512, threads: 1 }, async () => {
      const { pid, exit } = spawnServer({ dir: directory() });
      const late = setTimeout(() => process.kill(pid, 'SIGKILL'), 60_000);
      found = await exit;
      clearTimeout(late);
      return [];
    });
    expect(found?.code).to.equal(1);
    expect(found?.log).to.include('another process is using the data directory');
  });

  it('leaves the logs that a server begins until the rebuild finds the directory in use', async () => {
    const server = await startServer({ dir: directory() });
    const begun = logFile(file('log'), 42);
    const settings = {
      memoryMb: 512,
      // Read when the database is opened.
      get threads() {
        writeFileSync(begun, '');
        return 1;
      },
    };
    const refused = await rejection(rebuildManifest(directory(), settings, async () => []));
    await server.stop();
    expect(refused.message).to.match(/^another process is using/);
    expect(existsSync(begun)).to.equal(true);
  });
});
