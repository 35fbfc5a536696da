// Rows that were superseded when their segment was written: read for past versions, left alone for the latest state.
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { contentOf, join, sql, trusted } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { jsonColumns } from '../../src/schema/event-columns.js';
import type { RowParts } from '../../src/schema/event-relation.js';
import { checkStore } from '../../src/store/check/check-store.js';
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
  async function parts(version?: bigint): Promise<readonly RowParts[]> {
    const snapshot = await opened.store.snapshot(version);
    const { arms } = snapshot.live(['e']);
    await snapshot.release();
    return arms.flatMap((arm) => (arm.name.startsWith('segment') ? [arm.parts!] : []));
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

  it('are in the narrow file of segments of format 1', async () => {
    await opened.close();
    const [rows, narrow] = [segmentFile('00000003.parquet'), segmentFile('00000003.narrow')];
    const writer = await Writer.open(path.join(directory(), 'meta.duckdb'), {
      memoryMb: 100,
      threads: 1,
    });
    const columns = sql`* EXCLUDE (${trusted(jsonColumns.join(', '))})`;
    const written = segmentFile('written');
    await rename(rows, written);
    await writer.transaction(async (connection) => {
      const all = sql`read_parquet(${written})`;
      for (const [list, file] of [
        [columns, narrow],
        [sql`* EXCLUDE (classifications)`, rows],
      ] as const)
        await connection.run(sql`COPY (SELECT ${list} FROM ${all}) TO ${file} (FORMAT parquet)`);
    });
    await rm(written);
    const { size } = await stat(rows);
    await writer.transaction((connection) =>
      connection.run(sql`UPDATE segment SET format = 1, checksums = NULL, bytes = ${BigInt(size)}`),
    );
    await writer.close();
    await rm(segmentFile('00000003.ended'));
    expect(await checkStore(directory())).to.deep.equal([]);
    opened = await openStore(directory(), tuning);
    expect(await narrowIds()).to.deep.equal(['a', 'b']);
    expect(await narrowIds(first)).to.deep.equal(['a', 'b']);
  });
});
