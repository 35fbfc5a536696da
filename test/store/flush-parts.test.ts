// A generation of any size is flushed in parts that fit into memory.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { SegmentOutputs } from '../../src/store/maintenance/segment-outputs.js';
import { SegmentLookup } from '../../src/store/segment/segment-lookup.js';
import { decodeEvents } from '../support/decode-events.js';
import { whileReadFails } from '../support/failing-files.js';
import { experiment, openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';
import { allToHeavy, flushParts } from '../../src/store/maintenance/flush-parts.js';

const megabyte = 2 ** 20;
const allBytesMax = allToHeavy * 64 * megabyte;

const partsOf = (bytes: readonly number[], heavyBytesMax = 64 * megabyte) =>
  flushParts(
    { firstRow: 5, endRow: 5 + bytes.length },
    (row) => bytes[row - 5]!,
    heavyBytesMax,
  ).map(({ firstRow, endRow }) => [firstRow - 5, endRow - 5]);

describe('the parts of a flush', () => {
  it('are one for a usual generation, and none without rows', () => {
    expect(partsOf(Array.from({ length: 50_000 }, () => 2400))).to.deep.equal([[0, 50_000]]);
    expect(partsOf([])).to.deep.equal([]);
  });

  it('end before heavy rows that are too much together', () => {
    const heavy = 30 * megabyte;
    expect(partsOf([heavy, 10, heavy, 10, heavy, 10])).to.deep.equal([
      [0, 4],
      [4, 6],
    ]);
    expect(partsOf([2 * allBytesMax, 10, 2 * allBytesMax])).to.deep.equal([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it('end before small rows that are too much together', () => {
    const bytes = 32_000;
    const fitting = Math.floor(allBytesMax / bytes);
    expect(partsOf(Array.from({ length: fitting + 1 }, () => bytes))).to.deep.equal([
      [0, fitting],
      [fitting, fitting + 1],
    ]);
  });
});

describe('a flush in parts that fails in the middle', () => {
  const directory = temporaryDirectory();
  const write = Reflect.get<SegmentOutputs, 'write'>(SegmentOutputs.prototype, 'write');
  afterEach(() => Object.assign(SegmentOutputs.prototype, { write }));

  it('removes the segments of its first parts', async () => {
    const failures: unknown[] = [];
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      hooks: { failed: (error) => failures.push(error) },
    });
    await opened.insert('e', { id: 'a' }, { id: 'b' });
    const outcomes = ['memory', null, 'storage'] as const;
    let calls = 0;
    SegmentOutputs.prototype.write = function (connection, request) {
      const kind = outcomes[calls++] ?? null;
      if (kind !== null) return Promise.reject(new EngineError(kind, 'provoked'));
      return write.call(this, connection, request);
    };
    void opened.store.flush();
    await waitUntil('the flush has failed', () => failures.length > 0);
    expect(calls).to.equal(3);
    const segments = path.join(directory(), 'segments');
    const left = await readdir(segments, { recursive: true });
    expect(left.filter((name) => path.extname(name) !== '')).to.deep.equal([]);
    await opened.store.flush();
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});

describe('a flush whose new files cannot be read', () => {
  const directory = temporaryDirectory();
  const add = Reflect.get<SegmentLookup, 'add'>(SegmentLookup.prototype, 'add');
  const forget = Reflect.get<SegmentLookup, 'forget'>(SegmentLookup.prototype, 'forget');
  afterEach(() => Object.assign(SegmentLookup.prototype, { add, forget }));

  it('keeps no index of their segment in memory', async () => {
    const kept = new Set<number>();
    SegmentLookup.prototype.add = function (segment, index) {
      kept.add(segment.source);
      return add.call(this, segment, index);
    };
    SegmentLookup.prototype.forget = function (segment) {
      kept.delete(segment.source);
      return forget.call(this, segment);
    };
    const failures: unknown[] = [];
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      hooks: { failed: (error) => failures.push(error) },
    });
    await opened.insert('e', { id: 'a' });
    await whileReadFails(() => opened.store.flush());
    expect(failures.map(String)).to.deep.equal(['Error: EIO: i/o error, read']);
    expect(kept).to.have.property('size', 0);
    await opened.store.flush();
    expect(kept).to.have.property('size', 1);
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});

describe('a segment with a part of a transaction that is rewritten alone', () => {
  const directory = temporaryDirectory();
  const options = {
    flushRows: 1_000_000,
    maintenanceMemoryMb: 64,
    compaction: { idleMs: 0, supersededShare: 0.5 },
  };

  /** Two segments: the first has two rows of a transaction, the second has the third one and a later version of `x`. */
  async function fill(): Promise<TestStore> {
    const opened = await openStore(directory(), options);
    const input = 'x'.repeat(1.5 * megabyte);
    await opened.insert('e', { id: 'x', input }, { id: 'y', input }, { id: 'z', input });
    await opened.insert('e', { id: 'x', input: { later: 1 } });
    await opened.store.flush();
    expect(await sources()).to.have.length(2);
    return opened;
  }

  const sources = async () => {
    const names = await readdir(path.join(directory(), 'segments/project_id=project'));
    return names.filter((name) => /\d\.parquet$/.test(name)).sort();
  };

  for (const [when, restarts] of [
    ['at once', false],
    ['after a restart', true],
  ] as const)
    it(`is still older than the next one, ${when}`, async () => {
      let opened = await fill();
      const before = await sources();
      await opened.insert('e', { id: 'y', input: 'later' });
      await opened.store.flush();
      expect(await sources())
        .to.include(before[1])
        .and.not.to.include(before[0]);
      if (restarts) {
        await opened.close();
        opened = await openStore(directory(), options);
      }
      await opened.insert('e', { id: 'x', _is_merge: true, input: { merged: 2 } });
      expect(await opened.live('e')).to.deep.include({ x: { later: 1, merged: 2 }, y: 'later' });
      await opened.insert('e', { id: 'x', _object_delete: true });
      expect(await opened.live('e')).to.have.all.keys('y', 'z');
      await opened.store.flush();
      await opened.close();
      expect(await checkStore(directory())).to.deep.equal([]);
    });
});

describe('a flush of many projects', () => {
  const directory = temporaryDirectory();
  const write = Reflect.get<SegmentOutputs, 'write'>(SegmentOutputs.prototype, 'write');
  afterEach(() => Object.assign(SegmentOutputs.prototype, { write }));

  const objects = ['third', 'first', 'second'].map((id) => experiment(id, `project ${id}`));

  const insertAll = ({ store }: TestStore, ids: readonly string[], input: number) =>
    store.insert(
      objects.map((object) => ({
        object,
        events: decodeEvents(
          'experiment',
          JSON.stringify({ events: ids.map((id) => ({ id, input })) }),
        ),
      })),
    );

  it('keeps one list of row numbers, which finds the rows that are superseded meanwhile', async () => {
    const lists: Int32Array[] = [];
    SegmentOutputs.prototype.write = function (connection, request) {
      lists.push(request.newRows);
      return write.call(this, connection, request);
    };
    let flushes = 0;
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      hooks: {
        reached: async (step) => {
          if (step === 'segment-written' && ++flushes === 1) await insertAll(opened, ['b', 'c'], 2);
        },
      },
    });
    await insertAll(opened, ['c', 'a', 'b'], 1);
    await opened.store.flush();
    expect(lists.map(({ length }) => length)).to.deep.equal([9, 9, 9]);
    expect(new Set(lists)).to.have.property('size', 1);
    await opened.store.flush();
    for (const { id } of objects) expect(await opened.live(id)).to.deep.equal({ a: 1, b: 2, c: 2 });
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
