import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  growingRanges,
  grownRowsMax,
  piecesOf,
  type Piece,
} from '../../src/store/read/chunks/page-ranges.js';
import type { XactRange } from '../../src/store/read/chunks/slices.js';
import type { RowGroup } from '../../src/store/segment/row-groups.js';

/** The row groups of rows with these transaction ids. */
function groupsOf(xactIds: readonly bigint[], rowsPerGroup: number): readonly RowGroup[] {
  const groups: RowGroup[] = [];
  for (let firstRow = 0; firstRow < xactIds.length; firstRow += rowsPerGroup) {
    const ids = xactIds.slice(firstRow, firstRow + rowsPerGroup);
    const lastXactId = ids.reduce((a, b) => (a > b ? a : b));
    const firstXactId = ids.reduce((a, b) => (a < b ? a : b));
    groups.push({ firstRow, rows: ids.length, bytes: 100 + firstRow, firstXactId, lastXactId });
  }
  return groups;
}

async function ranges(
  pieces: readonly Pick<Piece, 'firstXactId' | 'rows'>[],
  before: bigint,
  rowsMin: number,
) {
  async function* each() {
    yield* pieces;
  }
  const found: XactRange[] = [];
  for await (const range of growingRanges(each(), before, rowsMin)) found.push(range);
  return found;
}

const part = { firstXactId: 10n, lastXactId: 14n, rows: 6, bytes: 9, firstRow: 2, lastRow: 7 };
const groups = groupsOf([90n, 91n, 10n, 11n, 11n, 12n, 13n, 14n, 1n, 2n], 3);

describe('store/page-ranges', () => {
  it('cuts a segment along its row groups, also where other objects share them', () => {
    expect(piecesOf({ ...part, firstRow: 3, rows: 5 }, groups)).to.deep.equal([
      { firstXactId: 12n, lastXactId: 14n, rows: 2, bytes: 106 },
      { firstXactId: 11n, lastXactId: 12n, rows: 3, bytes: 103 },
    ]);
    const shared = { firstXactId: 10n, lastXactId: 11n, rows: 1, bytes: 100 };
    expect(piecesOf(part, groups).at(-1)).to.deep.equal(shared);
  });

  it('leaves a segment whole whose row groups are not known', () => {
    expect(piecesOf(part, [])).to.deep.equal([part]);
  });

  it('leaves out what is newer than the page, and joins what is too small', async () => {
    const pieces = [40n, 30n, 20n, 10n].map((firstXactId) => ({ firstXactId, rows: 5 }));
    expect(await ranges(pieces, 35n, 6)).to.deep.equal([
      { from: 20n, to: 35n },
      { from: null, to: 19n },
    ]);
  });

  it('doubles the rows of the next range up to a limit, so that a rare row is found in few', async () => {
    const count = 2 ** 20;
    const pieces = Array.from({ length: count / 2048 }, (_, index) => ({
      firstXactId: BigInt(count - (index + 1) * 2048),
      rows: 2048,
    }));
    const found = await ranges(pieces, BigInt(count), 512);
    const rows = found.slice(0, -1).map(({ from, to }) => Number(to! - from!) + 1);
    expect(rows.slice(0, 4)).to.deep.equal([2049, 2048, 2048, 4096]);
    expect(Math.max(...rows)).to.equal(grownRowsMax);
    expect(found).to.have.length.below(20);
    const large = await ranges(pieces, BigInt(count), 2 * grownRowsMax);
    expect(large).to.have.length(5);
  });

  it('asks for no more than is taken', async () => {
    let asked = 0;
    async function* pieces() {
      for (let first = 9n; first > 0n; first -= 1n) yield { firstXactId: first, rows: ++asked };
    }
    await growingRanges(pieces(), 100n, 1).next();
    expect(asked).to.equal(1);
  });

  it('puts every transaction into one range, newest first', async () => {
    const ids = fc.array(fc.bigInt(1n, 30n), { minLength: 1, maxLength: 40 });
    const given = fc.tuple(ids, fc.nat(39), fc.nat(39), fc.integer({ min: 1, max: 9 }), fc.nat(9));
    await fc.assert(
      fc.asyncProperty(given, async ([unsorted, one, other, rowsPerGroup, rowsMin]) => {
        const last = unsorted.length - 1;
        const [firstRow, lastRow] = [
          Math.min(one, other, last),
          Math.min(Math.max(one, other), last),
        ];
        const own = unsorted.slice(firstRow, lastRow + 1).sort((a, b) => (a < b ? -1 : 1));
        const xactIds = unsorted.with(firstRow, own[0]!);
        own.forEach((id, index) => (xactIds[firstRow + index] = id));
        const [firstXactId, lastXactId] = [own[0]!, own.at(-1)!];
        const rows = { firstXactId, lastXactId, rows: own.length, bytes: 0, firstRow, lastRow };
        const found = await ranges(piecesOf(rows, groupsOf(xactIds, rowsPerGroup)), 30n, rowsMin);
        let to = 30n;
        for (const range of found) {
          expect(range.to).to.equal(to);
          to = (range.from ?? 1n) - 1n;
        }
        expect(found.at(-1)?.from).to.equal(null);
        expect(found.slice(0, -1).every(({ from, to: end }) => from! <= end!)).to.equal(true);
      }),
    );
  });
});
