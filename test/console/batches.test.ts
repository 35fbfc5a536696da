// Batches of rows: each fits into a request, and together they are the rows in order.
import { expect } from 'chai';
import { batchesOf, rowLength } from '../../src/console/server/batches.js';

const sizes = (lengths: readonly number[]): readonly number[] => {
  const batches = batchesOf(lengths, (length) => length);
  expect(batches.flat()).to.deep.equal(lengths);
  return batches.map(({ length }) => length);
};

describe('batches of rows', () => {
  it('have at most 1,000 rows', () => {
    expect(sizes([])).to.deep.equal([]);
    expect(sizes(Array.from({ length: 1000 }, () => 1))).to.deep.equal([1000]);
    expect(sizes(Array.from({ length: 2001 }, () => 0))).to.deep.equal([1000, 1000, 1]);
  });

  it('have at most four million characters, or one row', () => {
    expect(sizes(Array.from({ length: 30 }, () => 300_000))).to.deep.equal([13, 13, 4]);
    expect(sizes([1, 9_000_000, 1, 3_999_999, 1])).to.deep.equal([1, 1, 2, 1]);
    expect(rowLength(new Map(Object.entries({ id: '"a"', input: '{"b":1}' })))).to.equal(10);
  });
});
