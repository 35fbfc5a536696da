// Segments whose files lack a column that came later: their rows are merged into, and they are merged with newer segments.
import { readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { allRows, openStore, rowsOf, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

async function shown({ store }: TestStore): Promise<readonly unknown[]> {
  const snapshot = await store.snapshot();
  const rows = await allRows(
    snapshot,
    sql`SELECT id, input, classifications FROM ${rowsOf(snapshot, 'e')} ORDER BY id`,
  );
  await snapshot.release();
  return rows;
}

describe('segments of a format without classifications', () => {
  const directory = temporaryDirectory();
  const segmentDirectory = () => path.join(directory(), 'segments', 'project_id=project');
  const segments = async () =>
    (await readdir(segmentDirectory())).filter((name) => /^\d+\.parquet$/.test(name));

  let failures: unknown[] = [];
  beforeEach(() => {
    failures = [];
  });
  const open = (fanOut: number) =>
    openStore(directory(), {
      flushRows: 1_000_000,
      segments: { narrowRowsMin: 1 },
      compaction: { fanOut, supersededShare: 2 },
      hooks: { failed: (error) => failures.push(error) },
    });

  /** As version 3 wrote them. */
  async function makeOlder(): Promise<void> {
    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 256, threads: 1 });
    for (const name of await segments()) {
      const target = path.join(segmentDirectory(), name);
      const whole = path.join(segmentDirectory(), 'whole');
      await rename(target, whole);
      await writer.use((connection) =>
        connection.run(sql`
          COPY (SELECT * EXCLUDE (classifications) FROM read_parquet(${whole})) TO ${target} (FORMAT parquet)`),
      );
      const { size } = await stat(target);
      await writer.transaction((connection) =>
        connection.run(sql`
          UPDATE segment SET format = 3, checksums = NULL, bytes = ${BigInt(size)}
          WHERE source = ${BigInt(Number.parseInt(name, 10))}`),
      );
    }
    await writer.close();
  }

  it('are read, merged into and merged like others', async () => {
    let opened = await open(100);
    const ids = ['a', 'b', 'c', 'd'];
    await opened.insert('e', ...ids.map((id) => ({ id, input: id })));
    await opened.store.flush();
    await opened.close();
    await makeOlder();

    opened = await open(100);
    expect(await shown(opened)).to.deep.equal(ids.map((id) => [id, `"${id}"`, null]));
    const merge = { _is_merge: true };
    // More than one row of a row group is read by way of a copy of the group, one row from the segment itself.
    await opened.insert('e', { id: 'a', ...merge, classifications: { x: 1 } });
    await opened.insert(
      'e',
      { id: 'b', ...merge, classifications: { y: 2 } },
      { id: 'c', ...merge, input: 'changed' },
    );
    expect(await readdir(path.join(directory(), 'tmp', 'rows'))).to.have.length(1);
    const rows = [
      ['a', '"a"', '{"x":1}'],
      ['b', '"b"', '{"y":2}'],
      ['c', '"changed"', null],
      ['d', '"d"', null],
    ];
    expect(await shown(opened)).to.deep.equal(rows);
    await opened.store.flush();
    expect(await shown(opened)).to.deep.equal(rows);
    await opened.close();
    expect(await segments()).to.have.length(2);

    opened = await open(2);
    await opened.store.flush();
    expect(await shown(opened)).to.deep.equal(rows);
    await opened.close();
    expect(failures).to.deep.equal([]);
    expect(await segments()).to.have.length(1);
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
