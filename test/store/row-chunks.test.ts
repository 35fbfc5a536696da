// The parts of a long answer, of a store with several segments and buffered rows.
import { expect } from 'chai';
import { join, sql, type Sql } from '../../src/duckdb/sql.js';
import type { EventRelation } from '../../src/schema/event-relation.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { decodeEvents } from '../support/decode-events.js';
import { allRows, experiment, openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const wanted = 5;
const tuning = { rows: wanted, bytes: 2 ** 40, dividedRows: 1 };
const rowsPerTransaction = 7;
/** Of each transaction of a segment. */
const objects = ['a', 'a', 'b', 'b', 'a'];

const least = (values: readonly bigint[]) => values.reduce((a, b) => (a < b ? a : b));
const greatest = (values: readonly bigint[]) => values.reduce((a, b) => (a > b ? a : b));

interface ChunkRow {
  readonly id: string;
  readonly xactId: bigint;
}

function expectNewestFirst(found: readonly (readonly ChunkRow[])[]): void {
  const ids = found.flat().map(({ id }) => id);
  expect(new Set(ids).size).to.equal(ids.length);
  const bounds = found.map((rows) => rows.map(({ xactId }) => xactId));
  for (const [index, xactIds] of bounds.slice(1).entries())
    expect(greatest(xactIds) <= least(bounds[index]!), `chunk ${index + 1}`).to.equal(true);
}

async function chunksOf(
  snapshot: Snapshot,
  objectIds: readonly string[],
  keepsTransactions: boolean,
): Promise<readonly (readonly ChunkRow[])[]> {
  const found: (readonly ChunkRow[])[] = [];
  for (const chunk of await snapshot.rowChunks(objectIds, keepsTransactions)) {
    const rows = await allRows(snapshot, rowsIn(snapshot.liveIn(objectIds, chunk)));
    found.push(rows.map(([id, xactId]) => ({ id: String(id), xactId: xactId as bigint })));
  }
  return found.filter((rows) => rows.length > 0);
}

const rowsIn = ({ branches }: EventRelation): Sql =>
  join(
    branches.map(({ rows }) => sql`SELECT id, _xact_id FROM ${rows}`),
    ' UNION ALL ',
  );

describe('chunks of a snapshot', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let snapshot: Snapshot;

  beforeEach(async () => {
    opened = await openStore(directory(), { flushRows: 1_000_000, chunks: tuning });
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

  it('hold each live row of an object once, newest first, and divide transactions', async () => {
    for (const { sources } of await snapshot.rowChunks(['a'], false))
      expect(sources).to.have.length(1);
    const found = await chunksOf(snapshot, ['a'], false);
    expectNewestFirst(found);
    expect(found.flat()).to.have.length(3 * 3 * rowsPerTransaction);
    const inSegments = found.filter((rows) => rows.every(({ id }) => !id.startsWith('2')));
    for (const rows of inSegments) expect(rows.length).to.be.at.most(wanted);
    expect(found.length).to.be.above(new Set(found.flat().map(({ xactId }) => xactId)).size);
  });

  it('keep the rows of a transaction together where their order matters', async () => {
    const found = await chunksOf(snapshot, ['a'], true);
    expectNewestFirst(found);
    expect(found.flat()).to.have.length(3 * 3 * rowsPerTransaction);
    const transactions = found.map((rows) => new Set(rows.map(({ xactId }) => xactId)));
    const parts = transactions.reduce((sum, { size }) => sum + size, 0);
    expect(new Set(found.flat().map(({ xactId }) => xactId)).size).to.equal(parts);
  });

  it('hold those of several objects in the order of their transactions', async () => {
    const found = await chunksOf(snapshot, ['a', 'b'], false);
    expectNewestFirst(found);
    expect(found.flat()).to.have.length(3 * 5 * rowsPerTransaction);
  });
});

const rowsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, row) => ({ id: `${name} ${row}`, span_id: `${row}` }));

const batch = (objectId: string, projectId: string, events: readonly object[]) => ({
  object: experiment(objectId, projectId),
  events: decodeEvents('experiment', JSON.stringify({ events })),
});

describe('chunks of segments that have rows of the same transactions', () => {
  const directory = temporaryDirectory();
  const transactions = 30;
  let opened: TestStore;
  let snapshot: Snapshot;

  // A flush writes a segment per project. Every tenth request inserts into both projects.
  beforeEach(async () => {
    opened = await openStore(directory(), { flushRows: 1_000_000, chunks: tuning });
    for (let n = 0; n < transactions; n++) {
      const [a, b] = [
        batch('a', 'first', rowsOf(`a ${n}`, 2)),
        batch('b', 'second', rowsOf(`b ${n}`, 1)),
      ];
      if (n % 10 === 0) await opened.store.insert([a, b]);
      else for (const each of [a, b]) await opened.store.insert([each]);
      if (n === 9 || n === 19) await opened.store.flush();
    }
    snapshot = await opened.store.snapshot();
  });

  afterEach(async () => {
    await snapshot.release();
    await opened.close();
  });

  for (const keepsTransactions of [false, true])
    it(`hold each row once, newest first, ${keepsTransactions ? 'with' : 'without'} whole transactions`, async () => {
      const found = await chunksOf(snapshot, ['a', 'b'], keepsTransactions);
      expectNewestFirst(found);
      expect(found.flat()).to.have.length(3 * transactions);
      const buffered = found.filter((rows) =>
        rows.every(({ id }) => Number(id.split(' ')[1]) >= 20),
      );
      for (const rows of buffered) expect(rows.length).to.be.at.most(2 * wanted);
      // Two flushes, whose row groups are divided.
      expect(found.length - buffered.length).to.be.above(2);
      const parts = found.map((rows) => new Set(rows.map(({ xactId }) => xactId)).size);
      const distinct = new Set(found.flat().map(({ xactId }) => xactId)).size;
      expect(parts.reduce((sum, size) => sum + size, 0)).to.equal(distinct);
    });
});
