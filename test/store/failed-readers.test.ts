// Instances that read and fail, or cannot be made or filled: what reads and inserts answer then, and that nothing of the instances is left.
import { expect } from 'chai';
import { Database } from '../../src/duckdb/database.js';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { sql } from '../../src/duckdb/sql.js';
import { ThreadDatabase } from '../../src/duckdb/thread-database.js';
import { Reader } from '../../src/store/read/engine/reader.js';
import { LookupEngine } from '../../src/store/segment/lookup-engine.js';
import { openStore, storeIn, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const connect = Reflect.get<Reader, 'connect'>(Reader.prototype, 'connect');
const writeRows = Reflect.get<Reader, 'writeRows'>(Reader.prototype, 'writeRows');
const keepRows = Reflect.get<Reader, 'keepRows'>(Reader.prototype, 'keepRows');
const build = Reader.build.bind(Reader);

async function isReaderClosed(reader: Reader): Promise<boolean> {
  try {
    reader.disconnect(await connect.call(reader, 'heavy'));
    return false;
  } catch {
    return true;
  }
}

const endless = sql`
  SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5`;

/** Throws in the thread of an instance while no statement runs. */
const fault = new URL(
  `data:text/javascript,${encodeURIComponent(`export const run = () => {
  setImmediate(() => { throw new Error('provoked'); });
  return new Promise(() => {});
};`)}`,
);

describe('a reader whose thread fails while no statement runs', () => {
  const directory = temporaryDirectory();
  const open = ThreadDatabase.open.bind(ThreadDatabase);
  const instances: ThreadDatabase[] = [];
  before(() => {
    ThreadDatabase.open = async (...settings) => {
      const instance = await open(...settings);
      instances.push(instance);
      return instance;
    };
  });
  after(() => {
    ThreadDatabase.open = open;
  });
  const opened = storeIn(directory, { flushRows: 1_000_000 });

  for (const [failing, size] of ['heavy', 'small'].entries())
    it(`is closed and replaced before the next read: the instance for reads of size ${size}`, async () => {
      await opened().insert('e', { id: 'a', input: 1 });
      expect(await opened().live('e')).to.deep.equal({ a: 1 });
      const failed = instances.splice(0);
      expect(failed).to.have.length(2);
      expect(await rejection(failed[failing]!.runModule(fault, null))).to.include({
        message: 'the thread of the engine failed: provoked',
      });
      expect(await opened().live('e')).to.deep.equal({ a: 1 });
      expect(instances.splice(0)).to.have.length(2);
      for (const instance of failed)
        await waitUntil('it is closed', async () => {
          const error: unknown = await instance.connect().catch((reason: unknown) => reason);
          return error instanceof EngineError && error.message === 'the database is closed';
        });
    });
});

describe('a reader without room', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  beforeEach(async () => {
    opened = await openStore(directory(), { flushRows: 1_000_000 });
  });
  afterEach(async () => {
    Object.assign(Reader.prototype, { writeRows, keepRows });
    Reader.build = build;
    await opened.close();
  });

  const unreadable = {
    status: 503,
    message:
      'the storage is full or cannot be written: events that are not in segments yet cannot be read',
  };

  it('says that nothing can be read when there is no room to make it', async () => {
    await opened.close();
    Reader.build = () => Promise.reject(new EngineError('storage', 'No space left on device'));
    opened = await openStore(directory());
    expect(await rejection(opened.store.snapshot())).to.include(unreadable);
  });

  it('says so when neither disk nor memory has room for buffered rows', async () => {
    await opened.insert('e', { id: 'a' });
    Reader.prototype.writeRows = () => Promise.reject(new EngineError('storage', 'No space left'));
    Reader.prototype.keepRows = function () {
      this.failed = true;
      return Promise.reject(new EngineError('memory', 'Out of Memory'));
    };
    const readers: Reader[] = [];
    Reader.build = async (settings) => {
      const reader = await build(settings);
      readers.push(reader);
      return reader;
    };
    for (let n = 0; n < 2; n++)
      expect(await rejection(opened.store.snapshot())).to.include(unreadable);
    expect(readers.length).to.be.greaterThan(1);
    await waitUntil('failed readers are closed', async () =>
      (await Promise.all(readers.slice(0, -1).map(isReaderClosed))).every(Boolean),
    );
  });
});

describe('after a failure of the engine', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  const openDatabase = Database.open.bind(Database);

  beforeEach(async () => {
    opened = await openStore(directory());
    await opened.insert('e', { id: 'a', input: { first: 1 } });
    await opened.store.flush();
    await opened.close();
    // Nothing of the segment is in memory.
    opened = await openStore(directory());
  });
  afterEach(async () => {
    Reader.prototype.connect = connect;
    Database.open = openDatabase;
    await opened.close();
  });

  const failed = {
    status: 503,
    message: 'the database engine failed and is replaced: try again',
    headers: { 'Retry-After': '5' },
  };
  const damaged = {
    status: 503,
    message: 'the segment project_id=project/00000003 is missing or damaged',
  };
  // The engine repeats the error that invalidated the instance.
  const invalidated =
    'FATAL Error: database has been invalidated: Original error: "segments/project_id=project/00000003.parquet"';

  /** Makes the next instance reject all statements; returns a function that tells whether it is closed. */
  function failNextInstance(message: string): () => boolean {
    let closed = false;
    Database.open = async (...settings) => {
      Database.open = openDatabase;
      const instance = await openDatabase(...settings);
      const connectInstance = instance.connect.bind(instance);
      instance.connect = async () => {
        const connection = await connectInstance();
        connection.read = () => Promise.reject(new EngineError('fatal', message));
        return connection;
      };
      const close = instance.close.bind(instance);
      instance.close = async () => {
        const isReleased = await close();
        closed = true;
        return isReleased;
      };
      return instance;
    };
    return () => closed;
  }

  const cases = { 'says so': failed, 'names the segment': damaged } as const;
  for (const [what, expected] of Object.entries(cases))
    it(`an insert ${what} once`, async () => {
      const isClosed = failNextInstance(
        expected === damaged ? invalidated : 'FATAL Error: provoked',
      );
      const merge = () => opened.insert('e', { id: 'a', _is_merge: true, input: { second: 2 } });
      expect(await rejection(merge())).to.deep.include(expected);
      await merge();
      expect(await opened.live('e')).to.deep.equal({ a: { first: 1, second: 2 } });
      await waitUntil('the instance is closed', async () => isClosed());
    });

  it('look-ups that still run in the instance fail, and later ones have another one', async () => {
    const engine = new LookupEngine({
      memoryMb: 64,
      temporaryDirectory: directory(),
      segmentDirectory: directory(),
    });
    const running = rejection(engine.use((connection) => connection.read(endless)));
    const fatal = new EngineError('fatal', 'FATAL Error: provoked');
    expect(await rejection(engine.use(() => Promise.reject(fatal)))).to.equal(fatal);
    expect(
      await engine.use((connection) => connection.read(sql`SELECT 1::BIGINT AS n`)),
    ).to.deep.equal([{ n: 1n }]);
    expect(await running).to.include({
      kind: 'fatal',
      message: 'the instance for look-ups failed',
    });
    await engine.close();
  });

  it('a read says so once', async () => {
    Reader.prototype.connect = async function (size) {
      Reader.prototype.connect = connect;
      const connection = await connect.call(this, size);
      connection.stream = async function* () {
        yield await Promise.reject(new EngineError('fatal', 'FATAL Error: provoked'));
      };
      return connection;
    };
    expect(await rejection(opened.live('e'))).to.deep.include(failed);
    expect(await opened.live('e')).to.deep.equal({ a: { first: 1 } });
  });
});
