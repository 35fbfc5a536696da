// Files of a data directory are lost, put back from an older copy, or foreign: nothing that was published is removed.
import { expect } from 'chai';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import type { Damage } from '../../src/store/segment/checked-files.js';
import { filesLeftByCrash, type MovedFile } from '../../src/store/recovery/obsolete-files.js';
import { copyRunning } from '../support/copy-running.js';
import { filesIn } from '../support/files-in.js';
import { openStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const options = { flushRows: 1_000_000, segments: { narrowRowsMin: 1 } };
const merging = { ...options, compaction: { fanOut: 2, idleMs: 0 } };

const missing = (found: string) =>
  new RegExp(
    `^\\S+/meta\\.duckdb is missing, but ${found}: put a copy of it back, or make a new one from the segments with "evalstore repair"$`,
  );
const old = (reason: string) =>
  new RegExp(
    `^\\S+/meta\\.duckdb does not match the rest of the directory, ${reason}: put the latest meta.duckdb, meta.duckdb.wal and log back, or continue with the existing files with "evalstore repair"$`,
  );

/** Hooks that note which files are set aside, missing or damaged. */
function noted() {
  const odd: (MovedFile | Damage)[] = [];
  const note = (each: MovedFile | Damage) => odd.push(each);
  return { odd, hooks: { setAside: note, damaged: note } };
}

/** What the next start will remove, with `n` for the project and the number of a segment. */
const left = async (data: string) => {
  const writer = await Writer.openToRead(path.join(data, 'meta.duckdb'), {
    memoryMb: 100,
    threads: 1,
  });
  const files = await writer.use((connection) => filesLeftByCrash(connection, data));
  await writer.close();
  return files.map((name) => name.replace(/project_id=project\/0{7}\d/, 'n'));
};

describe('a data directory with lost files', () => {
  const directory = temporaryDirectory();
  let whole: string;
  let rows: object;

  const file = (name: string) => path.join(directory(), name);

  // Two segments that were merged into a third one, and a row in the log of a store that was killed. Beside it: the segments that
  // were merged, and the databases of before the last flush and before the merge.
  before(async () => {
    whole = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    const data = path.join(whole, 'data');
    const keep = (name: string) =>
      cp(path.join(data, name), path.join(whole, name), { recursive: true });
    const keepDatabase = (name: string) =>
      copyFile(path.join(data, 'meta.duckdb'), path.join(whole, name));
    let opened = await openStore(data, options);
    await opened.insert('e', { id: 'a', input: 1 }, { id: 'b' });
    await opened.store.flush();
    await opened.close();
    await keepDatabase('before-flush');
    opened = await openStore(data, options);
    await opened.insert('e', { id: 'a', input: 2 }, { id: 'c' });
    await opened.store.flush();
    await opened.close();
    await keepDatabase('before-merge');
    await keep('segments');
    opened = await openStore(data, merging);
    await opened.store.flush();
    await opened.insert('e', { id: 'd' });
    rows = await opened.live('e');
    await copyRunning(data, path.join(whole, 'killed'));
    await opened.close();
  });
  after(() => rm(whole, { recursive: true, force: true }));

  beforeEach(() => cp(path.join(whole, 'killed'), directory(), { recursive: true }));

  const open = (more: Partial<EventStoreOptions> = {}) =>
    openStore(directory(), { ...options, ...more });

  async function expectRefusal(sentence: RegExp): Promise<void> {
    const before = await filesIn(directory());
    expect((await rejection(open())).message).to.match(sentence);
    expect(await filesIn(directory())).to.deep.equal(before);
  }

  const acknowledged = old(
    'transaction \\d{19} was acknowledged and is neither in it nor in its logs',
  );
  const noLog = old('the log of its generation \\d+ is missing');
  const unknown = old('it does not list \\S+/segments/project_id=project/\\d{8}\\.parquet');

  it('is opened when nothing is lost', async () => {
    const { odd, hooks } = noted();
    const opened = await open({ hooks });
    expect(await opened.live('e')).to.deep.equal(rows);
    await opened.close();
    expect(odd).to.deep.equal([]);
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('is refused without its database', async () => {
    await rm(file('meta.duckdb'));
    await expectRefusal(missing('there are \\d segments'));
    await rm(file('segments'), { recursive: true });
    await expectRefusal(missing('its log is there'));
    await rm(file('meta.duckdb.wal'));
    await expectRefusal(missing('logs of events are there'));
    await rm(file('log'), { recursive: true });
    await expectRefusal(missing('transaction \\d{19} was acknowledged'));
  });

  it('is refused when the log of a killed store is lost, or its end', async () => {
    const [name = ''] = await readdir(file('log'));
    await truncate(file(`log/${name}`), 60);
    await expectRefusal(acknowledged);
    await rm(file(`log/${name}`));
    await expectRefusal(noLog);
  });

  it('is refused when the log of the database is lost', async () => {
    await rm(file('meta.duckdb.wal'));
    await expectRefusal(old('.*'));
  });

  it('is refused with a database of before the last flush', async () => {
    await rm(file('meta.duckdb.wal'));
    await copyFile(path.join(whole, 'before-flush'), file('meta.duckdb'));
    await expectRefusal(noLog);
  });

  it('is refused with a database of before the last merge', async () => {
    for (const name of ['meta.duckdb.wal', 'last-transaction']) await rm(file(name));
    await copyFile(path.join(whole, 'before-merge'), file('meta.duckdb'));
    await expectRefusal(unknown);
  });

  it('is refused with segments of before the last merge', async () => {
    await rm(file('segments'), { recursive: true });
    await cp(path.join(whole, 'segments'), file('segments'), { recursive: true });
    await expectRefusal(unknown);
  });

  it('is opened when the note of the last transaction is damaged, which is then written anew', async () => {
    const sound = await readFile(file('last-transaction'), 'latin1');
    const later = sound.replace(/^\d/, '9');
    for (const text of ['', '10001', later, sound.repeat(3), '\0'.repeat(4096)]) {
      await writeFile(file('last-transaction'), text);
      const opened = await open();
      expect(await opened.live('e')).to.deep.equal(rows);
      await opened.close();
      expect(await readFile(file('last-transaction'), 'latin1')).to.equal(sound);
    }
  });

  it('has files that belong to no segment set aside, whose numbers are not used again', async () => {
    const inProject = file('segments/project_id=project');
    const numbered = path.join(inProject, '00000077.parquet');
    const foreign = [
      numbered,
      file('segments/notes.txt'),
      file('segments/project_id=%zz/00000001.parquet'),
    ];
    await mkdir(path.dirname(foreign[2]!));
    for (const each of foreign) await writeFile(each, 'foreign');
    const moved: MovedFile[] = [];
    const opened = await open({ hooks: { setAside: (each) => moved.push(each) } });
    expect(await opened.live('e')).to.deep.equal(rows);
    await opened.store.flush();
    await opened.close();
    expect(moved.map((each) => file(each.file))).to.have.members(foreign);
    const names = Object.keys(await filesIn(directory()));
    expect(names).to.include.members(moved.map(({ to }) => to));
    const numbers = names.flatMap(
      (name) => /^segments\/project_id=project\/(\d+)\.parquet$/.exec(name)?.[1] ?? [],
    );
    expect(Math.max(...numbers.map(Number))).to.be.greaterThan(77);
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('has the files of segments removed that were never published', async () => {
    const left = [
      'unpublished/project_id=project/00000066.parquet',
      'project_id=project/00000066.parquet.tmp',
    ];
    await cp(file('segments/project_id=project'), file('segments/unpublished/project_id=project'), {
      recursive: true,
    });
    for (const name of left) await writeFile(file(`segments/${name}`), 'unfinished');
    const { odd, hooks } = noted();
    const opened = await open({ hooks });
    await opened.close();
    expect(odd).to.deep.equal([]);
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  const copyAt = (wanted: SyncPoint, times: number, to: string) => {
    let left = times;
    return async (step: SyncPoint) => {
      if (step === wanted && --left === 0) await copyRunning(file('data'), to);
    };
  };

  const written = ['ids', 'idx', 'narrow', 'parquet'].map(
    (kind) => `segments/unpublished/n.${kind}`,
  );
  const mark = 'segments/unpublished/n.moving';
  const placed = ['ids', 'idx', 'narrow', 'parquet'].map((kind) => `segments/n.${kind}`);

  for (const [step, times, expected] of [
    ['segment-written', 1, written],
    // Of a flush, then of a merge, which runs before the second flush, so that no segment has what the second insert supersedes.
    ['segment-placed', 1, [...placed, mark]],
    ['segment-placed', 3, [...placed, mark]],
    ['published', 1, [mark]],
    ['compaction-middle', 1, written],
  ] as const)
    it(`has every row once after a crash at the step ${step} for the ${times}. time, and in a copy made there`, async () => {
      const crashed = path.join(directory(), 'crashed');
      const hooks = { reached: copyAt(step, times, crashed) };
      const running = await openStore(file('data'), { ...merging, hooks });
      for (const input of [1, 2]) {
        await running.insert('e', { id: 'a', input }, { id: `b${input}` });
        await running.store.flush();
      }
      await running.close();
      expect(await checkStore(crashed)).to.deep.equal([]);
      expect(await left(crashed)).to.deep.equal(expected);
      const { odd, hooks: noting } = noted();
      const opened = await openStore(crashed, { ...options, hooks: noting });
      expect(await opened.live('e')).to.deep.equal(
        step === 'compaction-middle' || times > 1
          ? { a: 2, b1: null, b2: null }
          : { a: 1, b1: null },
      );
      await opened.store.flush();
      await opened.close();
      expect(odd).to.deep.equal([]);
      expect(await checkStore(crashed)).to.deep.equal([]);
      expect(await left(crashed)).to.deep.equal([]);
    });

  it('has the files of a segment removed of which a crash had moved only some', async () => {
    const crashed = path.join(directory(), 'crashed');
    const hooks = { reached: copyAt('segment-placed', 1, crashed) };
    const running = await openStore(file('data'), { ...options, hooks });
    await running.insert('e', { id: 'a', input: 1 });
    await running.store.flush();
    await running.close();
    const segments = path.join(crashed, 'segments');
    const rowFile = Object.keys(await filesIn(path.join(segments, 'project_id=project'))).find(
      (name) => name.endsWith('.parquet'),
    )!;
    await rename(
      path.join(segments, 'project_id=project', rowFile),
      path.join(segments, 'unpublished/project_id=project', rowFile),
    );
    expect(await checkStore(crashed)).to.deep.equal([]);
    const { odd, hooks: noting } = noted();
    const opened = await openStore(crashed, { ...options, hooks: noting });
    expect(await opened.live('e')).to.deep.equal({ a: 1 });
    await opened.close();
    expect(odd).to.deep.equal([]);
    expect(await left(crashed)).to.deep.equal([]);
  });

  it('has foreign files set aside that are not those of a segment that was being published', async () => {
    const running = await openStore(file('data'), options);
    await running.insert('e', { id: 'a', input: 1 });
    await running.store.flush();
    await running.close();
    const inProject = file('data/segments/project_id=project');
    await writeFile(path.join(inProject, '00000077.parquet'), 'foreign');
    await mkdir(file('data/segments/unpublished/project_id=project'), { recursive: true });
    await writeFile(file('data/segments/unpublished/project_id=project/00000078.moving'), '');
    expect(await checkStore(file('data'))).to.deep.equal([
      'file 00000077.parquet belongs to no segment',
    ]);
    const { odd, hooks } = noted();
    await (await openStore(file('data'), { ...options, hooks })).close();
    expect(odd).to.have.lengthOf(1);
  });

  it('has the files of segments removed that a merge replaced before a crash', async () => {
    const crashed = path.join(directory(), 'crashed');
    const rowFiles = async () =>
      Object.keys(await filesIn(crashed)).filter((name) => /\d\.parquet$/.test(name));
    const hooks = { reached: copyAt('published', 3, crashed) };
    const running = await openStore(file('data'), { ...merging, hooks });
    for (const id of ['a', 'b']) {
      await running.insert('e', { id });
      await running.store.flush();
    }
    await running.close();
    expect(await rowFiles()).to.have.lengthOf(3);
    const { odd, hooks: noting } = noted();
    const opened = await openStore(crashed, { ...options, hooks: noting });
    expect(await opened.live('e')).to.deep.equal({ a: null, b: null });
    expect(await opened.writer.read(sql`FROM dropped_segment`)).to.deep.equal([]);
    await opened.close();
    expect(await rowFiles()).to.have.lengthOf(1);
    expect(odd).to.deep.equal([]);
  });

  it('has the missing files of segments named, and the rest is readable', async () => {
    const names = Object.keys(await filesIn(file('segments/project_id=project')));
    const gone = names
      .filter((name) => /\d\.(parquet|narrow|ended|idx|ids)$/.test(name))
      .map((name) => `segments/project_id=project/${name}`);
    for (const each of gone) await rm(file(each));
    const { odd, hooks } = noted();
    const opened = await open({ hooks });
    await waitUntil('the missing files', () => odd.length === gone.length);
    expect(odd).to.have.deep.members(
      gone.map((name) => ({ file: name, problem: 'it is missing' })),
    );
    expect((await rejection(opened.live('e'))).message).to.match(/is missing or damaged$/);
    await opened.insert('other', { id: 'x' });
    expect(await opened.live('other')).to.deep.equal({ x: null });
    await opened.close();
  });
});
