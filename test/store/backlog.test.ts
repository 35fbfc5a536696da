// Inserts that come faster than they can be moved to segments.
import { EventEmitter, once } from 'node:events';
import { queryObjects } from 'node:v8';
import { expect } from 'chai';
import { Backlog } from '../../src/store/commit/backlog.js';
import { emptyGeneration, type StoreState } from '../../src/store/manifest/store-state.js';
import { openStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const megabyte = 2 ** 20;
const limits = { softBytes: 100 * megabyte, hardBytes: 200 * megabyte, waitMs: 1000 };
const complaint = {
  status: 503,
  message: 'earlier events are still being written to segments, try again later',
};

const buffered = (sealed: number, active: number): StoreState => ({
  change: 0,
  publication: 0,
  removals: new Map(),
  historyFrom: 0n,
  lastXactId: 0n,
  sealed: [{ ...emptyGeneration(1, 0n), bytes: sealed * megabyte }],
  active: { ...emptyGeneration(2, 0n), bytes: active * megabyte },
  segments: [],
  superseded: new Map(),
});

const backlog = (sealed: number, active: number) =>
  new Backlog(limits, buffered(sealed, active), () => 0);

/** The promises that are still referenced. */
const countPromises = () => queryObjects(Promise, { format: 'count' });

/** How many inserts were stored before one was refused. */
async function insertUntilRefused(insert: () => Promise<unknown>): Promise<number> {
  for (let stored = 0; stored < 100; stored++) {
    const error = await insert().then(
      () => null,
      (refusal: unknown) => refusal,
    );
    if (error === null) continue;
    expect(error).to.include(complaint);
    return stored;
  }
  throw new Error('no insert was refused');
}

describe('the backlog of buffered rows', () => {
  const directory = temporaryDirectory();

  it('slows large inserts down, the more the larger it is', () => {
    expect(backlog(60, 40).delayMs(3 * megabyte)).to.equal(0);
    expect(backlog(100, 50).delayMs(3 * megabyte)).to.be.closeTo(100, 1e-6);
    expect(backlog(100, 75).delayMs(3 * megabyte)).to.be.closeTo(300, 1e-6);
    expect(backlog(200, 50).delayMs(3 * megabyte)).to.equal(1000);
    expect(backlog(100, 75).delayMs(10_000)).to.equal(0);
  });

  it('lets large inserts in one after the other', () => {
    let now = 0;
    const loaded = new Backlog(limits, buffered(100, 50), () => now);
    expect(loaded.delayMs(3 * megabyte)).to.be.closeTo(100, 1e-6);
    expect(loaded.delayMs(3 * megabyte)).to.be.closeTo(200, 1e-6);
    now = 150;
    expect(loaded.delayMs(3 * megabyte)).to.be.closeTo(150, 1e-6);
    loaded.update(buffered(0, 50));
    expect(loaded.delayMs(3 * megabyte)).to.equal(0);
  });

  it('holds every insert up while it is full', async () => {
    const full = new Backlog({ ...limits, waitMs: 60_000 }, buffered(150, 50));
    let admitted = false;
    const admission = full.admit(() => megabyte)?.then(() => (admitted = true));
    full.update(buffered(160, 50));
    await Promise.resolve();
    expect(admitted).to.equal(false);
    full.update(buffered(0, 50));
    expect(await admission).to.equal(true);
    expect(full.admit(() => 1)).to.equal(undefined);
  });

  it('answers an insert that has waited too long in one sentence', async () => {
    const full = new Backlog({ ...limits, waitMs: 1 }, buffered(150, 50));
    expect(await rejection(full.admit(() => 1)!)).to.include(complaint);
  });

  it('keeps nothing of inserts that have waited too long', async () => {
    const full = new Backlog({ ...limits, waitMs: 0 }, buffered(150, 50));
    const inserts = 1000;
    const refuseAll = () =>
      Promise.all(Array.from({ length: inserts }, () => rejection(full.admit(() => 1)!)));
    await refuseAll();
    const before = countPromises();
    await refuseAll();
    expect(countPromises() - before).to.be.below(inserts);
    expect(await rejection(full.admit(() => 1)!)).to.include(complaint);
  });

  it('grows while segments cannot be written, up to its limit, and inserts go on after that', async () => {
    const gate = new EventEmitter();
    const opening = once(gate, 'open');
    const opened = await openStore(directory(), {
      flushBytes: 10_000,
      backlogWaitMs: 50,
      hooks: {
        reached: async (step) => {
          if (step === 'segment-written') await opening;
        },
      },
    });
    const event = { input: 'x'.repeat(9_000) };
    const stored = await insertUntilRefused(() => opened.insert('e', event));
    expect(stored).to.be.within(3, 6);
    gate.emit('open');
    await opened.store.flush();
    await opened.insert('e', event);
    expect(Object.keys(await opened.live('e'))).to.have.length(stored + 1);
    await opened.close();
  });

  it('counts what is buffered already when the store is opened', async () => {
    const events = Array.from({ length: 34 }, () => ({ input: 'x'.repeat(9_000) }));
    const before = await openStore(directory(), { flushRows: 1_000_000 });
    await before.insert('e', ...events);
    await before.close();
    const opened = await openStore(directory(), { flushBytes: 100_000, backlogWaitMs: 50 });
    expect(await rejection(opened.insert('e', { input: 1 }))).to.include(complaint);
    await opened.close();
  });
});
