// A generation of any size is flushed in parts that fit into memory.
import { expect } from 'chai';
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
