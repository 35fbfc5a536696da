// Purged projects: their segments are removed for good, and nothing else is.
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import type { PurgedSegment } from '../../src/store/maintenance/maintenance.js';
import type { MovedFile } from '../../src/store/recovery/obsolete-files.js';
import { copyRunning } from '../support/copy-running.js';
import { decodeEvents } from '../support/decode-events.js';
import { experiment, openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const byHand = { flushRows: 1_000_000, segments: { narrowRowsMin: 1 } };

describe('a purged project', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let purged: PurgedSegment[];
  let setAside: MovedFile[];

  async function open(options: Partial<EventStoreOptions> = {}, to = 'data'): Promise<void> {
    [purged, setAside] = [[], []];
    const hooks = {
      ...options.hooks,
      purged: (segment: PurgedSegment) => void purged.push(segment),
      setAside: (file: MovedFile) => void setAside.push(file),
    };
    opened = await openStore(path.join(directory(), to), { ...byHand, ...options, hooks });
  }

  beforeEach(() => open());
  afterEach(() => opened.close());

  /** An event of the project that is purged. */
  const insertUnwanted = (event: object) =>
    opened.store.insert([
      {
        object: { ...experiment('unwanted'), projectId: 'unwanted' },
        events: decodeEvents('experiment', JSON.stringify({ events: [event] })),
      },
    ]);

  const folder = (projectId: string, to = 'data') =>
    path.join(directory(), to, 'segments', `project_id=${projectId}`);

  const sources = async (): Promise<readonly number[]> =>
    (await opened.writer.read(sql`SELECT source FROM segment ORDER BY source`)).map(
      ({ source }) => source as number,
    );

  /** Rows of both projects in segments. A row of each was superseded after its segment was written. */
  async function fill(): Promise<void> {
    await opened.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 1 });
    await insertUnwanted({ id: 'a', input: 1 });
    await opened.store.flush();
    await opened.insert('e', { id: 'a', input: 2 });
    await insertUnwanted({ id: 'a', input: 2 });
    await opened.store.flush();
  }

  const kept = { a: 2, b: 1 };

  it('has no rows, files or directory, also after a restart', async () => {
    await fill();
    opened.store.purge(['unwanted', 'unknown']);
    await opened.store.flush();
    expect(purged.map(({ projectId, rows }) => [projectId, rows])).to.deep.equal([
      ['unwanted', 1],
      ['unwanted', 1],
    ]);
    expect(existsSync(folder('unwanted'))).to.equal(false);
    expect([...opened.store.stats().projects.keys()]).to.deep.equal(['project']);
    for (const begin of [() => Promise.resolve(), restart]) {
      await begin();
      expect(await opened.live('e')).to.deep.equal(kept);
      expect(await opened.live('unwanted')).to.deep.equal({});
    }
    expect(setAside).to.deep.equal([]);
    await opened.close();
    expect(await checkStore(path.join(directory(), 'data'))).to.deep.equal([]);
    await open();
  });

  async function restart(): Promise<void> {
    await opened.close();
    await open();
  }

  it('leaves its buffered rows to the next purge after their flush', async () => {
    await insertUnwanted({ id: 'a' });
    opened.store.purge(['unwanted']);
    await opened.store.flush();
    expect(purged).to.deep.equal([]);
    opened.store.purge(['unwanted']);
    await opened.store.flush();
    expect(purged).to.have.lengthOf(1);
  });

  it('is readable in a snapshot that was taken before', async () => {
    await fill();
    const snapshot = await opened.store.snapshot();
    opened.store.purge(['unwanted']);
    await opened.store.flush();
    expect(await opened.live('unwanted', snapshot)).to.deep.equal({ a: 2 });
    expect(existsSync(folder('unwanted'))).to.equal(true);
    await snapshot.release();
    await waitUntil('the directory is removed', () => !existsSync(folder('unwanted')));
  });

  it('never gives the numbers of its segments to others', async () => {
    await opened.close();
    await open({ compaction: { fanOut: 2 } }, 'merged');
    await insertUnwanted({ id: 'a' });
    await opened.store.flush();
    await insertUnwanted({ id: 'b' });
    await opened.store.flush();
    const [merged] = await sources();
    opened.store.purge(['unwanted']);
    await opened.store.flush();
    expect(await sources()).to.deep.equal([]);
    for (let start = 0; start < 2; start += 1) {
      await opened.close();
      await open({}, 'merged');
    }
    await opened.insert('e', { id: 'a' });
    await opened.store.flush();
    expect((await sources()).every((source) => source > merged!)).to.equal(true);
    expect(await opened.writer.read(sql`FROM dropped_segment`)).to.have.lengthOf(1);
    await opened.close();
    await open({}, 'merged');
    expect(await opened.writer.read(sql`FROM dropped_segment`)).to.deep.equal([]);
  });

  it('is gone after a crash between its removal from the manifest and that of its files', async () => {
    await fill();
    await opened.close();
    let left = 1;
    const reached = async (step: SyncPoint) => {
      if (step === 'published' && left-- === 1)
        await copyRunning(path.join(directory(), 'data'), path.join(directory(), 'crashed'));
    };
    await open({ hooks: { reached } });
    opened.store.purge(['unwanted']);
    await opened.store.flush();
    await opened.close();
    expect(existsSync(folder('unwanted', 'crashed'))).to.equal(true);
    expect(await checkStore(path.join(directory(), 'crashed'))).to.deep.equal([]);
    await open({}, 'crashed');
    expect(existsSync(folder('unwanted', 'crashed'))).to.equal(false);
    expect(await opened.live('e')).to.deep.equal(kept);
    expect(await opened.live('unwanted')).to.deep.equal({});
    expect(setAside).to.deep.equal([]);
  });
});
