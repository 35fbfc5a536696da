import { expect } from 'chai';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { HighWaterMark } from '../../src/duckdb/high-water-mark.js';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import { recordedTransactions } from '../../src/duckdb/transaction-count.js';
import { Writer } from '../../src/duckdb/writer.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { filesIn } from '../support/files-in.js';
import { openStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('check-data', () => {
  const directory = temporaryDirectory();

  beforeEach(async () => {
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      segments: { narrowRowsMin: 1 },
    });
    await opened.insert('e', { id: 'a', input: 1 }, { id: 'b' }, { id: 'c' });
    await opened.insert('e', { id: 'c' });
    await opened.store.flush();
    await opened.insert('e', { id: 'a', input: 2 });
    await opened.insert('e', { id: 'a', input: 3 });
    await opened.close();
  });

  async function change(statement: Sql): Promise<void> {
    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
    await writer.transaction((connection) => connection.run(statement));
    await writer.close();
  }

  const forgetChecksums = (): Promise<void> => change(sql`UPDATE segment SET checksums = '{}'`);

  const segmentFile = (name: string) =>
    path.join(directory(), 'segments', 'project_id=project', name);

  it('finds nothing in a sound directory', async () => {
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  it('finds versions that end too late or too early', async () => {
    // What ended its row is in the manifest once the later versions are in a segment.
    const again = await openStore(directory());
    await again.store.flush();
    await again.close();
    await change(sql`DELETE FROM supersession WHERE source = 3`);
    const [problem, ...others] = await checkStore(directory());
    expect(problem).to.match(
      /^row "a" of object e: version \d{19} ends at null, the next one begins at \d{19}$/,
    );
    expect(others).to.deep.equal([]);
  });

  it('finds supersessions of rows that are not there', async () => {
    await change(sql`INSERT INTO supersession VALUES (3, 77, 5)`);
    expect(await checkStore(directory())).to.deep.equal([
      'row 77 of source 3 is superseded but not there',
    ]);
  });

  it('finds wrong counts', async () => {
    await change(
      sql`UPDATE segment SET objects = replace(objects, '"tombstones":0', '"tombstones":1')`,
    );
    expect(await checkStore(directory())).to.deep.equal([
      'segment 3: its rows are not those that the manifest counts',
    ]);
  });

  it('finds ranges that overlap', async () => {
    await change(sql`INSERT INTO segment SELECT * FROM segment`);
    expect(await checkStore(directory())).to.include(
      'segment 3: its transactions overlap those of 3',
    );
  });

  it('finds rows that are not sorted', async () => {
    const file = segmentFile('00000003.parquet');
    await change(sql`
      COPY (SELECT * REPLACE (CAST(_row AS VARCHAR) AS root_span_id) FROM read_parquet(${file}) ORDER BY _row)
      TO ${file}`);
    await forgetChecksums();
    expect(await checkStore(directory())).to.not.include('segment 3: its rows are not sorted');
    await change(sql`
      COPY (SELECT * REPLACE (CAST(-_row AS VARCHAR) AS root_span_id) FROM read_parquet(${file}) ORDER BY _row)
      TO ${file}`);
    await forgetChecksums();
    expect(await checkStore(directory())).to.include('segment 3: its rows are not sorted');
  });

  for (const part of ['narrow', 'ended'])
    it(`finds other rows in the ${part} file`, async () => {
      const file = segmentFile(`00000003.${part}`);
      await change(
        sql`COPY (SELECT * REPLACE ('other' AS id) FROM read_parquet(${file})) TO ${file} (FORMAT parquet)`,
      );
      await forgetChecksums();
      expect(await checkStore(directory())).to.deep.equal([
        'segment 3: its narrow files have other rows',
      ]);
    });

  for (const ending of ['parquet', 'narrow', 'ended', 'idx', 'ids'])
    it(`finds one flipped bit and one missing byte in the file .${ending}`, async () => {
      const file = segmentFile(`00000003.${ending}`);
      const bytes = await readFile(file);
      const isDamaged = `segment 3: its file 00000003.${ending} is damaged: `;
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(file, bytes);
      expect(await checkStore(directory())).to.deep.equal([
        `${isDamaged}its checksum is not that of what was written`,
      ]);
      await truncate(file, bytes.length - 1);
      expect(await checkStore(directory())).to.deep.equal([
        `${isDamaged}it has ${bytes.length - 1} bytes instead of ${bytes.length}`,
      ]);
    });

  it('finds missing, damaged and superfluous files', async () => {
    await writeFile(segmentFile('00000042.idx'), 'x');
    // The next start removes it.
    await writeFile(segmentFile('00000043.idx.tmp'), 'x');
    await rm(segmentFile('00000003.ids'));
    const [damaged, superfluous, ...others] = await checkStore(directory());
    expect(damaged).to.match(/^segment 3: it cannot be read: ENOENT/);
    expect(superfluous).to.equal('file 00000042.idx belongs to no segment');
    expect(others).to.deep.equal([]);
    await writeFile(segmentFile('00000003.parquet'), 'x');
    expect((await checkStore(directory()))[0]).to.match(/^segment 3: it cannot be read: /);
  });

  it('says why a server would not start', async () => {
    const file = path.join(directory(), 'meta.duckdb');
    const noted = (await recordedTransactions(file))!;
    await (await HighWaterMark.open(`${file}.transactions`, noted + 2n)).close();
    expect(await checkStore(directory())).to.deep.equal([
      `${file} does not match the rest of the directory, it lacks the last 2 of its transactions: put the latest meta.duckdb, meta.duckdb.wal and log back, or continue with the existing files with "evalstore repair"`,
    ]);
    await rm(file);
    expect((await rejection(checkStore(directory()))).message).to.match(
      /^\S+meta\.duckdb is missing, but there are 1 segments: put /,
    );
  });

  it('names a damaged log once', async () => {
    const logs = path.join(directory(), 'log');
    const [name = ''] = (await readdir(logs)).filter((each) => each.endsWith('.log')).slice(-1);
    const bytes = await readFile(path.join(logs, name));
    bytes[40]! ^= 1;
    await writeFile(path.join(logs, name), bytes);
    const [problem, ...others] = await checkStore(directory());
    expect(problem).to.match(/^the log \d{8}\.log is damaged at byte 0, before rows that were /);
    expect(others).to.deep.equal([]);
  });

  it('finds tables that cannot be read', async () => {
    await change(
      sql`CREATE TABLE many AS SELECT md5(range::VARCHAR) || md5((range + 1)::VARCHAR) AS t FROM range(100000)`,
    );
    const file = path.join(directory(), 'meta.duckdb');
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    const [problem, ...others] = await checkStore(directory());
    expect(problem).to.match(/^table many of the database cannot be read: .*checksum/);
    expect(others).to.deep.equal([]);
  });

  it('changes nothing in the directory', async () => {
    await rm(path.join(directory(), 'tmp'), { recursive: true });
    const before = await readdir(directory(), { recursive: true });
    const files = await filesIn(directory());
    expect(await checkStore(directory())).to.deep.equal([]);
    expect(await readdir(directory(), { recursive: true })).to.deep.equal(before);
    expect(await filesIn(directory())).to.deep.equal(files);
  });
});
