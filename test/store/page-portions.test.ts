// What a page is cut into, whatever the sources of its rows are.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { portionsOf, type Portion } from '../../src/store/read/chunks/page-portions.js';
import type { Piece } from '../../src/store/read/chunks/page-ranges.js';
import type { XactRange } from '../../src/store/read/chunks/slices.js';

async function portions(pieces: readonly Piece[], range: XactRange, bytesMax: number) {
  async function* each() {
    yield* pieces;
  }
  const found: Portion[] = [];
  for await (const portion of portionsOf(each(), range, bytesMax)) found.push(portion);
  return found;
}

const piece = (firstXactId: bigint, lastXactId: bigint, bytes: number): Piece => ({
  firstXactId,
  lastXactId,
  rows: 1,
  bytes,
});

const everything: XactRange = { from: null, to: null };

describe('store/page-portions', () => {
  it('joins pieces up to the limit', async () => {
    const pieces = [piece(30n, 40n, 5), piece(20n, 29n, 5), piece(10n, 19n, 5)];
    expect(await portions(pieces, everything, 10)).to.deep.equal([
      { range: { from: 20n, to: null }, bytes: 10 },
      { range: { from: null, to: 19n }, bytes: 5 },
    ]);
    expect(await portions(pieces, everything, 15)).to.have.length(1);
  });

  it('counts a piece that a transaction begins in', async () => {
    const pieces = [piece(20n, 30n, 8), piece(10n, 20n, 7)];
    expect(await portions(pieces, everything, 10)).to.deep.equal([
      { range: { from: 20n, to: null }, bytes: 15 },
      { range: { from: null, to: 19n }, bytes: 7 },
    ]);
  });

  it('leaves out what is outside of the range', async () => {
    const pieces = [piece(30n, 40n, 50), piece(20n, 29n, 5), piece(10n, 19n, 50)];
    const range = { from: 22n, to: 29n };
    expect(await portions(pieces, range, 10)).to.deep.equal([{ range, bytes: 5 }]);
  });

  it('never divides a transaction, and names what the pieces of a portion have', async () => {
    const lengths = fc.array(fc.tuple(fc.bigInt(0n, 3n), fc.nat(20), fc.boolean()), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 50 }), async (steps, bytesMax) => {
        const pieces: Piece[] = [];
        let next = 10n;
        for (const [length, bytes, sharesTransaction] of steps) {
          pieces.unshift(piece(next, next + length, bytes));
          next += length + (sharesTransaction ? 0n : 1n);
        }
        const found = await portions(pieces, everything, bytesMax);
        let to: bigint | null = null;
        for (const { range, bytes } of found) {
          expect(range.to).to.equal(to);
          to = (range.from ?? 0n) - 1n;
          const held = pieces.filter(
            ({ firstXactId, lastXactId }) =>
              (range.to === null || firstXactId <= range.to) &&
              (range.from === null || lastXactId >= range.from),
          );
          const sum = held.reduce((all, each) => all + each.bytes, 0);
          expect(bytes).to.equal(sum);
        }
        expect(found.at(-1)?.range.from).to.equal(null);
      }),
    );
  });
});
