import { expect } from 'chai';
import { RecentRows, recentLengthMax } from '../../src/store/segment/recent-rows.js';
import type { SegmentRow } from '../../src/store/segment/row-text.js';

const rowOf = (row: number, length: number): SegmentRow => ({
  row,
  values: { input: 'x'.repeat(length) } as SegmentRow['values'],
});

describe('rows that were read last', () => {
  it('are found together, by source', () => {
    const recent = new RecentRows();
    const rows = [rowOf(0, 10), rowOf(1, 10)];
    recent.add(7, rows);
    expect(recent.get(7, [1, 0])).to.deep.equal(rows.toReversed());
    expect(recent.get(7, [0, 2])).to.equal(null);
    expect(recent.get(8, [0])).to.equal(null);
  });

  it('have a bounded size', () => {
    const recent = new RecentRows();
    const kept = () => [0, 1, 2, 3].filter((row) => recent.get(1, [row]) !== null);
    recent.add(1, [rowOf(0, recentLengthMax)]);
    expect(kept()).to.deep.equal([]);
    for (const row of [0, 1, 2, 3]) recent.add(1, [rowOf(row, recentLengthMax / 2 - 1)]);
    expect(kept()).to.deep.equal([2, 3]);
  });
});
