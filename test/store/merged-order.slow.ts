// Segments keep the order of their rows merge after merge.
import { expect } from 'chai';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const unmerged = { fanOut: 100 };

/** With numbers that are in order, and rows that are not. */
const reversed = (file: string): Sql =>
  sql`SELECT * REPLACE (max(_row) OVER () - _row AS _row) FROM read_parquet(${file}) ORDER BY _row`;

const eventsOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, input: index }));

/** A flush for each count, of so many events of each object. */
async function fill(opened: TestStore, counts: readonly number[], objects = ['e']) {
  for (const [index, count] of counts.entries()) {
    for (const object of objects) await opened.insert(object, ...eventsOf(count, `${index} `));
    await opened.store.flush();
  }
}

const forgetChecksums = (opened: TestStore): Promise<void> =>
  opened.writer.transaction((connection) =>
    connection.run(sql`UPDATE segment SET checksums = '{}'`),
  );

describe('the order of rows', () => {
  const directory = temporaryDirectory();
  let failures: unknown[] = [];
  beforeEach(() => {
    failures = [];
  });

  const open = (compaction: { readonly fanOut: number; readonly supersededShare?: number }) =>
    openStore(directory(), {
      flushRows: 1_000_000,
      segments: { narrowRowsMin: 1 },
      compaction: { supersededShare: 2, ...compaction },
      hooks: { failed: (error) => failures.push(error) },
    });

  const segmentDirectory = () => path.join(directory(), 'segments', 'project_id=project');

  const segmentNames = async () =>
    (await readdir(segmentDirectory())).filter((name) => /^\d+\.parquet$/.test(name)).toSorted();

  it('is kept by a second merge, however many rows fill the last row group of each segment', async () => {
    const opened = await open({ fanOut: 2 });
    await fill(opened, [3000, 3000, 3000, 3000]);
    await opened.close();
    expect(failures).to.deep.equal([]);
    expect(await segmentNames()).to.have.length(1);
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('is kept by merges of several objects', async () => {
    const opened = await open({ fanOut: 2 });
    await fill(opened, [1200, 900, 1200, 900], ['e', 'b', 'z']);
    await opened.close();
    expect(failures).to.deep.equal([]);
    expect(await segmentNames()).to.have.length(1);
    expect(await checkStore(directory())).to.deep.equal([]);
    expect(await readdir(path.join(directory(), 'tmp'))).to.deep.equal([]);
  });

  it('comes back when segments without it are merged', async () => {
    const opened = await open(unmerged);
    await fill(opened, [600, 700], ['b', 'e']);
    const before = await opened.live('e');
    await forgetChecksums(opened);
    for (const name of await segmentNames()) {
      const file = path.join(segmentDirectory(), name);
      const copy = `${file}.copy`;
      await opened.writer.use((connection) =>
        connection.run(sql`COPY (${reversed(file)}) TO ${copy} (FORMAT parquet)`),
      );
      await rename(copy, file);
    }
    await opened.close();
    expect(await checkStore(directory())).to.not.deep.equal([]);
    const again = await open({ fanOut: 2 });
    await again.store.flush();
    expect(await again.live('e')).to.deep.equal(before);
    await again.close();
    expect(await segmentNames()).to.have.length(1);
    expect(await checkStore(directory())).to.deep.equal([]);
    expect(failures.map(String)).to.deep.equal([
      'SegmentOrderError: the files of a new segment are refused: its rows are not sorted',
    ]);
  });

  it('is no reason to try a merge for ever that fails for what is in a file: others are made', async () => {
    const opened = await open(unmerged);
    await fill(opened, [500, 500]);
    // So the damage is not found before they are merged.
    await forgetChecksums(opened);
    await opened.close();
    const [first] = await segmentNames();
    const file = path.join(segmentDirectory(), first!);
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xff, 4, Math.floor(bytes.length / 3)));
    const again = await open({ fanOut: 2 });
    await again.store.flush();
    expect(failures.map(String)).to.deep.equal([
      'Error: segments 3, 5 of project project cannot be merged, they stay as they are until the next start',
    ]);
    await fill(again, [500, 500], ['f']);
    expect(failures).to.have.length(1);
    await again.close();
    const names = await segmentNames();
    expect(names.slice(0, 1)).to.deep.equal([first]);
    expect(names).to.have.length(3);
  });
});
