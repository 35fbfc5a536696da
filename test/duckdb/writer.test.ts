import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DuckDBScalarFunction } from '@duckdb/node-api';
import { Database } from '../../src/duckdb/database.js';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { migrate } from '../../src/duckdb/migrate.js';
import { toRowChunks } from '../../src/duckdb/rows.js';
import { sql, type Sql } from '../../src/duckdb/sql.js';
import { recordedTransactions } from '../../src/duckdb/transaction-count.js';
import { Writer } from '../../src/duckdb/writer.js';
import { UnknownOutcomeError } from '../../src/errors.js';
import { openHandles } from '../../src/duckdb/file-handles.js';
import { failCheckpoint, failCommit } from '../support/failing-commit.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const settings = { memoryMb: 200, threads: 1 };
const fatal = () => new EngineError('fatal', 'FATAL Error: provoked');

const sentence = (name: string) => ({
  status: 503,
  message: `the database ${name} is damaged: restore the data directory from a backup`,
});

describe('writer', () => {
  const directory = temporaryDirectory();
  const file = () => path.join(directory(), 'meta.duckdb');
  const inDirectory = () => ({
    temporaryDirectory: path.join(directory(), 'tmp'),
    allowedDirectories: [directory()],
  });
  let writer: Writer;

  beforeEach(async () => {
    writer = await Writer.open(file(), settings);
    await writer.transaction((c) => c.run(sql`CREATE TABLE t (n BIGINT PRIMARY KEY, s VARCHAR)`));
  });
  afterEach(() => writer.close());

  const insert = (n: bigint, s = '') =>
    writer.transaction((c) => c.run(sql`INSERT INTO t VALUES (${n}, ${s})`));
  const numbers = async () =>
    (await writer.read(sql`SELECT n FROM t ORDER BY n`)).map((row) => row['n']);

  it('closes as soon as the engine has, also after a copy for a backup', async () => {
    await writer.alone((copy) => copy(path.join(directory(), 'copy')));
    expect(await openHandles(file())).to.equal(2);
    expect(await writer.close()).to.equal(true);
    expect(await openHandles(file())).to.equal(0);
  });

  it('keeps committed rows across a reopening', async () => {
    await insert(1n, 'text with a NUL \u0000 and 😀');
    await writer.close();
    writer = await Writer.open(file(), settings);
    expect(await writer.read(sql`SELECT * FROM t`)).to.deep.equal([
      { n: 1n, s: 'text with a NUL \u0000 and 😀' },
    ]);
  });

  it('refuses what exceeds its memory, and goes on', async () => {
    await writer.close();
    writer = await Writer.open(file(), { ...settings, memoryMb: 40 });
    const long = 'x'.repeat(4 * 2 ** 20);
    const fill = async () => {
      for (let n = 0n; n < 100n; n += 1n) await insert(n, `${n}${long}`);
    };
    expect(await rejection(fill())).to.include({
      status: 503,
      message: 'the write needs more memory than EVALSTORE_WRITER_MEMORY_MB, nothing was stored',
    });
    await writer.close();
    writer = await Writer.open(file(), settings);
    await insert(100n);
    expect(await numbers()).to.include(100n);
  });

  it('reads a file that it opened for reading, and refuses to write to it', async () => {
    await insert(1n);
    await writer.abandon();
    const files = async () => [await readFile(file()), await readFile(`${file()}.wal`)];
    const before = await files();
    writer = await Writer.openToRead(file(), settings);
    expect(await numbers()).to.deep.equal([1n]);
    const refused = await rejection(insert(2n));
    expect(refused).to.include({ status: 503 });
    expect(String(refused.cause)).to.contain('meta.duckdb was opened for reading only');
    expect(await numbers()).to.deep.equal([1n]);
    await writer.close();
    expect(await files()).to.deep.equal(before);
  });

  it('notes how many transactions are on disk, of which a database that lost its log lacks some', async () => {
    expect(await recordedTransactions(file())).to.equal(1n);
    await writer.checkpoint();
    await copyFile(file(), `${file()}.before`);
    await insert(1n);
    await rejection(insert(1n));
    expect([writer.transactions, await recordedTransactions(file())]).to.deep.equal([2n, 2n]);
    await writer.close();
    const older = await Writer.open(`${file()}.before`, settings);
    expect([older.transactions, await recordedTransactions(`${file()}.before`)]).to.deep.equal([
      1n,
      null,
    ]);
    await older.close();
    writer = await Writer.open(file(), settings);
    await insert(2n);
    expect([writer.transactions, await recordedTransactions(file())]).to.deep.equal([3n, 3n]);
  });

  it('appends chunks of every column type', async () => {
    const rows = [
      [1n, 2, true, 1_700_000_000_123_456n, 'é', ['a', 'b']],
      [null, null, null, null, null, null],
    ];
    const types = ['BIGINT', 'INTEGER', 'BOOLEAN', 'TIMESTAMP', 'VARCHAR', 'VARCHAR[]'] as const;
    await writer.transaction(async (c) => {
      await c.run(
        sql`CREATE TABLE a (a BIGINT, b INTEGER, c BOOLEAN, d TIMESTAMP, e VARCHAR, f VARCHAR[])`,
      );
      await c.append('a', toRowChunks(types, rows));
    });
    const stored = await writer.read(sql`SELECT * FROM a`);
    expect(stored.map((row) => Object.values(row))).to.deep.equal(rows);
  });

  it('runs transactions one at a time, in the order asked for', async () => {
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map((n) =>
        writer.transaction(async (c) => {
          order.push(n);
          await c.run(sql`INSERT INTO t VALUES (${BigInt(n)}, '')`);
          order.push(n);
        }),
      ),
    );
    expect(order).to.deep.equal([1, 1, 2, 2, 3, 3]);
  });

  it('undoes a transaction whose work throws', async () => {
    const failed = writer.transaction(async (c) => {
      await c.run(sql`INSERT INTO t VALUES (1, '')`);
      throw new Error('changed its mind');
    });
    expect((await rejection(failed)).message).to.equal('changed its mind');
    await insert(2n);
    expect(await numbers()).to.deep.equal([2n]);
  });

  it('reports a violated unique key as such and goes on', async () => {
    await insert(1n);
    expect(await rejection(insert(1n))).to.include({ name: 'EngineError', kind: 'constraint' });
    await insert(2n);
    expect(await numbers()).to.deep.equal([1n, 2n]);
  });

  it('reopens the database after a fatal error, once, and answers 503', async () => {
    await insert(1n);
    const failed = writer.transaction(async (c) => {
      await c.run(sql`INSERT INTO t VALUES (2, '')`);
      throw fatal();
    });
    const [error] = await Promise.all([rejection(failed), insert(3n)]);
    expect(error).to.include({
      status: 503,
      message: 'the storage is full or cannot be written, nothing was stored',
    });
    expect(await numbers()).to.deep.equal([1n, 3n]);
    expect(await openHandles(file())).to.equal(1);
  });

  /** Inserts a row in a transaction whose COMMIT runs `end` instead and fails. */
  const insertThenFail = (n: bigint, end: Sql) =>
    writer.transaction(async (c) => {
      await c.run(sql`INSERT INTO t VALUES (${n}, '')`);
      failCommit(c, end);
      return 'stored';
    });

  it('looks the outcome of a failed commit up', async () => {
    expect(await insertThenFail(1n, sql`COMMIT`)).to.equal('stored');
    expect(await rejection(insertThenFail(2n, sql`ROLLBACK`))).to.include({ status: 503 });
    await insert(3n);
    expect(await numbers()).to.deep.equal([1n, 3n]);
    expect(writer.transactions).to.equal(3n);
    expect(await openHandles(file())).to.equal(1);
  });

  it('says so when the outcome cannot be looked up', async () => {
    const open = Database.open.bind(Database);
    Database.open = () => Promise.reject(fatal());
    const error = await rejection(insertThenFail(1n, sql`COMMIT`));
    Database.open = open;
    expect(error).to.be.instanceOf(UnknownOutcomeError);
    expect(error.message).to.equal(
      'the storage failed while the write was committed, it may or may not be stored',
    );
    expect(await numbers()).to.deep.equal([1n]);
  });

  it('leaves nothing open when the file cannot be prepared', async () => {
    await writer.close();
    const scalar = null as unknown as DuckDBScalarFunction;
    const failing = { name: 'f', scalar };
    const opening = Database.open(file(), { ...settings, ...inDirectory() }, [failing]);
    await rejection(opening);
    expect(await openHandles(file())).to.equal(0);
    writer = await Writer.open(file(), settings);
  });

  it('reads beside a write transaction, and again after a reopening', async () => {
    await insert(1n);
    const reading = writer.use(async (c) => {
      await c.read(sql`SELECT 1`);
      return c.read(sql`SELECT count(*) AS n FROM range(3000000000) r(x) WHERE x % 7 = 1`);
    });
    const guarded = reading.catch((error: Error) => error);
    await rejection(writer.transaction(() => Promise.reject(fatal())));
    expect(await openHandles(file())).to.equal(1);
    const closing = writer.close();
    expect(await guarded).to.include({ kind: 'interrupted' });
    await closing;
  });

  it('refuses a file that another process has open, in one sentence', async () => {
    const script = `
      const { Writer } = await import(${JSON.stringify(new URL('../../src/duckdb/writer.js', import.meta.url).href)});
      await Writer.open(${JSON.stringify(file())}, { memoryMb: 100, threads: 1 }).catch((e) => console.log(e.kind, e.message));`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect((await run).stdout.trim()).to.equal(
      `locked another process is using the data directory ${directory()}: stop it first`,
    );
  });

  it('says which file is damaged, when it is opened and when it is read later', async () => {
    const many = sql`INSERT INTO t SELECT range, md5(range::VARCHAR) FROM range(200000)`;
    await writer.transaction((c) => c.run(many));
    await writer.close();
    const sound = await readFile(file());
    const damaged = Buffer.from(sound);
    damaged[damaged.length >> 1]! ^= 1;
    await writeFile(file(), damaged);
    writer = await Writer.open(file(), settings);
    const hashed = sql`SELECT bit_xor(hash(n, s)) AS h FROM t`;
    for (let round = 0; round < 2; round++) {
      expect(await rejection(writer.read(hashed))).to.include(sentence('file meta.duckdb'));
      const reading = writer.transaction((c) => c.read(hashed));
      expect(await rejection(reading)).to.include(sentence('file meta.duckdb'));
    }
    await writer.close();
    damaged[0]! ^= 1;
    await writeFile(file(), damaged);
    expect(await rejection(Writer.open(file(), settings))).to.include(sentence(`file ${file()}`));
    await writeFile(file(), sound);
    writer = await Writer.open(file(), settings);
    await insert(-1n);
    await copyFile(`${file()}.wal`, `${file()}.kept`);
    await writer.close();
    const log = await readFile(`${file()}.kept`);
    log[log.length - 1]! ^= 1;
    await writeFile(`${file()}.wal`, log);
    await writeFile(file(), sound);
    expect(await rejection(Writer.open(file(), settings))).to.include(
      sentence(`log ${file()}.wal`),
    );
  });

  it('moves a large log into the database file, and leaves a small one as it is', async () => {
    await insert(-1n);
    const small = await writer.logBytes();
    expect(small).to.be.greaterThan(0);
    await insert(-2n);
    expect(await writer.logBytes()).to.be.greaterThan(small);
    await writer.transaction((c) =>
      c.run(sql`INSERT INTO t SELECT range, repeat(md5(range::VARCHAR), 32) FROM range(10000)`),
    );
    await waitUntil('the log is small', async () => (await writer.logBytes()) < 2 ** 20);
    expect(await numbers()).to.have.length(10_002);
  });

  it('stores the next write after a failed checkpoint', async () => {
    await insert(1n);
    await writer.transaction(async (c) => failCheckpoint(c));
    expect(await rejection(writer.checkpoint())).to.include({ kind: 'fatal' });
    await insert(2n);
    expect(await numbers()).to.deep.equal([1n, 2n]);
    expect(await openHandles(file())).to.equal(1);
  });

  it('leaves no log behind when closed', async () => {
    await insert(1n);
    expect(await writer.logBytes()).to.be.greaterThan(0);
    await writer.close();
    expect(existsSync(`${file()}.wal`)).to.equal(false);
  });

  it('refuses transactions once closed', async () => {
    await writer.close();
    expect((await rejection(insert(1n))).message).to.equal('the writer is closed');
  });

  it('may touch only its own directory', async () => {
    const outside = rejection(writer.read(sql`SELECT * FROM read_text('/etc/passwd')`));
    expect((await outside).message).to.match(/file system operations are disabled/);
    const unlock = rejection(writer.read(sql`SET enable_external_access = true`));
    expect((await unlock).message).to.match(/locked/);
  });

  it('applies numbered migrations once', async () => {
    const steps = [[sql`CREATE TABLE m (a BIGINT)`], [sql`ALTER TABLE m ADD COLUMN b BIGINT`]];
    await migrate(writer, 'part', steps.slice(0, 1));
    await migrate(writer, 'part', steps);
    await migrate(writer, 'part', steps);
    await migrate(writer, 'other', [[sql`INSERT INTO m VALUES (1, 2)`]]);
    expect(await writer.read(sql`SELECT * FROM m`)).to.deep.equal([{ a: 1n, b: 2n }]);
    expect((await rejection(migrate(writer, 'part', []))).message).to.equal(
      'the data directory was written by a newer release: part has 2 migrations, this release knows 0',
    );
  });
});
