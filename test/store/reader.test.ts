import { expect } from 'chai';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { EventStore } from '../../src/store/event-store.js';
import { Reader } from '../../src/store/read/reader.js';
import { allRows, openStore, rowsOf, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

describe('the reader', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  const apply = Reflect.get<Reader, 'apply'>(Reader.prototype, 'apply');

  beforeEach(async () => {
    opened = await openStore(directory());
    await opened.live('e');
  });
  afterEach(async () => {
    Reader.prototype.apply = apply;
    await opened.close();
  });

  /** Makes the next `times` appends to the reader fail. */
  function failApply(kind: 'memory' | 'fatal', times: number): () => number {
    let failures = 0;
    Reader.prototype.apply = function (groups) {
      if (failures >= times) return apply.call(this, groups);
      failures += 1;
      return Promise.reject(new EngineError(kind, 'provoked'));
    };
    return () => failures;
  }

  it('takes up later what it has no memory for', async () => {
    const failures = failApply('memory', 3);
    await opened.insert('e', { id: 'a', input: 1 });
    await opened.insert('e', { id: 'a', input: 2 }, { id: 'b' });
    expect(await opened.live('e')).to.deep.equal({ a: 2, b: null });
    expect(failures()).to.equal(3);
  });

  it('is built again from disk when it fails for good', async () => {
    await opened.insert('e', { id: 'a', input: 1, tags: ['x'] }, { id: 'b', input: 2 });
    const before = await opened.store.snapshot();
    failApply('fatal', 1);
    await opened.insert('e', { id: 'a', input: 10 });
    await opened.insert('e', { id: 'b', _object_delete: true });
    expect(await opened.live('e')).to.deep.equal({ a: 10 });
    expect(await opened.live('e', before)).to.deep.equal({ a: 1, b: 2 });
    await before.release();
    await opened.insert('e', { id: 'c', input: 3 });
    expect(await opened.live('e')).to.deep.equal({ a: 10, c: 3 });
  });

  it('never has a gap when inserts go on while it is built', async () => {
    failApply('fatal', 2);
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

  it('lets go of more than it can owe, and reads it from disk', async () => {
    failApply('memory', Number.POSITIVE_INFINITY);
    for (let round = 0; round < 6; round++) {
      const batch = Array.from({ length: 10_000 }, (_, n) => ({ id: `${round} ${n}` }));
      await opened.insert('e', ...batch);
    }
    Reader.prototype.apply = apply;
    const snapshot = await opened.store.snapshot();
    const count = sql`SELECT count(*) AS n FROM ${rowsOf(snapshot, 'e')}`;
    expect(await allRows(snapshot, count)).to.deep.equal([[60_000n]]);
    await snapshot.release();
  });
});

describe('copying new rows for queries', () => {
  const directory = temporaryDirectory();
  const apply = Reflect.get<Reader, 'apply'>(Reader.prototype, 'apply');
  /** How many changes each transaction of the reader took up. */
  let applied: number[];

  beforeEach(() => {
    applied = [];
    Reader.prototype.apply = function (changes) {
      applied.push(changes.length);
      return apply.call(this, changes);
    };
  });
  afterEach(() => (Reader.prototype.apply = apply));

  const never = 1_000_000_000;

  it('is left until somebody reads, while they are few', async () => {
    const opened = await openStore(directory(), { copyDelayMs: never });
    expect(await opened.live('e')).to.deep.equal({});
    for (const id of ['a', 'b', 'c']) await opened.insert('e', { id, input: id });
    await opened.insert('e', { id: 'a', _is_merge: true, input: 'd' });
    expect(applied).to.deep.equal([]);
    expect(await opened.live('e')).to.deep.equal({ a: 'd', b: 'b', c: 'c' });
    expect(applied).to.deep.equal([4]);
    await opened.close();
  });

  it('is done without a read when they are many, or after a while', async () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ id: `${n}` }));
    for (const [copyDelayMs, events] of [
      [never, many],
      [1, [{ id: 'a' }]],
    ] as const) {
      const opened = await openStore(directory(), { copyDelayMs });
      await opened.live('e');
      applied = [];
      await opened.insert('e', ...events);
      await waitUntil('the rows are copied', () => applied.length === 1);
      await opened.close();
    }
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

  it('refuses a format it does not know', async () => {
    const opened = await openStore(directory());
    await opened.writer.transaction((c) => c.run(sql`UPDATE store_format SET version = 2`));
    await opened.close();
    const writer = await Writer.open(path.join(directory(), 'meta.duckdb'), {
      memoryMb: 100,
      threads: 1,
    });
    const options = {
      dataDirectory: directory(),
      queryMemoryMb: 100,
      queryThreads: 1,
      queryTimeoutMs: 1000,
      queryConcurrency: 1,
      queryQueueLength: 1,
    };
    expect((await rejection(EventStore.open(writer, options))).message).to.equal(
      'the data directory has store format 2, this version reads format 1',
    );
    await writer.close();
  });

  it('reads the state again when the outcome of a commit is unknown', async () => {
    const opened = await openStore(directory());
    await opened.insert('e', { id: 'a', input: 1 });
    const transaction = opened.writer.transaction.bind(opened.writer);
    // The work ends the transaction itself, so that the writer's COMMIT fails; then the lookup fails too.
    opened.writer.transaction = (work) =>
      transaction(
        async (connection) => {
          const result = await work(connection);
          await connection.run(sql`COMMIT`);
          return result;
        },
        () => Promise.reject(new EngineError('fatal', 'provoked')),
      );
    const unknown = await rejection(
      opened.insert('e', { id: 'a', input: 2 }, { id: 'b', input: 3 }),
    );
    expect(unknown).to.include({ status: 503 });
    opened.writer.transaction = transaction;
    await opened.insert('e', { id: 'c', input: 4 });
    expect(await opened.live('e')).to.deep.equal({ a: 2, b: 3, c: 4 });
    await opened.close();
  });
});
