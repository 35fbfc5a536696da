// Segments keep the order of their rows merge after merge; those of older releases that lack it get it back.
import { expect } from 'chai';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const unmerged = { fanOut: 100 };

/** Without the columns that came later. */
const columnsOf = (file: string): Sql =>
  file.endsWith('parquet') ? sql`* EXCLUDE (classifications)` : sql`*`;

/** With some rows behind those that they belong before, as a write in parts left them. */
const displaced = (file: string): Sql =>
  sql`SELECT ${columnsOf(file)} FROM read_parquet(${file}) ORDER BY _row BETWEEN 400 AND 499, _row BETWEEN 200 AND 299, _row`;

const shuffled = (file: string): Sql =>
  sql`SELECT ${columnsOf(file)} FROM read_parquet(${file}) ORDER BY hash(_row)`;

/** With numbers that are in order, and rows that are not. */
const reversed = (file: string): Sql =>
  sql`SELECT ${columnsOf(file)} REPLACE (max(_row) OVER () - _row AS _row) FROM read_parquet(${file}) ORDER BY _row`;

const eventsOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, input: index }));

/** A flush for each count, of so many events of each object. */
async function fill(opened: TestStore, counts: readonly number[], objects = ['e']) {
  for (const [index, count] of counts.entries()) {
    for (const object of objects) await opened.insert(object, ...eventsOf(count, `${index} `));
    await opened.store.flush();
  }
}

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

  /** Writes the files of all segments anew, as an earlier release may have done; `lost`: how many bytes they are said to lack. */
  async function rewrite(rows: (file: string) => Sql, lost = 0): Promise<void> {
    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 256, threads: 1 });
    const names = (await readdir(segmentDirectory())).filter((name) =>
      /^\d+\.(parquet|narrow|ended)$/.test(name),
    );
    for (const name of names) {
      const target = path.join(segmentDirectory(), name);
      const copy = path.join(segmentDirectory(), `${name}.copy`);
      await writer.use((connection) =>
        connection.run(
          sql`COPY (${rows(target)}) TO ${copy} (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
        ),
      );
      await rename(copy, target);
      if (!name.endsWith('parquet')) continue;
      const { size } = await stat(target);
      await writer.transaction((connection) =>
        connection.run(
          sql`UPDATE segment SET format = 2, checksums = NULL, bytes = ${BigInt(size + lost)} WHERE source = ${BigInt(Number.parseInt(name, 10))}`,
        ),
      );
    }
    await writer.close();
  }

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

  for (const [what, rows, isReported] of [
    ['of which some are displaced', displaced, false],
    ['that are in no order', shuffled, false],
    ['that are not sorted', reversed, true],
  ] as const) {
    describe(`lost by segments of an older release ${what}`, () => {
      let before: Readonly<Record<string, unknown>>;
      beforeEach(async () => {
        const opened = await open(unmerged);
        await fill(opened, [600, 700], ['b', 'e']);
        if (!isReported) await opened.insert('e', { id: '0 450', input: 'changed' }, { id: '1 3' });
        before = await opened.live('e');
        await opened.close();
        await rewrite(rows);
        expect(await checkStore(directory())).to.not.deep.equal([]);
      });

      for (const [how, fanOut, segments, merges] of [
        ['when they are merged', 2, 1, 1],
        ['without a merge of several', 100, isReported ? 2 : 3, 2],
      ] as const)
        it(`comes back ${how}`, async () => {
          const opened = await open({ fanOut });
          await opened.store.flush();
          expect(await opened.live('e')).to.deep.equal(before);
          await opened.close();
          expect(await segmentNames()).to.have.length(segments);
          expect(await checkStore(directory())).to.deep.equal([]);
          const failure =
            'SegmentOrderError: the files of a new segment are refused: its rows are not sorted';
          expect(failures.map(String)).to.deep.equal(
            Array.from({ length: isReported ? merges : 0 }, () => failure),
          );
        });
    });
  }

  it('is not looked for again in what was verified', async () => {
    const opened = await open(unmerged);
    await fill(opened, [10, 10]);
    await opened.close();
    const names = await segmentNames();
    const again = await open(unmerged);
    await again.store.flush();
    await again.close();
    expect(await segmentNames()).to.deep.equal(names);
  });

  it('is not restored in a damaged segment of an older release, for which no flush waits', async () => {
    const opened = await open(unmerged);
    await fill(opened, [600], ['b', 'e']);
    await opened.close();
    await rewrite(displaced, 1);
    const names = await segmentNames();
    const again = await open({ fanOut: 2 });
    await again.store.flush();
    await again.close();
    expect(await segmentNames()).to.deep.equal(names);
    expect(failures).to.deep.equal([]);
  });

  it('is no reason to try a merge for ever that fails for what is in a file: others are made', async () => {
    const opened = await open(unmerged);
    await fill(opened, [500, 500]);
    // Damage in segments of an older release, which have no checksums, is not found before they are merged.
    await opened.writer.transaction((connection) =>
      connection.run(sql`UPDATE segment SET checksums = NULL`),
    );
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
