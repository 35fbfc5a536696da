// Readers that cannot be made or filled: what reads answer then, and that nothing of the readers is left.
import { expect } from 'chai';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { ThreadDatabase } from '../../src/duckdb/thread-database.js';
import { Reader } from '../../src/store/read/reader.js';
import { openStore, storeIn, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const connect = Reflect.get<Reader, 'connect'>(Reader.prototype, 'connect');
const writeRows = Reflect.get<Reader, 'writeRows'>(Reader.prototype, 'writeRows');
const keepRows = Reflect.get<Reader, 'keepRows'>(Reader.prototype, 'keepRows');
const build = Reader.build.bind(Reader);

async function isClosed(reader: Reader): Promise<boolean> {
  try {
    reader.disconnect(await connect.call(reader, 'any'));
    return false;
  } catch {
    return true;
  }
}

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

  for (const [failing, size] of ['any', 'small'].entries())
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
      (await Promise.all(readers.slice(0, -1).map(isClosed))).every(Boolean),
    );
  });
});
