// The history of a number of days: versions since then are whole, and what only older ones need leaves the disk.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import { feedbackObjectId } from '../../src/schema/feedback.js';
import { eventsFile } from '../support/events-file.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const never = new AbortController().signal;

const days = (count: number | null, whole: readonly string[] = []): Partial<EventStoreOptions> => ({
  history: { days: count, keepsAll: (id) => whole.includes(id) },
});

describe('a history of days', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let now = start;

  const open = async (options: Partial<EventStoreOptions> = {}) => {
    opened = await openStore(directory(), {
      flushRows: 1_000_000,
      compaction: { fanOut: 3 },
      segments: { narrowRowsMin: 1 },
      now: () => now,
      ...options,
    });
  };

  beforeEach(() => (now = start));
  afterEach(() => opened.close());

  /** The rows of all segments. */
  async function stored(): Promise<readonly string[]> {
    const files = await opened.writer.read(
      sql`SELECT id || ' ' || coalesce(input, 'deleted') AS text
        FROM read_parquet(${`${directory()}/segments/project_id=*/*.parquet`}, union_by_name = true)
        WHERE NOT contains(filename, 'superseded') ORDER BY text`,
    );
    return files.map(({ text }) => String(text));
  }

  const live = async (version: bigint | null, objectId = 'e') => {
    const snapshot = await opened.store.snapshot(version);
    const rows = await opened.live(objectId, snapshot);
    await snapshot.release();
    return rows;
  };

  async function fill(): Promise<readonly bigint[]> {
    const versions: bigint[] = [];
    for (const events of [
      [
        { id: 'a', input: 1 },
        { id: 'b', input: 1 },
        { id: 'c', input: 1 },
      ],
      [
        { id: 'a', input: 2 },
        { id: 'b', _object_delete: true },
      ],
      [{ id: 'a', input: 3 }],
    ]) {
      versions.push(await opened.insert('e', ...events));
      await opened.insert('whole', ...events);
      now += dayMs;
      await opened.store.flush();
    }
    return versions;
  }

  it('keeps every version by default', async () => {
    await open();
    await fill();
    expect(opened.store.historyFrom('e')).to.equal(0n);
    expect(await stored()).to.have.lengthOf(12);
  });

  it('lets superseded rows and tombstones leave, but not those of objects that keep all', async () => {
    await open(days(0, ['whole']));
    const versions = await fill();
    await opened.store.flush();
    const ofWhole = ['a 1', 'a 2', 'a 3', 'b 1', 'b deleted', 'c 1'];
    expect(await stored()).to.deep.equal([...ofWhole, 'a 3', 'c 1'].toSorted());
    expect(opened.store.historyFrom('whole')).to.equal(0n);
    expect(opened.store.historyFrom('e') > versions[2]!).to.equal(true);
    expect(await live(null)).to.deep.equal({ a: 3, c: 1 });
    expect(await live(versions[0]! + 1n, 'whole')).to.deep.equal({ a: 1, b: 1, c: 1 });
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
    // What has left does not come back with another setting.
    await open(days(null));
    expect(opened.store.historyFrom('e') > versions[1]!).to.equal(true);
    await opened.insert('e', { id: 'b', input: 4 });
    expect(await live(null)).to.deep.equal({ a: 3, b: 4, c: 1 });
  });

  it('keeps a tombstone while an older segment has a version of its event', async () => {
    await open({ ...days(0), compaction: { fanOut: 100 } });
    const many = Array.from({ length: 20 }, (_, index) => ({ id: `${index}`, input: index }));
    await opened.insert('e', ...many);
    await opened.store.flush();
    await opened.insert('e', { id: '0', _object_delete: true }, { id: 'new', input: 0 });
    now += dayMs;
    await opened.store.flush();
    expect(await stored()).to.include.members(['0 0', '0 deleted']);
    await opened.insert('e', ...many.slice(1, 6).map(({ id }) => ({ id, _object_delete: true })));
    now += dayMs;
    await opened.store.flush();
    expect((await stored()).filter((text) => /^[0-5] /.test(text))).to.deep.equal([]);
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
    await open();
  });

  it('keeps a tombstone of an object with feedback', async () => {
    await open(days(0));
    await opened.insert(feedbackObjectId('e'), { id: 'f', input: 0 });
    await fill();
    expect(await stored())
      .to.include('b deleted')
      .and.not.to.include('b 1');
  });
});

type Rows = Readonly<Record<string, number>>;

const without = (rows: Rows, ids: readonly string[]): Rows =>
  Object.fromEntries(Object.entries(rows).filter(([id]) => !ids.includes(id)));

describe('random histories of days, with removals', () => {
  const directory = temporaryDirectory();

  it('have every version that is kept', async () => {
    let run = 0;
    const write = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      input: fc.option(fc.nat(9), { freq: 3 }),
    });
    const step = fc.record({
      writes: fc.array(write, { minLength: 1, maxLength: 4 }),
      /** The events that are removed after the writes. */
      removes: fc.subarray(['a', 'b', 'c'], { maxLength: 2 }),
      flushes: fc.boolean(),
      restarts: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      days: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const path = `${directory()}/${++run}`;
        let now = start;
        const open = () =>
          openStore(path, {
            flushRows: 1_000_000,
            compaction: { fanOut: 2 },
            segments: { narrowRowsMin: 1 },
            now: () => now,
            history: { days: 3, keepsAll: () => false },
          });
        let opened = await open();
        let state: Rows = {};
        let states: (readonly [bigint, Rows])[] = [];
        for (const { writes, removes, flushes, restarts, days } of steps) {
          const events = writes.map(({ id, input }) =>
            input === null ? { id, _object_delete: true } : { id, input },
          );
          for (const { id, input } of writes) {
            state = input === null ? without(state, [id]) : { ...state, [id]: input };
          }
          states.push([await opened.insert('e', ...events), state]);
          if (removes.length > 0) {
            await opened.store.remove('project', await eventsFile(opened, path, removes), never);
            state = without(state, removes);
            states = states.map(([version, rows]) => [version, without(rows, removes)] as const);
          }
          now += days * dayMs;
          if (flushes) await opened.store.flush();
          if (restarts) {
            await opened.close();
            opened = await open();
          }
          const from = opened.store.historyFrom('e');
          for (const [version, expected] of states)
            if (version >= from || version === states.at(-1)![0]) {
              const snapshot = await opened.store.snapshot(version);
              expect(await opened.live('e', snapshot)).to.deep.equal(expected);
              await snapshot.release();
            }
        }
        await opened.close();
        expect(await checkStore(path)).to.deep.equal([]);
      }),
      { numRuns: 3 },
    );
  });
});
