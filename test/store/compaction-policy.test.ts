import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  defaultCompaction,
  mergeDelay,
  planCompaction,
} from '../../src/store/maintenance/compaction-policy.js';
import type { ObjectStats } from '../../src/store/segment/segment.js';
import { segmentsMax } from '../support/segments-max.js';

const settings = { ...defaultCompaction, fanOut: 4, rowsMax: 10_000 };

/** Segments of one project in order; ten bytes a row. */
const segments = (...rows: readonly number[]) =>
  rows.map((count, index) => ({
    source: index + 1,
    projectId: 'p',
    firstXactId: BigInt(index),
    lastXactId: BigInt(index),
    rows: count,
    bytes: count * 10,
    objects: new Map<string, ObjectStats>(),
  }));

const chosen = (rows: readonly number[], superseded: readonly [number, number][] = []) =>
  planCompaction(segments(...rows), new Map(superseded), settings)?.map(({ source }) => source);

/** How many of four segments of 100 bytes are merged while the project is limited. */
const mergedBelow = (bytesMax: number, superseded: readonly [number, number][] = []) =>
  planCompaction(segments(10, 10, 10, 10), new Map(superseded), settings, {
    bytesMax: new Map([['p', bytesMax]]),
    excluded: new Set(),
    room: Infinity,
    spans: new Map(),
  })?.length;

/** The same while the disk has room for merges of this size. */
const mergedWithin = (room: number, superseded: readonly [number, number][] = []) =>
  planCompaction(segments(10, 10, 10, 10), new Map(superseded), settings, {
    bytesMax: new Map(),
    excluded: new Set(),
    room,
    spans: new Map(),
  })?.length;

const objectOf = ([from, to]: readonly [number, number]): ReadonlyMap<string, ObjectStats> => {
  const times = { minCreated: BigInt(from), maxCreated: BigInt(to) };
  return new Map([['o', times as ObjectStats]]);
};

/** The merge of segments with rows of these times, of which those within 100 µs are merged. */
function mergedInTime(...times: readonly (readonly [number, number])[]) {
  const list = segments(...times.map(() => 10)).map((segment, index) =>
    Object.assign(segment, { objects: objectOf(times[index]!) }),
  );
  const limits = {
    bytesMax: new Map(),
    excluded: new Set<number>(),
    room: Infinity,
    spans: new Map([['p', 100n]]),
  };
  return planCompaction(list, new Map(), settings, limits)?.map(({ source }) => source);
}

const fourInOrder = [0, 20, 40, 60].map((from) => [from, from + 20] as const);

describe('the policy of compaction', () => {
  it('merges neighbours of about one size', () => {
    expect(chosen([10, 10, 10])).to.equal(undefined);
    expect(chosen([10, 12, 9, 11])).to.deep.equal([1, 2, 3, 4]);
  });

  it('merges the smallest ones first, and never over a larger one', () => {
    expect(chosen([5000, 5, 5, 5, 5000, 5, 5, 5, 5])).to.deep.equal([6, 7, 8, 9]);
  });

  it('takes the segments of a divided transaction in order, also if the first one was rewritten', () => {
    const spans = [
      [4, 2n, 2n],
      [3, 1n, 2n],
      [9, 1n, 1n],
      [2, 1n, 1n],
    ] as const;
    const divided = spans.map(([source, firstXactId, lastXactId]) => ({
      source,
      projectId: 'p',
      firstXactId,
      lastXactId,
      rows: 10,
      bytes: 100,
      objects: new Map<string, ObjectStats>(),
    }));
    const run = planCompaction(divided, new Map(), settings);
    expect(run?.map(({ source }) => source)).to.deep.equal([2, 9, 3, 4]);
  });

  it('makes no segment beyond the caps', () => {
    expect(chosen([4000, 4000, 4000, 4000])).to.equal(undefined);
    const bytesMax = 300;
    const run = planCompaction(segments(10, 10, 10, 10), new Map(), { ...settings, bytesMax });
    expect(run).to.equal(null);
  });

  it('makes smaller segments of a project whose merges need too much memory', () => {
    expect(mergedBelow(400)).to.equal(4);
    expect(mergedBelow(399)).to.equal(undefined);
    expect(mergedBelow(100, [[2, 10]])).to.equal(1);
    expect(mergedBelow(99, [[2, 10]])).to.equal(undefined);
  });

  it('merges nothing for which the disk has no room', () => {
    expect(mergedWithin(400)).to.equal(4);
    expect(mergedWithin(399)).to.equal(undefined);
    expect(mergedWithin(100, [[2, 10]])).to.equal(1);
    expect(mergedWithin(99, [[2, 10]])).to.equal(undefined);
  });

  it('merges nothing with, or over, a segment that is excluded', () => {
    const limits = {
      bytesMax: new Map(),
      excluded: new Set([3]),
      room: Infinity,
      spans: new Map(),
    };
    const plan = (...rows: number[]) =>
      planCompaction(segments(...rows), new Map([[3, 10]]), settings, limits)?.map(
        ({ source }) => source,
      );
    expect(plan(10, 10, 10, 10, 10)).to.equal(undefined);
    expect(plan(10, 10, 10, 10, 10, 10, 10)).to.deep.equal([4, 5, 6, 7]);
  });

  it('merges rows of about one time where they expire, and those of random times with each other', () => {
    expect(mergedInTime(...fourInOrder)).to.deep.equal([1, 2, 3, 4]);
    expect(mergedInTime([0, 20], [1000, 1020], [2000, 2020], [3000, 3020])).to.equal(undefined);
    expect(mergedInTime([-500, -480], ...fourInOrder)).to.deep.equal([2, 3, 4, 5]);
    expect(mergedInTime([0, 1000], [10, 990], [0, 1010], [40, 1100])).to.deep.equal([1, 2, 3, 4]);
  });

  it('writes a segment anew of which much was superseded', () => {
    expect(chosen([1000, 1000], [[2, 49]])).to.equal(undefined);
    expect(
      chosen(
        [1000, 1000],
        [
          [1, 50],
          [2, 60],
        ],
      ),
    ).to.deep.equal([2]);
  });

  it('waits during a load, until a project has many segments', () => {
    const many = segments(...Array.from({ length: settings.pressingSegments }, () => 10));
    const elsewhere = { ...many.at(-1)!, projectId: 'q' };
    expect(mergeDelay(0, many.slice(1), settings)).to.equal(settings.quietMs);
    expect(mergeDelay(1000, many.slice(1), settings)).to.equal(settings.quietMs - 1000);
    expect(mergeDelay(settings.quietMs, many.slice(1), settings)).to.equal(0);
    expect(mergeDelay(0, [...many.slice(1), elsewhere], settings)).to.equal(settings.quietMs);
    expect(mergeDelay(0, many, settings)).to.equal(0);
  });

  it('keeps projects apart', () => {
    const [first, second, ...others] = segments(10, 10, 10, 10);
    const mixed = [{ ...first!, projectId: 'q' }, { ...second!, projectId: 'q' }, ...others];
    expect(planCompaction(mixed, new Map(), settings)).to.equal(null);
  });

  it('comes to an end, with few segments, whatever there was', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 60 }), (rows) => {
        let list = segments(...rows);
        for (let step = 0; ; step++) {
          const run = planCompaction(list, new Map(), settings);
          if (run === null) break;
          expect(step).to.be.below(60);
          const first = list.indexOf(run[0]!);
          expect(list.slice(first, first + run.length)).to.deep.equal(run);
          const merged = run.reduce((sum, { rows: more }) => sum + more, 0);
          expect(merged).to.be.at.most(settings.rowsMax);
          list = segments(
            ...list.toSpliced(first, run.length, { ...run[0]!, rows: merged }).map((s) => s.rows),
          );
        }
        const whole = {
          rows: rows.reduce((sum, more) => sum + more, 0),
          bytes: list.reduce((sum, { bytes }) => sum + bytes, 0),
        };
        expect(list.length).to.be.at.most(segmentsMax(whole, settings));
      }),
    );
  });

  it('promises fewer than `fanOut` segments below the caps, and twice as many stretches as full segments beyond', () => {
    expect(segmentsMax({ rows: 9999, bytes: 1 }, settings)).to.equal(3);
    expect(segmentsMax({ rows: 10_000, bytes: 1 }, settings)).to.equal(9);
    expect(segmentsMax({ rows: 1, bytes: settings.bytesMax }, settings)).to.equal(9);
    expect(segmentsMax({ rows: 25_000, bytes: 2 * settings.bytesMax }, settings)).to.equal(27);
  });
});
