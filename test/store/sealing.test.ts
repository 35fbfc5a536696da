// A generation is sealed while the storage fails: nothing is left open, and no row that was refused comes back.
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { storageFailed } from '../../src/errors.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { copyRunning } from '../support/copy-running.js';
import { whileTruncateFails } from '../support/failing-truncate.js';
import { allRows, openStore, rowsOf, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const refused = {
  status: 503,
  message: 'the storage is full or cannot be written, nothing was stored',
};

/** The ids of the live rows, each as often as it is there. */
async function ids({ store }: TestStore): Promise<readonly unknown[]> {
  const snapshot = await store.snapshot();
  const rows = await allRows(snapshot, sql`SELECT id FROM ${rowsOf(snapshot, 'e')} ORDER BY id`);
  await snapshot.release();
  return rows.flat();
}

describe('sealing', () => {
  const directory = temporaryDirectory();
  const data = () => path.join(directory(), 'data');
  let opened: TestStore;
  /** What happens at each step. */
  let steps: Partial<Record<SyncPoint, () => void | Promise<void>>>;

  const open = async (from: string) => {
    const hooks = { reached: (step: SyncPoint) => steps[step]?.() };
    return openStore(from, { flushRows: 1_000_000, hooks });
  };
  beforeEach(async () => {
    steps = {};
    opened = await open(data());
  });
  afterEach(async () => {
    steps = {};
    await opened.close();
  });

  const failAt = (step: SyncPoint) => {
    steps = {
      [step]: () => {
        throw new Error('EIO');
      },
    };
  };

  const logs = () => readdir(path.join(data(), 'log'));

  /** The logs that this process has open, if the system tells. */
  async function openLogs(): Promise<readonly string[]> {
    const numbers = await readdir('/proc/self/fd').catch(() => []);
    const files = await Promise.all(
      numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
    );
    return files.filter((file) => file.startsWith(path.join(data(), 'log/')));
  }

  for (const [what, fail] of [
    [
      'the manifest cannot be written',
      (work) => {
        const transaction = opened.writer.transaction.bind(opened.writer);
        opened.writer.transaction = () => Promise.reject(storageFailed(new Error('EIO')));
        return work().finally(() => (opened.writer.transaction = transaction));
      },
    ],
    ['the new log cannot be emptied', whileTruncateFails],
    [
      'the directory of the new log cannot be synced',
      (work) => {
        failAt('log-created');
        return work().finally(() => (steps = {}));
      },
    ],
  ] satisfies readonly (readonly [string, (work: () => Promise<void>) => Promise<void>])[])
    it(`leaves neither a file nor a handle behind when ${what}, and works later`, async () => {
      await opened.insert('e', { id: 'a' });
      const [before, openBefore] = [await logs(), await openLogs()];
      await fail(async () => {
        for (let times = 0; times < 3; times++) await rejection(opened.store.flush());
      });
      expect(await openLogs()).to.deep.equal(openBefore);
      expect(await logs()).to.deep.equal(before);
      await opened.insert('e', { id: 'b' });
      await opened.store.flush();
      expect(await ids(opened)).to.deep.equal(['a', 'b']);
      expect(await checkStore(data())).to.deep.equal([]);
    });

  /** Inserts into a log that can neither sync nor truncate the frame. */
  async function insertInVain(id: string): Promise<void> {
    failAt('log-written');
    expect((await rejection(opened.insert('e', { id }))).message).to.equal(
      'the storage failed while the write was committed, it may or may not be stored',
    );
    steps = {};
  }

  it('is refused while a frame of unknown outcome cannot be removed', async () => {
    await opened.insert('e', { id: 'a' });
    await whileTruncateFails(async () => {
      await insertInVain('b');
      expect(await rejection(opened.store.flush())).to.include(refused);
    });
    expect(await logs()).to.have.length(1);
    await opened.store.flush();
    expect(await ids(opened)).to.deep.equal(['a']);
  });

  it('that a query asks for fails in silence: its rows are in the buffer', async () => {
    await opened.insert('e', { id: 'a' });
    const { signal } = new AbortController();
    await whileTruncateFails(async () => {
      await insertInVain('b');
      expect(await opened.store.sealForColumns(['project'], signal)).to.equal(false);
      expect(await ids(opened)).to.deep.equal(['a']);
    });
    expect(await opened.store.sealForColumns(['another project'], signal)).to.equal(true);
    expect(await ids(opened)).to.deep.equal(['a']);
  });

  it('removes a frame of unknown outcome, so that after a crash a repeated request is there once', async () => {
    const crashed = path.join(directory(), 'crashed');
    await opened.insert('e', { id: 'a' });
    await whileTruncateFails(() => insertInVain('b'));
    steps = {
      'segment-written': async () => {
        steps = {};
        await opened.insert('e', { id: 'b' });
        await copyRunning(data(), crashed);
      },
    };
    await opened.store.flush();
    expect(await ids(opened)).to.deep.equal(['a', 'b']);
    const restarted = await open(crashed);
    expect(await ids(restarted)).to.deep.equal(['a', 'b']);
    await restarted.close();
  });
});
