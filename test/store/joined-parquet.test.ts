// A Parquet file that is made of several: readers other than the engine find the same rows in it.
import { expect } from 'chai';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { bytesOf } from '../support/bytes-of.js';
import { allRows, openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** More columns than one kind, values that repeat (dictionaries and bloom filters) and NULLs. */
const numbered = (first: number, end: number) => sql`
  SELECT range::BIGINT AS n, 'text ' || (range % 9) AS s, nullif(range % 5 = 0, TRUE) AS b,
    CASE WHEN range % 3 = 0 THEN NULL ELSE range / 8 END AS d, make_timestamp(range::BIGINT * 1000) AS t
  FROM range(${BigInt(first)}, ${BigInt(end)}) ORDER BY n DESC`;

/** What lies between two numbers, from the last one on. */
const cuts = [0, 1, 3, 3, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 60, 200, 5000, 5000].toReversed();
const parts = cuts.slice(1).map((cut, index) => numbered(cut, cuts[index] ?? 0));

const names = ['n', 's', 'b', 'd', 't'];

describe('a Parquet file of several parts', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let snapshot: Snapshot;

  beforeEach(async () => {
    opened = await openStore(directory(), { queryTimeoutMs: 20_000 });
    snapshot = await opened.store.snapshot();
  });
  afterEach(async () => {
    await snapshot.release();
    await opened.close();
  });

  async function exported(queries: readonly Sql[]): Promise<Uint8Array<ArrayBuffer>> {
    const result = await snapshot.materialize(
      queries.map((query) => () => query),
      { queue: 'heavy' },
    );
    try {
      const selects = result.parts.map((part) => () => sql`SELECT * FROM ${part()}`);
      const file = await result.exportParquet(names, selects);
      const bytes = await bytesOf(file);
      expect(bytes).to.have.length(file.length);
      return bytes;
    } finally {
      await result.close();
    }
  }

  const files = async () =>
    (await readdir(path.join(directory(), 'tmp'))).filter((name) => name.startsWith('export-'));

  it('holds their rows in their order', async () => {
    const bytes = await exported(parts);
    const rows = await parquetReadObjects({ file: bytes.buffer, compressors });
    expect(rows.map(({ n }) => n)).to.deep.equal(
      Array.from({ length: 5000 }, (_, n) => 4999n - BigInt(n)),
    );
    expect(rows[4]).to.deep.equal({ n: 4995n, s: 'text 0', b: null, d: null, t: new Date(4995) });
    expect(rows[3]).to.deep.include({ s: 'text 1', b: false, d: 4996 / 8 });
    expect(parquetMetadata(bytes.buffer).num_rows).to.equal(5000n);
    expect(await files()).to.deep.equal([]);
  });

  it('is read by the engine as well, which leaves out what a filter excludes', async () => {
    const file = path.join(directory(), 'tmp', 'joined.parquet');
    await writeFile(file, await exported(parts));
    const found = (condition: Sql) =>
      allRows(snapshot, sql`SELECT n, s FROM read_parquet(${file}) WHERE ${condition}`);
    expect(await found(sql`n = 57`)).to.deep.equal([[57n, 'text 3']]);
    expect(await found(sql`n < 10 AND s = 'text 4'`)).to.deep.equal([[4n, 'text 4']]);
    expect(await found(sql`s = 'text 9'`)).to.deep.equal([]);
  });

  it('may have no row', async () => {
    const bytes = await exported([numbered(0, 0), numbered(0, 0)]);
    expect(await parquetReadObjects({ file: bytes.buffer, compressors })).to.deep.equal([]);
    expect(parquetMetadata(bytes.buffer).schema.map(({ name }) => name)).to.include.members([
      'n',
      't',
    ]);
  });

  it('is not made of parts with different columns', async () => {
    const error = await rejection(exported([sql`SELECT 1::BIGINT AS n`, sql`SELECT 'one' AS n`]));
    expect(error.message).to.equal('parts of a Parquet file have different columns');
    expect(await files()).to.deep.equal([]);
  });

  it('leaves no file behind when a part fails', async () => {
    await rejection(exported([...parts, sql`SELECT error('in vain')::BIGINT AS n`, ...parts]));
    expect(await files()).to.deep.equal([]);
  });
});
