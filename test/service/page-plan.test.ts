// The plan of a page reads no more keys than the page needs, and holds those of one chunk.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { planPage, type PageRequest } from '../../src/service/query/page-plan.js';
import type { Snapshot } from '../../src/store/event-store.js';

const chunkRows = 4;

/** Rows in page order, each of a trace of its own. */
const key = (index: number) => [BigInt(1000 - index), `trace ${index}`, 0] as const;

const placeOf = (index: number) => {
  const [xactId, rootSpanId, position] = key(index);
  return { xactId, rootSpanId, position };
};

describe('the plan of a page', () => {
  let taken: number;

  beforeEach(() => (taken = 0));

  /** A snapshot with one span of `count` rows. */
  const holding = (count: number) =>
    ({
      async *stream() {
        for (let from = 0; from < count; from += chunkRows) {
          taken += 1;
          const length = Math.min(chunkRows, count - from);
          yield Array.from({ length }, (_, index) => key(from + index));
        }
      },
    }) as unknown as Snapshot;

  const plan = (count: number, limit: number | null) => {
    const request: PageRequest = {
      rows: () => sql`(SELECT 1)`,
      async *chunks() {
        yield { from: null, to: 1000n, liveRows: count, rows: count, bytes: count };
      },
      after: null,
      limit,
      rowsMax: count,
      signal: new AbortController().signal,
    };
    return planPage(holding(count), request);
  };

  it('takes no more chunks of keys than the page needs', async () => {
    const until = placeOf(5);
    expect(await plan(40, 6)).to.deep.equal({
      range: { after: null, until },
      next: until,
    });
    expect(taken).to.equal(2);
  });

  it('ends at the last row of a chunk, and before the first row of the next', async () => {
    const until = placeOf(7);
    expect(await plan(40, 8)).to.deep.equal({
      range: { after: null, until },
      next: until,
    });
    expect(taken).to.equal(3);
  });

  it('reads no keys for a limit that no number of rows exceeds', async () => {
    const whole = { range: { after: null, until: null }, next: null };
    for (const limit of [40, 1e308, null]) expect(await plan(40, limit)).to.deep.equal(whole);
    expect(taken).to.equal(0);
  });

  it('of an empty page reads no keys', async () => {
    for (const count of [0, 40])
      expect(await plan(count, 0)).to.deep.equal({ range: null, next: null });
    expect(taken).to.equal(0);
  });
});
