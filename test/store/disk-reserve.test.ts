// What inserts, merges and spilled data leave of the disk.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import {
  DiskReserve,
  flushBytes,
  measureDisk,
  type DiskSpace,
  type ReserveChange,
} from '../../src/store/commit/disk-reserve.js';
import { SegmentOutputs } from '../../src/store/maintenance/segment-outputs.js';
import { emptyGeneration, type StoreState } from '../../src/store/manifest/store-state.js';
import { allRows, openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const megabyte = 2 ** 20;
const refusal = {
  status: 503,
  message:
    'the disk is almost full, and the rest is kept for freeing it (EVALSTORE_DISK_RESERVE_MB): nothing was stored, delete data or free space',
};

const generation = (source: number, megabytes: number) => ({
  ...emptyGeneration(source, 0n),
  bytes: megabytes * megabyte,
});

describe('the reserve of the disk', () => {
  let space: DiskSpace;
  let changes: ReserveChange[];
  let state: Pick<StoreState, 'sealed' | 'active'>;

  const has = (free: number, total = 100_000) =>
    (space = { free: free * megabyte, total: total * megabyte });

  async function opened(reserveMb: number): Promise<DiskReserve> {
    changes = [];
    state = { sealed: [], active: generation(1, 0) };
    return DiskReserve.open({
      directory: '',
      reserveBytes: reserveMb * megabyte,
      measure: () => Promise.resolve(space),
      state: () => state,
      changed: (change) => void changes.push(change),
    });
  }

  it('is what is kept, and what the flush of the buffered rows needs', async () => {
    expect(flushBytes([])).to.equal(0);
    expect(flushBytes([{ bytes: 100 }, { bytes: 300 }])).to.equal(1.25 * 400 + 300);
    has(1000);
    const reserve = await opened(500);
    expect(reserve.bytes).to.equal(500 * megabyte);
    state = { sealed: [generation(1, 100)], active: generation(2, 60) };
    expect(reserve.bytes).to.equal((500 + 200 + 100) * megabyte);
    expect(reserve.temporaryRoom).to.equal(200 * megabyte);
    expect(reserve.room(false)).to.equal((200 * megabyte) / 3.25);
    expect(reserve.room(true)).to.equal((700 * megabyte) / 3.25);
    expect(reserve.mergeRoom).to.equal((700 * megabyte) / 2.5);
  });

  it('is at most a tenth of a small disk', async () => {
    has(50, 100);
    expect((await opened(512)).bytes).to.equal(10 * megabyte);
  });

  it('keeps what a running merge needs, if that is more', async () => {
    has(1000);
    const reserve = await opened(500);
    await reserve.merging(100 * megabyte, async () => {
      expect(reserve.bytes).to.equal(500 * megabyte);
    });
    const failing = reserve.merging(300 * megabyte, async () => {
      expect(reserve.bytes).to.equal(750 * megabyte);
      throw new Error('failed');
    });
    expect((await rejection(failing)).message).to.equal('failed');
    expect(reserve.bytes).to.equal(500 * megabyte);
  });

  it('refuses what does not fit, and accepts less meanwhile', async () => {
    has(825);
    const reserve = await opened(500);
    reserve.check(100 * megabyte, false);
    expect(() => reserve.check(100 * megabyte + 1, false)).to.throw(refusal.message);
    reserve.appended(220 * megabyte);
    expect(() => reserve.check(50 * megabyte, false)).to.throw(refusal.message);
    reserve.check(30 * megabyte, false);
    expect(reserve.refused).to.equal(2);
    expect(changes).to.deep.equal([]);
    reserve.close();
  });

  it('refuses all inserts but deletions until there is space, and says so once', async () => {
    has(501);
    const reserve = await opened(500);
    for (let times = 0; times < 3; times++)
      expect(() => reserve.check(megabyte, false)).to.throw(refusal.message);
    expect(() => reserve.check(1, false), 'though it fits').to.throw(refusal.message);
    reserve.check(megabyte, true);
    reserve.check(0, true);
    const begun = { isRefusing: true, free: 501 * megabyte, reserve: 500 * megabyte };
    expect(changes).to.deep.equal([begun]);
    has(900);
    await waitUntil('inserts are accepted', () => !reserve.isRefusing);
    reserve.check(megabyte, false);
    const ended = { isRefusing: false, free: 900 * megabyte, reserve: 500 * megabyte };
    expect(changes).to.deep.equal([begun, ended]);
    expect(reserve.refused).to.equal(4);
    reserve.close();
  });

  it('can be switched off', async () => {
    has(0);
    const reserve = await opened(0);
    state = { sealed: [], active: generation(1, 100) };
    reserve.check(2 ** 40, false);
    const { bytes, mergeRoom, temporaryRoom } = reserve;
    expect([bytes, mergeRoom, temporaryRoom]).to.deep.equal([0, Infinity, Infinity]);
  });

  it('knows the disk by its directory, and goes on without a measurement', async () => {
    const { free, total } = await measureDisk('.');
    expect(free).to.be.within(1, total);
    has(1);
    const reserve = await DiskReserve.open({
      directory: '/nowhere',
      reserveBytes: megabyte,
      measure: measureDisk,
      state: () => state,
      changed: () => {},
    });
    reserve.check(2 ** 40, false);
  });
});

describe('a store whose disk is almost full', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  /** In bytes; null if it cannot be measured. */
  let free: number | null;
  let measured: number;

  const open = async (diskReserveMb: number) => {
    [free, measured] = [100_000 * megabyte, 0];
    opened = await openStore(directory(), {
      flushRows: 1_000_000,
      queryMemoryMb: 48,
      diskReserveMb,
      measureDisk: () => {
        measured += 1;
        const disk = { free: free ?? 0, total: 100_000 * megabyte };
        return free === null ? Promise.reject(new Error('not now')) : Promise.resolve(disk);
      },
      compaction: { fanOut: 3 },
    });
  };
  beforeEach(() => open(100));
  afterEach(() => opened.close());

  /** Waits until the store has noticed it: it looks a few times a second. */
  const refused = async () => {
    let error: unknown = null;
    await waitUntil('an insert is refused', async () => {
      error = await opened.insert('e', { id: 'more', input: 'x' }).then(
        () => null,
        (reason: unknown) => reason,
      );
      return error !== null;
    });
    expect(error).to.include(refusal);
  };

  const accepted = () =>
    waitUntil('an insert is accepted', () =>
      opened.insert('e', { id: 'more', input: 'y' }).then(
        () => true,
        () => false,
      ),
    );

  it('flushes what is buffered, stores deletions, and goes on when there is space', async () => {
    await opened.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 2 });
    free = 100 * megabyte;
    await refused();
    await waitUntil('the rows are flushed', () => opened.store.stats().buffered.rows === 0);
    await opened.insert('e', { id: 'a', _object_delete: true });
    const both = opened.insert('e', { id: 'b', _object_delete: true }, { id: 'c', input: 3 });
    expect(await rejection(both)).to.include(refusal);
    expect(await opened.live('e'))
      .to.include({ b: 2 })
      .and.not.to.have.any.keys('a', 'c');
    expect(opened.store.stats().disk.isRefusing).to.equal(true);
    expect(opened.store.stats().disk.reserve).to.be.above(100 * megabyte);
    free = 105 * megabyte;
    const before = measured;
    await waitUntil('the store has measured it', () => measured > before + 1);
    const small = opened.insert('e', { id: 'small', input: 1 });
    expect(await rejection(small), 'though it fits').to.include(refusal);
    free = 1000 * megabyte;
    await accepted();
    expect(opened.store.stats().disk.isRefusing).to.equal(false);
  });

  it('measures a merge into large rows, not the request', async () => {
    free = 200 * megabyte;
    const text = 'x'.repeat(8 * megabyte);
    await opened.insert('e', { id: 'a', input: { text } });
    free = 123 * megabyte;
    await opened.store.flush();
    const merge = { id: 'a', _is_merge: true, input: { more: 1 } };
    await waitUntil('the merged row is refused', () =>
      opened.insert('e', merge).then(
        () => false,
        () => true,
      ),
    );
    await opened.insert('e', { id: 'b', input: { more: 1 } });
    expect(opened.store.stats().disk.isRefusing).to.equal(false);
  });

  it('counts what the log gets between two measurements', async () => {
    const tries = () => opened.insert('e', { id: 'a', input: 'x'.repeat(8 * megabyte) });
    free = 150 * megabyte;
    await waitUntil('it is measured', async () => {
      await opened.insert('e', { id: 'small' });
      return measured > 1;
    });
    free = null;
    await tries();
    expect(await rejection(tries())).to.include(refusal);
  });

  it('merges when there is space', async () => {
    const segments = () => opened.store.stats().projects.get('project')?.segments;
    free = 1000;
    for (let round = 0; round < 3; round++) {
      await opened.insert('e', { id: 'gone', _object_delete: true }).catch(() => {});
      free = 100_000 * megabyte;
      await accepted();
      free = 1000;
      await refused();
      await opened.store.flush();
    }
    expect(segments()).to.be.at.least(3);
    free = 100_000 * megabyte;
    await accepted();
    await opened.store.flush();
    expect(segments()).to.be.below(3);
    expect(opened.store.stats().maintenance.merge.failures).to.equal(0);
  });

  it('keeps what a merge needs while it runs', async () => {
    await opened.close();
    await open(1);
    const write = Reflect.get<SegmentOutputs, 'write'>(SegmentOutputs.prototype, 'write');
    const reserves: number[] = [];
    SegmentOutputs.prototype.write = function (...given) {
      const { buffered, disk } = opened.store.stats();
      if (buffered.rows === 0) reserves.push(disk.reserve);
      return write.apply(this, given);
    };
    try {
      for (let round = 0; round < 3; round++) {
        const input = randomBytes(megabyte).toString('base64');
        const events = Array.from({ length: 200 }, (_, n) => ({
          id: `${round} ${n}`,
          input: input.slice(n * 5000, (n + 1) * 5000),
        }));
        await opened.insert('e', ...events);
        await opened.store.flush();
      }
    } finally {
      SegmentOutputs.prototype.write = write;
    }
    expect(reserves).to.have.length(1);
    expect(reserves[0]).to.be.above(5 * megabyte);
    expect(opened.store.stats().disk.reserve).to.equal(megabyte);
  });

  it('lets queries spill to what is free besides', async () => {
    const rows = 1_000_000;
    const sorted = sql`
      SELECT count(*) FROM (
        SELECT md5(range::VARCHAR) AS a, md5((range + 1)::VARCHAR) AS b FROM range(${BigInt(rows)}) ORDER BY a LIMIT 900000)
      WHERE b > ''`;
    const count = async () => {
      const snapshot = await opened.store.snapshot();
      try {
        return await allRows(snapshot, sorted, 'heavy');
      } finally {
        await snapshot.release();
      }
    };
    free = 99 * megabyte;
    await waitUntil('the reserve is full', () =>
      opened.store.requireDisk().then(
        () => false,
        () => true,
      ),
    );
    expect(await rejection(count())).to.include({
      status: 503,
      message: 'the storage for temporary data is full or cannot be written',
    });
    free = 100_000 * megabyte;
    await accepted();
    expect(await count()).to.deep.equal([[900000n]]);
  });
});
