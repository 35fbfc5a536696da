// What a store does when nothing comes any more: rows go to segments, and memory is given back.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { ThreadDatabase } from '../../src/duckdb/thread-database.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const large = 'x'.repeat(2 ** 20);

describe('a store at rest', () => {
  const directory = temporaryDirectory();
  const close = Reflect.get<ThreadDatabase, 'close'>(ThreadDatabase.prototype, 'close');
  const ended: string[] = [];

  beforeEach(() => {
    ended.length = 0;
    ThreadDatabase.prototype.close = async function (thread) {
      await close.call(this, thread);
      ended.push(String(thread));
    };
  });
  afterEach(() => {
    ThreadDatabase.prototype.close = close;
  });

  async function segmentFiles(): Promise<readonly string[]> {
    const names = await readdir(path.join(directory(), 'segments'), { recursive: true });
    return names.filter((name) => name.endsWith('.idx'));
  }

  it('moves rows to a segment when they are not few and no more come', async () => {
    const opened = await openStore(directory(), { idleSeconds: 0.01 });
    await opened.insert('e', { id: 'few' });
    for (let n = 0; n < 9; n++) await opened.insert('e', { id: `${n}`, input: large });
    await waitUntil('they are in a segment', async () => (await segmentFiles()).length > 0);
    expect(Object.keys(await opened.live('e'))).to.have.length(10);
    await opened.close();
  });

  it('moves what an earlier process buffered in its time, though nothing comes', async () => {
    const before = await openStore(directory());
    await before.insert('e', { id: 'a' });
    await before.close();
    const opened = await openStore(directory(), { flushSeconds: 0.01 });
    await waitUntil('it is in a segment', async () => (await segmentFiles()).length === 1);
    expect(await opened.live('e')).to.deep.equal({ a: null });
    await opened.close();
  });

  it('ends the instance that writes segments, and opens another for the next one', async () => {
    const opened = await openStore(directory(), { maintenanceIdleMs: 1 });
    for (let round = 1; round <= 2; round++) {
      await opened.insert('e', { id: `${round}` });
      await opened.store.flush();
      await waitUntil('the instance is closed', () => ended.length === round);
    }
    expect(ended).to.deep.equal(['terminated', 'terminated']);
    expect(await opened.live('e')).to.deep.equal({ 1: null, 2: null });
    await opened.close();
  });

  it('replaces the instance that writes segments after ten uses, though it is never idle', async () => {
    const opened = await openStore(directory(), { maintenanceIdleMs: 60_000 });
    for (let round = 1; round <= 15; round++) {
      await opened.insert('e', { id: `${round}` });
      await opened.store.flush();
    }
    expect(ended).to.deep.equal(['kept']);
    expect(Object.keys(await opened.live('e'))).to.have.length(15);
    await opened.close();
  });
});
