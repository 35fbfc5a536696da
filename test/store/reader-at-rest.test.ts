// A reader that nobody asks for takes up large inserts later, from disk: what it shows then has to be the same.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { WriteBuffer } from '../../src/store/commit/write-buffer.js';
import { gapBetween } from '../../src/store/read/buffer-gap.js';
import { Reader } from '../../src/store/read/reader.js';
import { emptyGeneration, type StoreState } from '../../src/store/store-state.js';
import { openStore, storages } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

/** Longer than a reader that was asked for is kept up. */
const pauseMs = 60_000;

const diskFull = new EngineError('storage', 'No space left on device');

const many = (rows: number, of: object = {}) =>
  Array.from({ length: rows }, (_, n) => Object.assign({ id: `${n}` }, of));

describe('a reader that nobody asks for', () => {
  const directory = temporaryDirectory();
  const apply = Reflect.get<Reader, 'apply'>(Reader.prototype, 'apply');
  const catchUp = Reflect.get<Reader, 'catchUp'>(Reader.prototype, 'catchUp');
  const build = Reader.build.bind(Reader);
  const write = Reflect.get<WriteBuffer, 'export'>(WriteBuffer.prototype, 'export');
  let hasRoom: boolean;
  let applied: number;
  let caughtUp: number;
  let built: number;

  beforeEach(() => {
    applied = caughtUp = built = 0;
    hasRoom = true;
    WriteBuffer.prototype.export = function (...given) {
      return hasRoom ? write.apply(this, given) : Promise.reject(diskFull);
    };
    Reader.build = (...given) => {
      built += 1;
      return build(...given);
    };
    Reader.prototype.apply = function (changes) {
      applied += changes.reduce((rows, { rowCount }) => rows + rowCount, 0);
      return apply.call(this, changes);
    };
    Reader.prototype.catchUp = function (...given) {
      caughtUp += 1;
      return catchUp.apply(this, given);
    };
  });
  afterEach(() => {
    Object.assign(Reader.prototype, { apply, catchUp });
    WriteBuffer.prototype.export = write;
    Reader.build = build;
  });

  it('takes up large inserts, and what follows them, once it is asked', async () => {
    const opened = await openStore(directory());
    await opened.insert('e', ...many(300, { input: 1 }));
    await opened.insert('e', { id: '7', input: { merged: true }, _is_merge: true });
    await opened.insert('e', { id: '8', _object_delete: true });
    expect(applied).to.equal(0);
    const live = await opened.live('e');
    expect(Object.keys(live)).to.have.length(299);
    expect(live)
      .to.include({ 6: 1 })
      .and.to.deep.include({ 7: { merged: true } });
    await opened.close();
  });

  it('is kept up with every insert after it was asked', async () => {
    const opened = await openStore(directory());
    await opened.insert('e', { id: 'first' });
    await opened.live('e');
    applied = caughtUp = 0;
    await opened.insert('e', ...many(300));
    expect(Object.keys(await opened.live('e'))).to.have.length(301);
    expect({ applied, caughtUp }).to.deep.equal({ applied: 300, caughtUp: 0 });
    await opened.close();
  });

  it('takes up what waits when no more comes', async () => {
    let now = Date.now();
    const opened = await openStore(directory(), { now: () => now });
    await opened.live('e');
    now += pauseMs;
    caughtUp = 0;
    await opened.insert('e', ...many(300));
    await waitUntil('the reader takes up the rows', () => caughtUp === 1);
    await opened.close();
  });

  it('takes up many small inserts later, as it does large ones', async () => {
    const now = Date.now();
    const opened = await openStore(directory(), { now: () => now, copyDelayMs: 0 });
    for (let round = 0; round < 13; round++) await opened.insert('e', ...many(20));
    const before = applied;
    for (let round = 0; round < 10; round++) await opened.insert('e', ...many(20));
    expect(applied).to.equal(before);
    expect(Object.keys(await opened.live('e'))).to.have.length(20);
    await opened.close();
  });

  it('takes up rows by way of memory when the disk has no room for files', async () => {
    const opened = await openStore(directory());
    await opened.insert('e', ...many(3000, { input: 1 }));
    await opened.insert('e', { id: '7', input: 2 });
    hasRoom = false;
    const live = await opened.live('e');
    expect(Object.keys(live)).to.have.length(3000);
    expect(live).to.include({ 6: 1, 7: 2 });
    expect({ caughtUp, built }).to.deep.equal({ caughtUp: 1, built: 1 });
    await opened.close();
  });

  it('says that nothing can be read when there is no room to make it', async () => {
    Reader.build = () => Promise.reject(diskFull);
    const opened = await openStore(directory());
    const refusal = await rejection(opened.store.snapshot());
    expect(refusal).to.include({
      status: 503,
      message:
        'the storage is full or cannot be written: events that are not in segments yet cannot be read',
    });
    await opened.close();
  });

  it('takes up what an earlier process buffered once it is asked', async () => {
    const before = await openStore(directory());
    await before.insert('e', ...many(3));
    await before.close();
    const opened = await openStore(directory());
    const atStart = built;
    await opened.store.mint();
    expect({ applied, caughtUp, built: atStart }).to.deep.equal({
      applied: 0,
      caughtUp: 0,
      built: 2,
    });
    expect(Object.keys(await opened.live('e'))).to.have.length(3);
    expect({ caughtUp, built }).to.deep.equal({ caughtUp: 1, built: 2 });
    await opened.close();
  });

  for (const [where, storage] of Object.entries(storages))
    it(`shows what one shows that is kept up, rows ${where}`, async () => {
      let run = 0;
      const step = fc.record({
        first: fc.nat(400),
        rows: fc.constantFrom(1, 3, 300),
        kind: fc.constantFrom({}, { _is_merge: true }, { _object_delete: true }),
        after: fc.constantFrom('go on', 'flush', 'read', 'read'),
        pause: fc.boolean(),
        room: fc.boolean(),
      });
      const property = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        let now = Date.now();
        const options = { ...storage, now: () => now };
        const opened = await openStore(`${directory()}/${where}-${++run}`, options);
        const expected = new Map<string, unknown>();
        for (const [input, { first, rows, kind, after, pause, room }] of steps.entries()) {
          const ids = Array.from({ length: rows }, (_, n) => `${(first + n) % 500}`);
          await opened.insert('e', ...ids.map((id) => ({ id, input, ...kind })));
          for (const id of ids)
            if ('_object_delete' in kind) expected.delete(id);
            else expected.set(id, input);
          hasRoom = room;
          if (after === 'flush') await opened.store.flush();
          if (after === 'read')
            expect(await opened.live('e')).to.deep.equal(Object.fromEntries(expected));
          if (pause) now += pauseMs;
        }
        expect(await opened.live('e')).to.deep.equal(Object.fromEntries(expected));
        await opened.close();
        expect(built).to.equal(run);
      });
      await fc.assert(property, { numRuns: 4 });
    });
});

describe('what a reader lacks', () => {
  const shown = {
    lastXactId: 10n,
    sealed: [],
    active: { ...emptyGeneration(1, 0n), rowCount: 5 },
    segments: [],
  } as unknown as StoreState;

  it('is the new rows of the generations that it knows, and all of the others', () => {
    const wanted: StoreState = {
      ...shown,
      lastXactId: 20n,
      sealed: [{ ...shown.active, rowCount: 7 }],
      active: { ...emptyGeneration(2, 15n), rowCount: 3 },
    };
    expect(gapBetween(shown, wanted)).to.deep.equal({
      newGenerations: [2],
      rows: [
        { source: 1, firstRow: 5, rowCount: 7 },
        { source: 2, firstRow: 0, rowCount: 3 },
      ],
      knownSources: [1],
      newSources: [2],
      after: 10n,
      upTo: 20n,
    });
  });

  it('is whatever superseded rows of a new segment, also before', () => {
    const wanted = { ...shown, segments: [{ source: 3 }] } as unknown as StoreState;
    expect(gapBetween(shown, wanted))
      .to.include({ after: 10n })
      .and.to.deep.include({
        rows: [],
        newSources: [3],
      });
  });
});
