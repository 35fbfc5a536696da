// Rows that were superseded when their segment was written: read for past versions, left alone for the latest state.
import path from 'node:path';
import { expect } from 'chai';
import { contentOf, join, sql } from '../../src/duckdb/sql.js';
import type { BranchScan } from '../../src/schema/event-relation.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import { allRows, openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const tuning: Partial<EventStoreOptions> = {
  flushRows: 1_000_000,
  segments: { narrowRowsMin: 1 },
  compaction: { fanOut: 100 },
};

describe('superseded rows of segments', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let first: bigint;

  beforeEach(async () => {
    opened = await openStore(directory(), tuning);
    first = await opened.insert('e', { id: 'a' }, { id: 'b' });
    await opened.insert('e', { id: 'a' });
    await opened.store.flush();
  });
  afterEach(() => opened.close());

  const segmentFile = (name: string) =>
    path.join(directory(), 'segments', 'project_id=project', name);

  /** Of the segments, in their order. */
  async function parts(version?: bigint): Promise<readonly BranchScan[]> {
    const snapshot = await opened.store.snapshot(version);
    const { branches } = snapshot.live(['e']);
    await snapshot.release();
    return branches.flatMap((branch) => (branch.name.startsWith('segment') ? [branch.parts!] : []));
  }

  async function narrowIds(version?: bigint) {
    const snapshot = await opened.store.snapshot(version);
    const selects = (await parts(version)).map(
      ({ narrow, conditions }) =>
        sql`SELECT id FROM ${narrow} WHERE ${join([sql`TRUE`, ...conditions], ' AND ')}`,
    );
    const rows = await allRows(snapshot, sql`${join(selects, ' UNION ALL ')} ORDER BY id`);
    await snapshot.release();
    return rows.flat();
  }

  it('are not in the narrow file that the latest state is read from', async () => {
    const [latest] = await parts();
    expect(latest?.files?.narrow).to.equal(segmentFile('00000003.narrow'));
    expect(latest?.conditions).to.deep.equal([]);
    expect(await narrowIds()).to.deep.equal(['a', 'b']);
    expect(Object.keys(await opened.live('e'))).to.deep.equal(['a', 'b']);
  });

  it('are read for past versions', async () => {
    expect((await parts(first))[0]?.files).to.equal(null);
    expect(await narrowIds(first)).to.deep.equal(['a', 'b']);
    const snapshot = await opened.store.snapshot(first);
    const [past] = await parts(first);
    const ends = await allRows(snapshot, sql`SELECT count(_superseded_by) FROM ${past!.narrow}`);
    await snapshot.release();
    expect(ends).to.deep.equal([[1n]]);
  });

  it('do not part the scans of segments with and without them', async () => {
    await opened.insert('e', { id: 'c' });
    await opened.store.flush();
    const [one, other] = (await parts()).map(({ conditions }) => conditions.map(contentOf));
    expect(one).to.deep.equal(other);
    expect(await narrowIds()).to.deep.equal(['a', 'b', 'c']);
  });

  it('are left out where rows are superseded later, too', async () => {
    await opened.insert('e', { id: 'b', _object_delete: true });
    await opened.store.flush();
    expect(await narrowIds()).to.deep.equal(['a']);
    expect(await narrowIds(first)).to.deep.equal(['a', 'b']);
  });
});
