import { expect } from 'chai';
import * as fc from 'fast-check';
import { IdIndex } from '../../src/store/segment/id-index.js';
import { hashHalves, type IndexHash } from '../../src/store/segment/segment-index.js';

const half = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const hashes = fc.array(fc.record<IndexHash>({ high: half, low: half }), { maxLength: 200 });

const inOrder = (list: readonly IndexHash[]) =>
  list
    .map((hash, row) => [hash, row] as const)
    .toSorted(([a], [b]) => a.high - b.high || a.low - b.low);

async function* chunks<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < list.length; start += 7)
    yield await Promise.resolve(list.slice(start, start + 7));
}

const build = (list: readonly IndexHash[]) => IdIndex.build(list.length, chunks(inOrder(list)));

describe('the index of ids', () => {
  it('finds every row by its hash, also after it was saved', async () => {
    await fc.assert(
      fc.asyncProperty(hashes, async (list) => {
        const index = await build(list);
        const read = IdIndex.parse(index.bytes());
        expect(read?.rows).to.equal(list.length);
        for (const [row, hash] of list.entries()) {
          expect(index.find(hash)).to.include(row);
          expect(read?.find(hash)).to.deep.equal(index.find(hash));
        }
      }),
    );
  });

  it('finds nothing for ids that it does not have', async () => {
    const index = await build(Array.from({ length: 20_000 }, (_, n) => hashHalves('e', `${n}`)));
    const fresh = Array.from({ length: 20_000 }, (_, n) => hashHalves('other', `${n}`));
    expect(fresh.flatMap((hash) => index.find(hash))).to.deep.equal([]);
  });

  it('does not take a damaged file for an index', async () => {
    const bytes = (await build([hashHalves('e', 'a')])).bytes();
    expect(IdIndex.parse(bytes.subarray(0, -4))).to.equal(null);
    expect(IdIndex.parse(bytes.subarray(0, 8))).to.equal(null);
    expect(IdIndex.parse(Buffer.alloc(bytes.byteLength))).to.equal(null);
  });
});
