// Removed events: all of their versions leave every file, and every other row stays as it was.
import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { niceness } from '../../src/duckdb/engine-threads.js';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { copyRunning } from '../support/copy-running.js';
import { eventsFile } from '../support/events-file.js';
import { allRows, openStore, rowsOf, storages, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { threadsByNiceness } from '../support/threads-by-niceness.js';
import { waitUntil } from '../support/wait-until.js';

const byHand = { flushRows: 1_000_000, segments: { narrowRowsMin: 1 } };
const never = new AbortController().signal;

const secret = (id: string, version: number) => ({ id, input: `secret of ${id}, ${version}` });
const publicRow = (id: string, version: number) => ({
  id,
  input: `open text of ${id}, ${version}`,
});

/** A row without a secret. */
const isPublic = (row: readonly unknown[]) =>
  !row.some((value) => String(value).includes('secret'));

const failFlush = (step: SyncPoint) => {
  if (step === 'segment-written') throw new Error('no');
};

describe('removed events', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  const data = (to = 'data') => path.join(directory(), to);

  async function open(options: Partial<EventStoreOptions> = {}, to = 'data'): Promise<void> {
    opened = await openStore(data(to), { ...byHand, ...options });
  }

  afterEach(() => opened.close());

  const select = (ids: readonly string[], objectId = 'e', to = 'data') =>
    eventsFile(opened, data(to), ids, objectId);

  const remove = async (ids: readonly string[], objectId = 'e') =>
    opened.store.remove('project', await select(ids, objectId), never);

  /** Every row of the object at the version, with all columns. */
  async function wholeRows(objectId: string, version: bigint | null = null) {
    const snapshot = await opened.store.snapshot(version);
    const rows = await allRows(
      snapshot,
      sql`SELECT * FROM ${rowsOf(snapshot, objectId)} ORDER BY id`,
    );
    await snapshot.release();
    return rows;
  }

  /** Three versions of each event, the second one of `b` a tombstone. Returns the transactions. */
  async function fill(): Promise<readonly bigint[]> {
    const xacts = [
      await opened.insert(
        'e',
        secret('a', 1),
        secret('b', 1),
        publicRow('c', 1),
        publicRow('d', 1),
      ),
      await opened.insert('other', publicRow('a', 1)),
      await opened.insert(
        'e',
        secret('a', 2),
        { id: 'b', _object_delete: true },
        publicRow('c', 2),
      ),
      await opened.insert('e', secret('a', 3), secret('b', 3), publicRow('c', 3)),
    ];
    return xacts;
  }

  /** The text of every file of the directory: Parquet files decoded, others as they are. */
  async function stored(to = 'data'): Promise<string> {
    const entries = await readdir(data(to), { recursive: true, withFileTypes: true });
    const texts = entries
      .filter((entry) => entry.isFile() && entry.name !== 'events.parquet')
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name);
        const isRows = /\.(parquet|narrow|ended)$/.test(file);
        if (!isRows) return (await readFile(file)).toString('latin1');
        const rows = await opened.writer.read(sql`FROM read_parquet(${file})`);
        return rows.map((row) => Object.values(row).join('\n')).join('\n');
      });
    return (await Promise.all(texts)).join('\n');
  }

  for (const [where, options] of Object.entries(storages))
    it(`leave nothing, and others unchanged at every version: ${where}`, async () => {
      await open(options);
      const xacts = await fill();
      const before = await Promise.all(xacts.map((xact) => wholeRows('e', xact)));
      const others = await wholeRows('other');
      const removed = await remove(['a', 'b', 'unknown']);
      expect(removed.rows).to.equal(6);
      for (const [index, xact] of xacts.entries()) {
        const now = await wholeRows('e', xact);
        expect(now).to.deep.equal(before[index]!.filter(isPublic));
      }
      expect(await wholeRows('other')).to.deep.equal(others);
      expect(await stored()).not.to.include('secret');
      await opened.close();
      expect(await checkStore(data())).to.deep.equal([]);
      await open(options);
      expect(await opened.live('e')).to.deep.equal({
        c: 'open text of c, 3',
        d: 'open text of d, 1',
      });
    });

  it('leave the processors to everything else', async () => {
    const low = Math.min(19, os.getPriority(process.pid) + niceness);
    const lowThreads = async () => (await threadsByNiceness())[low] ?? 0;
    let during = 0;
    const reached = async (step: SyncPoint) => {
      if (step === 'compaction-middle') during = await lowThreads();
    };
    await open({ hooks: { reached } });
    await fill();
    const before = await lowThreads();
    await remove(['a']);
    expect(during).to.be.above(before);
  });

  it('are estimated: their rows, and their share of the files', async () => {
    await open();
    const ids = Array.from({ length: 3_000 }, (_, index) => `${index}`);
    await opened.insert('e', ...ids.map((id) => publicRow(id, 1)));
    const half = ids.slice(0, 1_500);
    const estimated = await opened.store.removable('project', await select(half), never);
    const removed = await remove(half);
    expect(estimated.rows).to.equal(1_500);
    expect(removed.rows).to.equal(1_500);
    expect(removed.bytes / estimated.bytes).to.be.within(0.8, 1.2);
    const rest = await opened.store.removable('project', await select(ids), never);
    expect(await remove(ids)).to.deep.equal(rest);
  });

  it('take the versions with them that are written while they are removed', async () => {
    let written: Promise<unknown> | undefined;
    const reached = async (step: SyncPoint) => {
      if (step !== 'compaction-middle') return;
      written ??= Promise.all([
        opened.insert('e', { id: 'a', _is_merge: true, metadata: { late: true } }),
        opened.insert('e', { id: 'c', _is_merge: true, metadata: { late: true } }),
      ]);
      await written;
    };
    await open({ hooks: { reached } });
    await fill();
    await remove(['a', 'b']);
    expect(written).not.to.equal(undefined);
    expect(await stored()).not.to.include('secret');
    expect(Object.keys(await opened.live('e'))).to.deep.equal(['c', 'd']);
    await opened.insert('e', publicRow('a', 4));
    expect((await opened.live('e'))['a']).to.equal('open text of a, 4');
    await opened.close();
    expect(await checkStore(data())).to.deep.equal([]);
    await open();
  });

  it('change the identity of their objects at every version, and not that of others', async () => {
    await open();
    const [first] = await fill();
    const identities = () =>
      [null, first!].map((version) => opened.store.identity(['e'], version).identity);
    const before = identities();
    const snapshot = await opened.store.snapshot();
    await opened.store.insert([]);
    const removal = remove(['a']);
    const ofSnapshot = snapshot.identity(['e']);
    expect(ofSnapshot).to.equal(before[0]);
    await snapshot.release();
    await removal;
    for (const [index, identity] of identities().entries())
      expect(identity).not.to.equal(before[index]);
  });

  it('are in their files until no snapshot reads these', async () => {
    await open();
    await fill();
    const snapshot = await opened.store.snapshot();
    let isDone = false;
    const removal = remove(['a', 'b']).then(() => (isDone = true));
    await waitUntil('the rows are gone', async () => !('a' in (await opened.live('e'))));
    expect(isDone).to.equal(false);
    expect(await opened.live('e', snapshot)).to.have.property('a', 'secret of a, 3');
    await snapshot.release();
    await removal;
    expect(await stored()).not.to.include('secret');
  });

  it('are whole segments where rows expire: merges keep rows of other times apart', async () => {
    await open({ compaction: { fanOut: 2 } });
    const insertOf = async (day: number) => {
      await opened.insert('e', { id: `${day}`, created: `2026-01-${day}T00:00:00Z` });
      await opened.store.flush();
      return (await opened.writer.read(sql`FROM segment`)).length;
    };
    // Merged within an eighth of that.
    opened.store.expire(new Map([['project', 8]]));
    expect(await insertOf(10)).to.equal(1);
    expect(await insertOf(12)).to.equal(2);
    opened.store.expire(new Map());
    expect(await insertOf(14)).to.equal(1);
  });

  it('are not removed while the buffered rows cannot be flushed', async () => {
    await open({ hooks: { reached: failFlush } });
    await fill();
    const error = await remove(['a']).catch((e: unknown) => e);
    expect((error as Error).message).to.equal(
      'the buffered rows cannot be written to segments, see the log of the server',
    );
    expect(await opened.live('e')).to.have.property('a');
  });

  it('are not removed when the caller gives up', async () => {
    await open();
    await fill();
    const file = await select(['a']);
    const gone = AbortSignal.abort(new Error('gone'));
    const error = await opened.store.remove('project', file, gone).catch((e: unknown) => e);
    expect((error as Error).message).to.equal('gone');
    expect(await opened.live('e')).to.have.property('a');
  });

  for (const point of ['segment-placed', 'published'] as const)
    it(`are removed by the next attempt after a crash at ${point}`, async () => {
      await open({ flushRows: 1 });
      const xacts = await fill();
      await opened.store.flush();
      await opened.close();
      const crashed: string[] = [];
      const reached = async (step: SyncPoint) => {
        if (step !== point || crashed.length === 1) return;
        crashed.push(`crashed-${crashed.length}`);
        await copyRunning(data(), data(crashed.at(-1)));
      };
      await open({ compaction: { quietMs: 3_600_000 }, hooks: { reached } });
      const before = await wholeRows('e', xacts[0]);
      await remove(['a', 'b']);
      await opened.close();
      expect(crashed).to.have.lengthOf(1);
      for (const to of crashed) {
        expect(await checkStore(data(to))).to.deep.equal([]);
        await open({}, to);
        const file = await select(['a', 'b'], 'e', to);
        await opened.store.remove('project', file, never);
        expect(await stored(to)).not.to.include('secret');
        expect(await wholeRows('e', xacts[0])).to.deep.equal(before.filter(isPublic));
        await opened.close();
        expect(await checkStore(data(to))).to.deep.equal([]);
      }
      await open();
    });
});
