// A generation is sealed while the storage fails: nothing is left open, and no row that was refused comes back.
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { storageFailed } from '../../src/errors.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { Sealer } from '../../src/store/commit/sealer.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { emptyGeneration, type StoreState } from '../../src/store/manifest/store-state.js';
import { copyRunning } from '../support/copy-running.js';
import { whileTruncateFails } from '../support/failing-files.js';
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

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Lets the time of the mocked timers pass. */
async function pass(seconds: number): Promise<void> {
  mock.timers.tick(seconds * 1000);
  await settled();
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

  it('that a query asks for says whether its rows were flushed', async () => {
    const { signal } = new AbortController();
    await opened.insert('e', { id: 'a' });
    failAt('segment-written');
    expect(await opened.store.sealForColumns(['project'], signal)).to.equal(false);
    steps = {};
    expect(await opened.store.sealForColumns(['another project'], signal)).to.equal(true);
    expect(opened.store.stats().projects.get('project')).to.include({ segments: 1 });
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

describe('a seal that failed', () => {
  const limits = { rows: 10, bytes: 2 ** 30, seconds: 300, idleSeconds: 20 };
  const state: StoreState = {
    change: 0,
    publication: 0,
    removals: new Map(),
    historyFrom: 0n,
    lastXactId: 0n,
    sealed: [],
    active: emptyGeneration(1, 0n),
    segments: [],
    superseded: new Map(),
  };
  let sealer: Sealer;
  let fails: boolean;
  let failures: unknown[];
  let current: StoreState;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    fails = true;
    failures = [];
    sealer = new Sealer(limits, {
      writer: {
        transaction: () => (fails ? Promise.reject(new Error('EIO')) : Promise.resolve(null!)),
      },
      log: {
        create: () => Promise.resolve(),
        discard: () => Promise.resolve(),
        removeFailedFrame: () => Promise.resolve(),
      },
      committer: {
        get state() {
          return current;
        },
        change: async (work) => {
          current = (await work(current))?.state ?? current;
        },
      },
      nextSource: () => current.active.source + 1,
      sealed: () => {},
      failed: (error) => failures.push(error),
    });
  });
  afterEach(() => {
    sealer.close();
    mock.timers.reset();
  });

  for (const [why, active, waited] of [
    ['is full', { rowCount: 10 }, 0],
    ['is old', { rowCount: 1 }, limits.seconds],
    ['is idle', { rowCount: 1, bytes: 2 ** 23 }, limits.idleSeconds],
  ] as const)
    it(`is tried again without a change, when the generation ${why}`, async () => {
      current = { ...state, active: { ...state.active, ...active } };
      sealer.check();
      await pass(waited);
      expect(failures.map(String)).to.deep.equal(['Error: EIO']);
      await pass(5);
      expect(failures).to.have.length(2);
      fails = false;
      await pass(5);
      expect(current.sealed.map(({ source }) => source)).to.deep.equal([1]);
      expect(failures).to.have.length(2);
    });

  it('is not tried again after the end of the store', async () => {
    current = { ...state, active: { ...state.active, rowCount: 10 } };
    sealer.check();
    await settled();
    sealer.close();
    await pass(400);
    sealer.check();
    await settled();
    expect(failures).to.have.length(1);
  });
});
