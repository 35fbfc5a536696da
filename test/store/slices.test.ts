import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import {
  defaultSlices,
  sliceRows,
  slicesBetween,
  sourceGroups,
  type RowWeight,
} from '../../src/store/read/chunks/slices.js';

const rowsOf = (weight: RowWeight) => sliceRows(weight, defaultSlices);

/** The groups of sources that have these ranges of transaction ids. */
const groupsOf = (...ranges: readonly (readonly [bigint, bigint | null])[]) =>
  sourceGroups(
    ranges.map(([firstXactId, lastXactId], source) => ({
      source,
      firstXactId,
      lastXactId,
      contiguous: null,
      rows: sql`t`,
    })),
    false,
  ).map((group) => group.map(({ source }) => source));

describe('slices', () => {
  it('meet without a gap, newest first, whatever the order of the cuts', () => {
    expect(slicesBetween([20n, 5n, 20n, 9n])).to.deep.equal([
      { from: 20n, to: null },
      { from: 9n, to: 19n },
      { from: 5n, to: 8n },
      { from: null, to: 4n },
    ]);
    expect(slicesBetween([])).to.deep.equal([{ from: null, to: null }]);
  });

  it('have as many rows as fit in memory, and few rows are not cut', () => {
    expect(rowsOf({ rows: 1_000_000, bytes: 1e6 })).to.equal(20_480);
    expect(rowsOf({ rows: 1_000_000, bytes: 1e10 })).to.equal(1024);
    expect(rowsOf({ rows: 100_000, bytes: 1e12 })).to.equal(512);
    expect(rowsOf({ rows: 20_000, bytes: 1e6 })).to.equal(null);
    expect(rowsOf({ rows: 0, bytes: 0 })).to.equal(null);
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
});
