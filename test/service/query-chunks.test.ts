// The SQL of the parts of a long answer is generated part by part.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { generateQuery, prepareQuery } from '../../src/query/compile.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import { chunked } from '../../src/service/query/query-chunks.js';
import type { Snapshot } from '../../src/store/event-store.js';

const relation = { branches: [], identity: null };

/** A snapshot of three chunks that lists the ones that were asked for. */
function snapshotOfChunks() {
  const read: number[] = [];
  const chunks = [3, 2, 1].map((source) => ({ sources: [source], condition: sql`TRUE` }));
  const snapshot = {
    isLong: () => true,
    rowChunks: async () => chunks,
    liveIn: (_objectIds: readonly string[], { sources }: (typeof chunks)[number]) => {
      read.push(...sources);
      return relation;
    },
  };
  return { read, snapshot: snapshot as unknown as Snapshot };
}

async function chunksOf(text: string) {
  const prepared = prepareQuery(parseQuery(text));
  const options = { relation, timeZone: 0, nowMicros: 0n };
  const { read, snapshot } = snapshotOfChunks();
  const { signal } = new AbortController();
  const reading = { snapshot, objectIds: ['e'], signal, prepared, options, bounds: {} };
  const compiled = generateQuery(prepared, options);
  const chunks = await chunked({ ...reading, relation: async () => relation }, compiled);
  return { read, chunks };
}

describe('the chunks of a query', () => {
  it('are one if the result counts in all rows', async () => {
    const { chunks } = await chunksOf(`infer: metadata | from: experiment('e') | sample: 50%`);
    expect(chunks).to.have.length(1);
  });

  for (const [sort, order] of [
    ['', [3, 2, 1]],
    ['| sort: _xact_id asc', [1, 2, 3]],
  ] as const)
    it(`are compiled when they are read ${sort}`, async () => {
      const { read, chunks } = await chunksOf(`select: id | from: experiment('e') ${sort}`);
      expect(chunks).to.have.length(3);
      expect(read).to.deep.equal([]);
      for (const [index, chunk] of chunks.entries()) {
        chunk();
        expect(read).to.deep.equal(order.slice(0, index + 1));
      }
    });
});
