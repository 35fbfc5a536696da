// The parts of a long answer, of a store with several segments and buffered rows.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { allRows, openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const wanted = 5;
const tuning = { bytes: 2 ** 40, sizes: [wanted] };
const rowsPerTransaction = 7;
/** Of each transaction of a segment. */
const objects = ['a', 'a', 'b', 'b', 'a'];

const least = (values: readonly bigint[]) => values.reduce((a, b) => (a < b ? a : b));
const greatest = (values: readonly bigint[]) => values.reduce((a, b) => (a > b ? a : b));

interface SlicedRow {
  readonly id: string;
  readonly xactId: bigint;
}

function expectNewestFirst(found: readonly (readonly SlicedRow[])[]): void {
  const ids = found.flat().map(({ id }) => id);
  expect(new Set(ids).size).to.equal(ids.length);
  const bounds = found.map((rows) => rows.map(({ xactId }) => xactId));
  for (const [index, xactIds] of bounds.slice(1).entries())
    expect(greatest(xactIds) <= least(bounds[index]!), `slice ${index + 1}`).to.equal(true);
}

describe('slices of a snapshot', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let snapshot: Snapshot;

  beforeEach(async () => {
    opened = await openStore(directory(), { flushRows: 1_000_000, slices: tuning });
    for (const segment of [0, 1, 2]) {
      if (segment > 0) await opened.store.flush();
      for (const [transaction, object] of objects.entries())
        await opened.insert(
          object,
          ...Array.from({ length: rowsPerTransaction }, (_, row) => ({
            id: `${segment} ${transaction} ${row}`,
            span_id: `${row}`,
          })),
        );
    }
    // One that was replaced since its segment was written.
    await opened.insert('a', { id: '0 1 3' });
    snapshot = await opened.store.snapshot();
  });

  afterEach(async () => {
    await snapshot.release();
    await opened.close();
  });

  async function slicesOf(objectIds: readonly string[], keepsTransactions: boolean) {
    const slices = await snapshot.slices({ objectIds, keepsTransactions }, { lane: 'lookup' });
    const found: (readonly SlicedRow[])[] = [];
    for (const slice of slices ?? []) {
      const { arms } = snapshot.liveIn(objectIds, slice);
      expect(arms).to.have.length(1);
      const rows = await allRows(snapshot, sql`SELECT id, _xact_id FROM ${arms[0]!.rows}`);
      found.push(rows.map(([id, xactId]) => ({ id: String(id), xactId: xactId as bigint })));
    }
    return found.filter((rows) => rows.length > 0);
  }

  it('hold each live row of an object once, newest first, and divide transactions', async () => {
    const found = await slicesOf(['a'], false);
    expectNewestFirst(found);
    expect(found.flat()).to.have.length(3 * 3 * rowsPerTransaction);
    const inSegments = found.filter((rows) => rows.every(({ id }) => !id.startsWith('2')));
    for (const rows of inSegments) expect(rows.length).to.be.at.most(wanted);
    expect(found.length).to.be.above(new Set(found.flat().map(({ xactId }) => xactId)).size);
  });

  it('keep the rows of a transaction together where their order matters', async () => {
    const found = await slicesOf(['a'], true);
    expectNewestFirst(found);
    expect(found.flat()).to.have.length(3 * 3 * rowsPerTransaction);
    const transactions = found.map((rows) => new Set(rows.map(({ xactId }) => xactId)));
    const parts = transactions.reduce((sum, { size }) => sum + size, 0);
    expect(new Set(found.flat().map(({ xactId }) => xactId)).size).to.equal(parts);
  });

  it('hold those of several objects in the order of their transactions', async () => {
    const found = await slicesOf(['a', 'b'], false);
    expectNewestFirst(found);
    expect(found.flat()).to.have.length(3 * 5 * rowsPerTransaction);
  });
});
