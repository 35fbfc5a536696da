// How the rows of sources are divided, and what is joined.
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  chunksIn,
  everything,
  joined,
  sourceGroups,
  type ChunkedRows,
  type JoinLimits,
} from '../../src/store/read/chunks/chunks.js';
import {
  chunksOfObject,
  type BoundedChunk,
  type Chunk,
  type XactRange,
} from '../../src/store/read/chunks/source-chunks.js';
import type { RowGroup } from '../../src/store/segment/row-groups.js';
import type { ObjectStats } from '../../src/store/segment/segment.js';

const sourceOf = (
  source: number,
  firstXactId: bigint,
  lastXactId: bigint | null,
  read: () => readonly BoundedChunk[] = () => [],
): ChunkedRows => ({
  source,
  firstXactId,
  lastXactId,
  isInOrder: true,
  chunks: async () => read(),
});

/** The groups of sources that have these ranges of transaction ids. */
const groupsOf = (...ranges: readonly (readonly [bigint, bigint | null])[]) =>
  sourceGroups(ranges.map(([first, last], source) => sourceOf(source, first, last))).map((group) =>
    group.map(({ source }) => source),
  );

const chunk = (from: bigint, to: bigint, bytes: number): BoundedChunk => ({
  from,
  to,
  liveRows: 1,
  rows: 1,
  bytes,
});

async function all(found: AsyncIterable<Chunk>): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const each of found) chunks.push(each);
  return chunks;
}

async function join(chunks: readonly BoundedChunk[], range: XactRange, limits: JoinLimits) {
  const found = await all(joined(chunks, range, limits));
  return found.map(({ from, to, bytes }) => ({ from, to, bytes }));
}

const upTo = (bytes: number): JoinLimits => ({ max: { rows: Infinity, bytes } });

const object: ObjectStats = {
  objectId: 'e',
  rows: 6,
  tombstones: 2,
  superseded: 1,
  minXactId: 10n,
  maxXactId: 14n,
  minCreated: 0n,
  maxCreated: 0n,
  firstRow: 2,
  lastRow: 7,
};

const groups: readonly RowGroup[] = [
  { firstRow: 0, rows: 3, bytes: 100, firstXactId: 10n, lastXactId: 91n },
  { firstRow: 3, rows: 3, bytes: 103, firstXactId: 11n, lastXactId: 12n },
  { firstRow: 6, rows: 3, bytes: 106, firstXactId: 1n, lastXactId: 14n },
];

describe('store/chunks', () => {
  it('cut a segment along its row groups, also where other objects share them', () => {
    expect(chunksOfObject(object, groups, 'transaction', true)).to.deep.equal([
      { from: 10n, to: 11n, liveRows: 0.5, rows: 1, bytes: 100 },
      { from: 11n, to: 12n, liveRows: 1.5, rows: 3, bytes: 103 },
      { from: 12n, to: 14n, liveRows: 1, rows: 2, bytes: 106 },
    ]);
    const byRow = chunksOfObject(object, groups, 'row', false);
    expect(byRow.map(({ from, to, bytes }) => [from, to, Math.round(bytes)])).to.deep.equal([
      [2n, 2n, 33],
      [3n, 5n, 103],
      [6n, 7n, 71],
    ]);
  });

  it('leave a segment whole whose row groups are not known', () => {
    expect(chunksOfObject(object, [], 'transaction', true)).to.deep.equal([
      { from: 10n, to: 14n, liveRows: 3, rows: 6, bytes: Infinity },
    ]);
  });

  it('have sources in one group that overlap, also one that reaches over several groups', () => {
    expect(groupsOf([100n, 200n], [90n, 95n], [50n, 80n])).to.deep.equal([[0], [1], [2]]);
    expect(groupsOf([300n, null], [100n, 200n], [90n, 95n], [50n, 150n], [10n, 50n])).to.deep.equal(
      [[0], [1, 2, 3, 4]],
    );
    expect(groupsOf([100n, 200n], [90n, 95n], [50n, null], [10n, 40n])).to.deep.equal([
      [0, 1, 2],
      [3],
    ]);
  });

  it('are joined up to the limit', async () => {
    const chunks = [chunk(30n, 40n, 5), chunk(20n, 29n, 5), chunk(10n, 19n, 5)];
    expect(await join(chunks, everything, upTo(10))).to.deep.equal([
      { from: 20n, to: null, bytes: 10 },
      { from: null, to: 19n, bytes: 5 },
    ]);
    expect(await join(chunks, everything, upTo(15))).to.have.length(1);
  });

  it('count an older one that a transaction begins in', async () => {
    const chunks = [chunk(20n, 30n, 8), chunk(10n, 20n, 7)];
    expect(await join(chunks, everything, upTo(10))).to.deep.equal([
      { from: 20n, to: null, bytes: 15 },
      { from: null, to: 19n, bytes: 7 },
    ]);
  });

  it('leave out what is outside of the range', async () => {
    const chunks = [chunk(30n, 40n, 50), chunk(20n, 29n, 5), chunk(10n, 19n, 50)];
    const range = { from: 22n, to: 29n };
    expect(await join(chunks, range, upTo(10))).to.deep.equal([{ ...range, bytes: 5 }]);
  });

  it('end where they are complete, and ask for no more than is taken', async () => {
    let asked = 0;
    async function* chunks() {
      for (let first = 9n; first > 0n; first -= 1n) yield chunk(first, first, ++asked);
    }
    const found = joined(chunks(), everything, { isComplete: ({ rows }, index) => rows > index });
    expect((await found.next()).value).to.include({ from: 9n, to: null });
    expect(asked).to.equal(1);
    expect((await found.next()).value).to.include({ from: 7n, to: 8n });
    expect(asked).to.equal(3);
  });

  it('come from the sources that are reached, in either direction', async () => {
    const reached: number[] = [];
    const sources = [3, 2, 1].map((source) => {
      const first = BigInt(10 * source);
      const chunks = [chunk(first, first + 5n, 1), chunk(first + 5n, first + 9n, 1)];
      const read = () => {
        reached.push(source);
        return chunks;
      };
      return sourceOf(source, first, first + 9n, read);
    });
    const order = { range: everything, isComplete: () => true };
    const newest = await chunksIn(sources, order).next();
    expect(newest.value).to.include({ from: 35n, to: null });
    expect(reached).to.deep.equal([3]);
    const oldestFirst = await all(chunksIn(sources, { ...order, isOldestFirst: true }));
    expect(oldestFirst.map(({ from, to }) => [from, to])).to.deep.equal([
      [null, 15n],
      [16n, 19n],
      [20n, 25n],
      [26n, 29n],
      [30n, 35n],
      [36n, 39n],
      [40n, null],
    ]);
  });

  it('never divide a transaction, and have the size of all that overlaps them', async () => {
    const lengths = fc.array(fc.tuple(fc.bigInt(0n, 3n), fc.nat(20), fc.boolean()), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 50 }), async (steps, bytesMax) => {
        const chunks: BoundedChunk[] = [];
        let next = 10n;
        for (const [length, bytes, sharesTransaction] of steps) {
          chunks.unshift(chunk(next, next + length, bytes));
          next += length + (sharesTransaction ? 0n : 1n);
        }
        const found = await join(chunks, everything, upTo(bytesMax));
        let end: bigint | null = null;
        for (const { from, to, bytes } of found) {
          expect(to).to.equal(end);
          end = (from ?? 0n) - 1n;
          const held = chunks.filter(
            (each) => (to === null || each.from <= to) && (from === null || each.to >= from),
          );
          const sum = held.reduce((total, each) => total + each.bytes, 0);
          expect(bytes).to.equal(sum);
        }
        expect(found.at(-1)?.from).to.equal(null);
      }),
    );
  });
});
