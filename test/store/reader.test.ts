import { expect } from 'chai';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Database } from '../../src/duckdb/database.js';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { Reader } from '../../src/store/read/engine/reader.js';
import { failCommit } from '../support/failing-commit.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const many = (first: number, rows: number) =>
  Array.from({ length: rows }, (_, n) => ({ id: `${first + n}`, input: first + n }));

const connect = Reflect.get<Reader, 'connect'>(Reader.prototype, 'connect');

/** Makes streams break off after `chunks` chunks, at most twice. */
const breakOff = (chunks: number) => {
  let left = 2;
  Reader.prototype.connect = async function (size) {
    const connection = await connect.call(this, size);
    if (--left < 0) return connection;
    connection.stream = async function* () {
      for (let n = 0; n < chunks; n++) yield [[n]];
      throw new EngineError('memory', 'provoked');
    };
    return connection;
  };
};

const unlimited = () => Promise.resolve(Infinity);

describe('the reader', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  const supersede = Reflect.get<Reader, 'supersede'>(Reader.prototype, 'supersede');
  const writeRows = Reflect.get<Reader, 'writeRows'>(Reader.prototype, 'writeRows');
  const keepRows = Reflect.get<Reader, 'keepRows'>(Reader.prototype, 'keepRows');
  const build = Reader.build.bind(Reader);
  /** The rows that were written to files, by their numbers. */
  let written: string[];

  beforeEach(async () => {
    written = [];
    Reader.prototype.writeRows = function (order) {
      written.push(`${order.source}: ${order.firstRow} to ${order.endRow}`);
      return writeRows.call(this, order);
    };
    opened = await openStore(directory(), { flushRows: 1_000_000 });
  });
  afterEach(async () => {
    Object.assign(Reader.prototype, { supersede, writeRows, keepRows, connect });
    Reader.build = build;
    await opened.close();
  });

  it('ends a stream whose caller is aborted between two chunks', async () => {
    let ended = 0;
    Reader.prototype.connect = async function (size) {
      const connection = await connect.call(this, size);
      connection.stream = async function* () {
        try {
          yield [[1]];
          yield [[2]];
        } finally {
          ended += 1;
        }
      };
      return connection;
    };
    const snapshot = await opened.store.snapshot();
    const caller = new AbortController();
    const read = async () => {
      const options = { queue: 'heavy', signal: caller.signal } as const;
      for await (const _ of snapshot.stream(sql`SELECT 1`, options))
        caller.abort(new Error('left'));
    };
    expect((await rejection(read())).message).to.equal('left');
    expect(ended).to.equal(1);
    await snapshot.release();
  });

  /** Makes the next `times` attempts fail to tell a reader what is superseded. */
  function failSupersede(kind: 'memory' | 'fatal', times: number): () => number {
    let failures = 0;
    Reader.prototype.supersede = function (list) {
      if (failures >= times) return supersede.call(this, list);
      failures += 1;
      this.failed = true;
      return Promise.reject(new EngineError(kind, 'provoked'));
    };
    return () => failures;
  }

  it('is built again when it fails', async () => {
    await opened.insert('e', { id: 'a', input: 1, tags: ['x'] }, { id: 'b', input: 2 });
    const before = await opened.store.snapshot();
    expect(await opened.live('e', before)).to.deep.equal({ a: 1, b: 2 });
    await opened.insert('e', { id: 'a', input: 10 });
    await opened.insert('e', { id: 'b', _object_delete: true });
    for (const kind of ['memory', 'fatal'] as const) {
      const failures = failSupersede(kind, 2);
      await opened.insert('e', { id: 'a', input: 10 });
      expect(await opened.live('e')).to.deep.equal({ a: 10 });
      expect(failures()).to.equal(2);
    }
    expect(await opened.live('e', before)).to.deep.equal({ a: 1, b: 2 });
    await before.release();
    await opened.insert('e', { id: 'c', input: 3 });
    expect(await opened.live('e')).to.deep.equal({ a: 10, c: 3 });
  });

  it('never has a gap when inserts go on while it is built', async () => {
    failSupersede('fatal', 2);
    for (let round = 0; round < 20; round++) {
      const inserts = Array.from({ length: 5 }, (_, n) =>
        opened.insert('e', { id: `${round} ${n}`, input: n }),
      );
      const reading = opened.live('e');
      await Promise.all(inserts);
      await reading;
    }
    expect(Object.keys(await opened.live('e'))).to.have.length(100);
  });

  it('gets files of buffered rows when somebody reads, each row in one of them', async () => {
    await opened.insert('e', ...many(0, 300));
    expect(written).to.deep.equal([]);
    await opened.live('e');
    await opened.live('e');
    await opened.insert('e', ...many(300, 50));
    await opened.live('e');
    await opened.insert('e', { id: '7', input: 'merged', _is_merge: true });
    await opened.insert('e', { id: '8', _object_delete: true });
    const live = await opened.live('e');
    await opened.insert('e', ...many(350, 150));
    await opened.live('e');
    expect(written).to.deep.equal(['1: 0 to 300', '1: 300 to 350', '1: 300 to 352', '1: 0 to 502']);
    expect(Object.keys(live)).to.have.length(349);
    expect(live).to.include({ 6: 6, 7: 'merged', 349: 349 });
  });

  const files = async () =>
    (await readdir(path.join(directory(), 'tmp'))).filter((name) => name.startsWith('rows-'));

  it('removes files that were replaced or flushed once no snapshot reads them', async () => {
    await opened.insert('e', ...many(0, 10));
    const before = await opened.store.snapshot();
    await opened.insert('e', ...many(10, 10));
    await opened.live('e');
    expect(await files()).to.have.length(2);
    expect(Object.keys(await opened.live('e', before))).to.have.length(10);
    await before.release();
    await waitUntil('the first file is gone', async () => (await files()).length === 1);
    await opened.store.flush();
    await waitUntil('the other one, too', async () => (await files()).length === 0);
    expect(Object.keys(await opened.live('e'))).to.have.length(20);
  });

  it('goes on when it cannot remove a file', async () => {
    await opened.insert('e', ...many(0, 10));
    await opened.live('e');
    const [name = ''] = await files();
    const file = path.join(directory(), 'tmp', name);
    await rm(file);
    await mkdir(file);
    await opened.insert('e', ...many(10, 10));
    expect(Object.keys(await opened.live('e'))).to.have.length(20);
    await opened.store.flush();
    await waitUntil('its other file is gone', async () => (await files()).length === 1);
    expect(Object.keys(await opened.live('e'))).to.have.length(20);
  });

  it('closes when its directory cannot be removed', async () => {
    const temporary = path.join(directory(), 'replaced');
    const settings = {
      memoryMb: 64,
      threads: 1,
      temporaryDirectory: temporary,
      spillRoom: unlimited,
    };
    const reader = await Reader.build({
      ...settings,
      segmentDirectory: directory(),
      jobDirectory: directory(),
    });
    await rm(temporary, { recursive: true, force: true });
    await writeFile(temporary, 'not a directory');
    await reader.unpin();
    expect((await rejection(reader.connect('heavy'))).message).to.equal('the database is closed');
  });

  it('is replaced when it has read many files and what was buffered is in segments', async () => {
    let built = 0;
    Reader.build = (settings) => {
      built += 1;
      return build(settings);
    };
    const before = await opened.store.snapshot();
    for (let n = 0; n < 202; n++) {
      await opened.insert('e', { id: `${n}`, input: n });
      const snapshot = await opened.store.snapshot();
      await snapshot.release();
    }
    await before.release();
    await opened.store.flush();
    await waitUntil('no files are left', async () => (await files()).length === 0);
    expect(built).to.equal(0);
    await opened.insert('e', { id: '7', input: 'last' });
    expect(Object.keys(await opened.live('e'))).to.have.length(202);
    expect(await opened.live('e')).to.include({ 6: 6, 7: 'last' });
    expect(built).to.equal(1);
  });

  it('keeps rows in memory when the disk has no room for files', async () => {
    await opened.insert('e', ...many(0, 3000), { id: '7', input: 2, tags: ['a', 'b'] });
    Reader.prototype.writeRows = () =>
      Promise.reject(new EngineError('storage', 'No space left on device'));
    const live = await opened.live('e');
    expect(Object.keys(live)).to.have.length(3000);
    expect(live).to.include({ 6: 6, 7: 2 });
    Reader.prototype.writeRows = writeRows;
    await opened.insert('e', ...many(3000, 2));
    expect(Object.keys(await opened.live('e'))).to.have.length(3002);
    await opened.insert('e', ...many(4000, 2000));
    expect(Object.keys(await opened.live('e'))).to.have.length(5002);
  });

  it('gives no row twice when a small read runs out of memory half-way, in an instance for all reads', async () => {
    await opened.close();
    opened = await openStore(directory(), { queryMemoryMb: 90 });
    const snapshot = await opened.store.snapshot();
    const budget = {
      status: 400,
      message:
        'the query exceeded the memory budget of 90 MB: narrow it with a filter, fewer sources, fewer columns or a limit',
    };
    const seen: unknown[] = [];
    const read = async () => {
      const stream = snapshot.stream(sql`SELECT 7 AS n`, { queue: 'small' });
      for await (const rows of stream) seen.push(...rows.flat());
    };
    breakOff(1);
    expect(await rejection(read())).to.include(budget);
    expect(seen.splice(0)).to.deep.equal([0]);
    breakOff(0);
    expect(await rejection(read())).to.include(budget);
    await read();
    expect(seen).to.deep.equal([7]);
    await snapshot.release();
  });
});

describe('opening the store', () => {
  const directory = temporaryDirectory();

  it('restores rows, ids and supersessions', async () => {
    let opened = await openStore(directory());
    const first = await opened.insert('e', { id: 'a', input: { x: 1 } }, { id: 'gone' });
    await opened.insert('e', { id: 'a', _is_merge: true, input: { y: 2 } });
    const last = await opened.insert('e', { id: 'gone', _object_delete: true });
    await opened.close();
    opened = await openStore(directory());
    const snapshot = await opened.store.snapshot();
    expect(snapshot.version).to.equal(last);
    expect(await opened.live('e', snapshot)).to.deep.equal({ a: { x: 1, y: 2 } });
    await snapshot.release();
    const next = await opened.insert('e', { id: 'a', _is_merge: true, input: { z: 3 } });
    expect(next > last && last > first).to.equal(true);
    expect(await opened.live('e')).to.deep.equal({ a: { x: 1, y: 2, z: 3 } });
    await opened.close();
  });

  it('removes temporary files of an earlier process', async () => {
    const temporary = path.join(directory(), 'tmp');
    await mkdir(path.join(temporary, 'reader-7'), { recursive: true });
    await writeFile(path.join(temporary, 'export-1.parquet'), 'x');
    const opened = await openStore(directory());
    expect(await readdir(temporary)).to.not.include.members(['reader-7', 'export-1.parquet']);
    await opened.close();
  });

  it('reads the state again when the outcome of a publication is unknown', async () => {
    const opened = await openStore(directory(), { flushRows: 1_000_000 });
    await opened.insert('e', { id: 'a', input: 1 });
    const open = Database.open.bind(Database);
    const transaction = opened.writer.transaction.bind(opened.writer);
    opened.writer.transaction = (work) =>
      transaction((connection) => {
        failCommit(connection, sql`COMMIT`);
        Database.open = () => Promise.reject(new EngineError('fatal', 'provoked'));
        return work(connection);
      });
    expect(await rejection(opened.store.flush())).to.include({ status: 503 });
    expect(await rejection(opened.insert('e', { id: 'b' }))).to.include({
      status: 503,
      message: 'the storage is full or cannot be written, nothing was stored',
    });
    opened.writer.transaction = transaction;
    Database.open = open;
    await opened.insert('e', { id: 'a', input: 2 }, { id: 'c', input: 4 });
    expect(await opened.live('e')).to.deep.equal({ a: 2, c: 4 });
    // The generation was sealed after all.
    await waitUntil('its row is in a segment', () => opened.store.stats().projects.size === 1);
    await opened.store.flush();
    expect(await opened.live('e')).to.deep.equal({ a: 2, c: 4 });
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
