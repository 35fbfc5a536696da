// Whatever is accepted can be written to segments under the memory limits; what a process with more memory accepted is, too.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { logDirectory, logFile } from '../../src/store/log/event-log.js';
import { inspectLog } from '../../src/store/log/read-log.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { StoreHooks } from '../../src/store/event-store.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

type Oversized = Parameters<NonNullable<StoreHooks['oversized']>>[0];

const megabyte = 2 ** 20;

/** Under which an event may have 8 MB. */
const memory = { writerMemoryMb: 64, maintenanceMemoryMb: 256, flushRows: 1_000_000 };

const textOf = (id: string, bytes: number): string =>
  `${id} ${'0123456789abcdef'.repeat(bytes / 16)}`.slice(0, bytes);

describe('large events', () => {
  const directory = temporaryDirectory();
  let failures: unknown[];
  let oversized: Oversized[];
  let opened: TestStore;

  const open = async (options: Parameters<typeof openStore>[1] = {}): Promise<void> => {
    failures = [];
    oversized = [];
    opened = await openStore(directory(), {
      ...memory,
      ...options,
      hooks: {
        failed: (error) => failures.push(error),
        oversized: (row) => oversized.push(row),
      },
    });
  };

  const texts = async (): Promise<Readonly<Record<string, string>>> =>
    (await opened.live('e')) as Readonly<Record<string, string>>;

  /** Nothing is left in the log, and all files are as they should be. */
  async function isFlushed(): Promise<void> {
    expect(failures).to.deep.equal([]);
    const generations = await opened.writer.read(sql`SELECT source FROM buffer_generation`);
    expect(generations).to.have.length(1);
    await opened.close();
    const active = Number(generations[0]!['source']);
    const log = logFile(logDirectory(directory()), active);
    expect(await inspectLog(log, active)).to.deep.include({ rows: 0, damage: null });
    expect(await checkStore(directory())).to.deep.equal([]);
  }

  it('are flushed, however many come together, also after a restart', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `e${index}`);
    const events = ids.map((id) => ({ id, input: textOf(id, 7.5 * megabyte) }));
    const insert = async (from: number, to: number) => {
      for (let first = from; first < to; first += 2)
        await opened.insert('e', ...events.slice(first, first + 2));
    };
    await open({ writerMemoryMb: 192 });
    await insert(0, 8);
    await opened.close();
    await open({ writerMemoryMb: 192 });
    await insert(8, 12);
    const before = await texts();
    for (const { id, input } of events) expect(before[id] === input).to.equal(true);
    await opened.store.flush();
    const after = await texts();
    for (const { id, input } of events) expect(after[id] === input).to.equal(true);
    await isFlushed();
  });

  it('above the limit are refused with their place, id and size, and nothing of the request is stored', async () => {
    await open();
    const error = await rejection(
      opened.insert('e', { id: 'small' }, { id: 'large', input: textOf('a', 8 * megabyte) }),
    );
    expect(error).to.include({
      status: 400,
      message: 'events[1]: the event "large" has 8.01 MB, the limit is 8 MB',
    });
    expect(await texts()).to.deep.equal({});
    await opened.close();
  });

  it('may not grow above the limit by merges, step by step, as buffered rows and in segments', async () => {
    await open();
    for (const step of ['a', 'b', 'c'])
      await opened.insert('e', {
        id: 'grown',
        _is_merge: true,
        input: 'first',
        metadata: { [step]: textOf(step, 2.5 * megabyte) },
      });
    for (const place of ['the log', 'a segment']) {
      const error = await rejection(
        opened.insert(
          'e',
          { id: 'other' },
          { id: 'grown', _is_merge: true, input: 'last', metadata: { d: textOf('d', megabyte) } },
        ),
      );
      expect(error, place).to.include({
        status: 400,
        message: 'events[1]: the event "grown" has 8.51 MB after the merge, the limit is 8 MB',
      });
      expect(await texts()).to.deep.equal({ grown: 'first' });
      await opened.store.flush();
    }
    await opened.insert('e', { id: 'grown', _is_merge: true, input: 'second' });
    expect(await texts()).to.deep.equal({ grown: 'second' });
    await opened.store.flush();
    await isFlushed();
  });

  it('that a process with more memory accepted are written with as much memory as they need', async () => {
    await open({ writerMemoryMb: 1024, maintenanceMemoryMb: 2048 });
    const large = textOf('large', 100 * megabyte);
    await opened.insert('e', { id: 'a', input: 'a' }, { id: 'large', input: large });
    await opened.insert('e', { id: 'b', input: 'b' });
    await opened.close();
    await open();
    await opened.insert('e', { id: 'c', input: 'c' });
    await opened.store.flush();
    const found = oversized.find(({ row }) => row === 1);
    expect(found?.bytes).to.be.at.least(large.length);
    const { large: kept, ...others } = await texts();
    expect(kept === large).to.equal(true);
    expect(others).to.deep.equal({ a: 'a', b: 'b', c: 'c' });
    await isFlushed();
  });
});
