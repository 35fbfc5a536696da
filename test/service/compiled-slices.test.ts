// The SQL of the parts of a long answer is generated part by part.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { generateQuery, prepareQuery } from '../../src/query/compile.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { sliced } from '../../src/service/query/slices.js';
import type { Snapshot } from '../../src/store/event-store.js';

const relation = { arms: [], identity: null };

/** A snapshot of three slices that lists the ones that were asked for. */
function snapshotOfSlices() {
  const read: number[] = [];
  const slices = [3, 2, 1].map((source) => ({ sources: [source], condition: sql`TRUE` }));
  const snapshot = {
    slices: async () => slices,
    liveIn: (_objectIds: readonly string[], { sources }: (typeof slices)[number]) => {
      read.push(...sources);
      return relation;
    },
  };
  return { read, snapshot: snapshot as unknown as Snapshot };
}

async function slicesOf(text: string) {
  const prepared = prepareQuery(parseQuery(text));
  const options = { relation, timeZone: 0, nowMicros: 0n };
  const { read, snapshot } = snapshotOfSlices();
  const { signal } = new AbortController();
  const reading = { snapshot, objectIds: ['e'], signal, prepared, options, bounds: {} };
  const compiled = generateQuery(prepared, options);
  const slices = await sliced({ ...reading, relation: async () => relation }, compiled);
  return { read, slices };
}

describe('the slices of a query', () => {
  it('are one if the result counts in all rows', async () => {
    const { slices } = await slicesOf(`infer: metadata | from: experiment('e') | sample: 50%`);
    expect(slices).to.have.length(1);
  });

  for (const [sort, order] of [
    ['', [3, 2, 1]],
    ['| sort: _xact_id asc', [1, 2, 3]],
  ] as const)
    it(`are compiled when they are read ${sort}`, async () => {
      const { read, slices } = await slicesOf(`select: id | from: experiment('e') ${sort}`);
      expect(slices).to.have.length(3);
      expect(read).to.deep.equal([]);
      for (const [index, slice] of slices.entries()) {
        slice();
        expect(read).to.deep.equal(order.slice(0, index + 1));
      }
    });
});
