import { expect } from 'chai';
import type { RefusedEvents } from '../../src/event/refused-events.js';
import { sql } from '../../src/duckdb/sql.js';
import { decodeEvents } from '../support/decode-events.js';
import {
  allRows,
  experiment,
  openStore,
  storages,
  rowsOf,
  type TestStore,
} from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { SegmentLookup } from '../../src/store/segment/segment-lookup.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const events = (...ids: readonly string[]) =>
  decodeEvents('experiment', JSON.stringify({ events: ids.map((id) => ({ id })) }));

for (const [where, storage] of Object.entries(storages))
  describe(`inserting events, rows ${where}`, () => {
    const directory = temporaryDirectory();
    let opened: TestStore;

    beforeEach(async () => {
      opened = await openStore(directory(), storage);
    });
    afterEach(() => opened.close());

    /** Columns of the live rows of an object, ordered by id. */
    async function columns(objectId: string, list: ReturnType<typeof sql>) {
      const snapshot = await opened.store.snapshot();
      const rows = await allRows(
        snapshot,
        sql`SELECT ${list} FROM ${rowsOf(snapshot, objectId)} ORDER BY id`,
      );
      await snapshot.release();
      return rows;
    }

    it('gives back the row ids in input order and one transaction id for all batches', async () => {
      const { xactId, rowIds } = await opened.store.insert([
        { object: experiment('e1'), events: events('b', 'a', 'b') },
        { object: experiment('e2'), events: events('a') },
        { object: experiment('e1'), events: events('c') },
      ]);
      expect(rowIds).to.deep.equal([['b', 'a', 'b'], ['a'], ['c']]);
      expect(await columns('e1', sql`id, _xact_id, _position`)).to.deep.equal([
        ['a', xactId, 0],
        ['b', xactId, 1],
        ['c', xactId, 2],
      ]);
      expect(await columns('e2', sql`id, _xact_id`)).to.deep.equal([['a', xactId]]);
    });

    it('stores every column as it was sent', async () => {
      const input = { text: 'é😀\u0000', big: [1, null, { k: true }] };
      await opened.insert('e', {
        id: 'a\u0000b',
        input,
        scores: { s: 0.5 },
        tags: ['x', 'y'],
        span_id: 's',
        root_span_id: 'r',
        span_parents: ['p'],
        created: '2026-01-02T03:04:05.678901Z',
      });
      const [row] = await columns(
        'e',
        sql`id, input, output, scores, tags, span_id, root_span_id, span_parents, is_root, created, object_kind, project_id, org_id`,
      );
      expect(row).to.deep.equal([
        'a\u0000b',
        JSON.stringify(input),
        null,
        '{"s":0.5}',
        ['x', 'y'],
        's',
        'r',
        ['p'],
        false,
        1767323045678901n,
        'experiment',
        'project',
        'org',
      ]);
    });

    it('answers an empty insert without writing', async () => {
      const xactId = await opened.insert('e', { id: 'a' });
      expect(await opened.insert('e')).to.equal(xactId);
    });

    it('replaces a row that is inserted again', async () => {
      await opened.insert('e', { id: 'a', input: 1, tags: ['old'] });
      await opened.insert('e', { id: 'a', input: 2 });
      expect(await columns('e', sql`input, tags`)).to.deep.equal([['2', null]]);
    });

    it('merges into the live row, from disk and from the same group', async () => {
      await opened.insert('e', { id: 'a', input: { x: 1 }, span_id: 's' });
      await opened.close();
      opened = await openStore(directory(), storage);
      await Promise.all([
        opened.insert('e', { id: 'a', _is_merge: true, input: { y: 2 } }),
        opened.insert('e', { id: 'a', _is_merge: true, input: { z: 3 } }),
      ]);
      expect(await opened.live('e')).to.deep.equal({ a: { x: 1, y: 2, z: 3 } });
      expect(await columns('e', sql`span_id`)).to.deep.equal([['s']]);
    });

    it('deletes rows, and makes them anew', async () => {
      await opened.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 2 });
      await opened.insert('e', { id: 'a', _object_delete: true });
      await opened.insert('e', { id: 'unknown', _object_delete: true });
      expect(await opened.live('e')).to.deep.equal({ b: 2 });
      await opened.insert('e', { id: 'a', _is_merge: true, input: 3 });
      expect(await opened.live('e')).to.deep.equal({ a: 3, b: 2 });
    });

    it('takes span fields from a stored parent and refuses an unknown one', async () => {
      await opened.insert('e', { id: 'p', span_id: 'sp', root_span_id: 'root' });
      await opened.insert('e', { id: 'c', _parent_id: 'p' });
      expect((await columns('e', sql`id, root_span_id, span_parents`))[0]).to.deep.equal([
        'c',
        'root',
        ['sp'],
      ]);
      const unknown = await rejection(opened.insert('e', { id: 'd', _parent_id: 'nobody' }));
      expect(unknown).to.include({
        status: 400,
        message: 'events[0]._parent_id: no row has the id "nobody"',
      });
      await opened.insert('e', { id: 'p', _object_delete: true });
      await rejection(opened.insert('e', { id: 'd', _parent_id: 'p' }));
      expect(await opened.live('e')).to.deep.equal({ c: null });
    });

    it('refuses an event, and not what builds on its row in a segment', async () => {
      await opened.insert('e', { id: 's', input: 1 });
      await opened.store.flush();
      const orphan = { id: 's', _parent_id: 'nobody' };
      for (const next of [
        { id: 's', _is_merge: true, input: 2 },
        { id: 'c', _parent_id: 's' },
      ]) {
        const error = await rejection(opened.insert('e', orphan, next));
        expect(error.message).to.equal('events[0]._parent_id: no row has the id "nobody"');
        expect((error as RefusedEvents).refused).to.have.length(1);
      }
      expect(await opened.live('e')).to.deep.equal({ s: 1 });
    });

    it('refuses all batches when a required row is not live at the commit', async () => {
      const requiring = (id: string) =>
        opened.store.insert([
          { object: experiment('notes'), events: events('n') },
          { object: experiment('e'), events: [], required: [{ id, path: 'notes[0].id' }] },
        ]);
      const refused = { status: 400, message: 'notes[0].id: no row has the id "a"' };
      expect(await rejection(requiring('a'))).to.include(refused);
      await opened.insert('e', { id: 'a' }, { id: 'b' });
      await requiring('a');
      expect(await opened.live('notes')).to.deep.equal({ n: null });
      await opened.insert('e', { id: 'a', _object_delete: true });
      expect(await rejection(requiring('a'))).to.include(refused);
      expect(await opened.live('notes')).to.deep.equal({ n: null });
    });

    it('gives transaction ids for writes elsewhere in one order with its own', async () => {
      const ids: bigint[] = [];
      for (let step = 0; step < 5; step++)
        ids.push(await opened.insert('e', { id: 'a' }), await opened.store.issueXactId());
      expect(ids.toSorted((a, b) => (a < b ? -1 : 1))).to.deep.equal(ids);
      const snapshot = await opened.store.snapshot();
      expect(snapshot.version).to.equal(ids.at(-1));
      await snapshot.release();
      const lastXactId = ids.at(-1)! + 1_000_000_000n;
      await opened.close();
      opened = await openStore(directory(), { ...storage, lastXactId });
      expect(await opened.insert('e', { id: 'a' })).to.equal(lastXactId + 1n);
    });

    it('lists every deletion up to the version', async () => {
      const remove = { id: 'a', _object_delete: true };
      await opened.insert('e', { id: 'a' }, { id: 'b' });
      const first = await opened.insert('e', remove);
      await opened.insert('e', { id: 'a' });
      const second = await opened.insert('e', remove);
      await opened.insert('other', { id: 'a', _object_delete: true });
      const deletions = async (version?: bigint) => {
        const snapshot = await opened.store.snapshot(version);
        const query = sql`SELECT object_id, id, _xact_id FROM ${snapshot.deletions(['e'])} ORDER BY _xact_id`;
        const rows = await allRows(snapshot, query);
        await snapshot.release();
        return rows;
      };
      expect(await deletions()).to.deep.equal([
        ['e', 'a', first],
        ['e', 'a', second],
      ]);
      expect(await deletions(second - 1n)).to.deep.equal([['e', 'a', first]]);
      expect(await deletions(first - 1n)).to.deep.equal([]);
    });

    it('keeps objects apart', async () => {
      await opened.insert('e1', { id: 'a', input: 1 });
      await opened.insert('e2', { id: 'a', input: 2 });
      await opened.insert('e1', { id: 'a', _object_delete: true });
      expect(await opened.live('e1')).to.deep.equal({});
      expect(await opened.live('e2')).to.deep.equal({ a: 2 });
    });
  });

/** Does `work` while the next request waits for what it looks up in segments. */
function duringLookup(work: () => Promise<unknown>): void {
  const find = Reflect.get<SegmentLookup, 'find'>(SegmentLookup.prototype, 'find');
  SegmentLookup.prototype.find = async function (...given) {
    SegmentLookup.prototype.find = find;
    await find.apply(this, given);
    await work();
  };
}

describe('group commit', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  beforeEach(async () => {
    opened = await openStore(directory(), { now: () => 1_700_000_000_000, flushRows: 10_000 });
  });
  afterEach(() => opened.close());

  it('commits what waits together at once, each request under its own transaction id', async () => {
    let transactions = 0;
    const original = opened.writer.transaction.bind(opened.writer);
    opened.writer.transaction = (...args) => {
      transactions += 1;
      return original(...(args as Parameters<typeof original>)) as never;
    };
    const xactIds = await Promise.all(
      Array.from({ length: 100 }, (_, n) => opened.insert('e', { id: `row ${n}` })),
    );
    expect(transactions).to.be.at.most(2);
    expect(xactIds).to.deep.equal([...xactIds].sort((a, b) => Number(a - b)));
    expect(new Set(xactIds).size).to.equal(100);
    expect(Object.keys(await opened.live('e'))).to.have.length(100);
  });

  it('tells how long each commit took', async () => {
    await opened.close();
    const commits: { readonly rows: number; readonly milliseconds: number }[] = [];
    opened = await openStore(directory(), { hooks: { timed: (commit) => commits.push(commit) } });
    await opened.insert('e', { id: 'a' }, { id: 'b' });
    await opened.insert('e', { id: 'a' });
    expect(commits.map(({ rows }) => rows)).to.deep.equal([2, 1]);
    for (const { milliseconds } of commits) expect(milliseconds).to.be.greaterThan(0);
  });

  it('answers in commit order with ids that grow, also when the clock stands still and across restarts', async () => {
    const first = await opened.insert('e', { id: 'a' });
    expect(first).to.equal((0x0de1n << 48n) | (1_700_000_000n << 16n));
    expect(await opened.insert('e', { id: 'b' })).to.equal(first + 1n);
    await opened.close();
    opened = await openStore(directory(), { now: () => 1_600_000_000_000 });
    expect(await opened.insert('e', { id: 'c' })).to.equal(first + 2n);
  });

  it('refuses one request of a group and stores the others', async () => {
    const [stored, refused] = await Promise.all([
      opened.insert('e', { id: 'a', input: 1 }),
      rejection(opened.insert('e', { id: 'b', _parent_id: 'nobody' })),
      opened.insert('e', { id: 'c', input: 3 }),
    ]);
    expect(refused.message).to.match(/nobody/);
    expect(stored).to.be.a('bigint');
    expect(await opened.live('e')).to.deep.equal({ a: 1, c: 3 });
  });

  it('lets every answered insert be read at once', async () => {
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        await opened.insert('e', { id: `row ${n}`, input: n });
        expect((await opened.live('e'))[`row ${n}`]).to.equal(n);
      }),
    );
  });

  it('keeps every one of many merges that race for one id', async () => {
    await opened.insert('e', { id: 'a', input: { start: true } });
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    await Promise.all(
      numbers.map(async (n) => {
        await opened.insert('e', { id: 'a', _is_merge: true, input: { [`first ${n}`]: n } });
        await opened.insert('e', { id: 'a', _is_merge: true, input: { [`second ${n}`]: n } });
      }),
    );
    const { a } = await opened.live('e');
    expect(Object.keys(a as object)).to.have.length(121);
  });

  it('merges into what replaced the merge base while the merge was on its way', async () => {
    await opened.insert('e', { id: 'a', input: { old: 1 } });
    await opened.store.flush();
    duringLookup(async () => {
      await opened.insert('e', { id: 'a', input: { new: 2 } });
      await opened.insert('e', { id: 'b' });
    });
    await opened.insert('e', { id: 'a', _is_merge: true, input: { merged: 3 } });
    expect(await opened.live('e')).to.deep.equal({ a: { new: 2, merged: 3 }, b: null });
  });

  it('looks rows up again that were moved to segments while the request was on its way', async () => {
    await opened.insert('e', { id: 'a', input: { old: 1 } });
    duringLookup(() => opened.store.flush());
    await opened.insert(
      'e',
      { id: 'a', _is_merge: true, input: { merged: 3 } },
      { id: 'b', input: 1 },
    );
    expect(await opened.live('e')).to.deep.equal({ a: { old: 1, merged: 3 }, b: 1 });
    await opened.store.flush();
    expect(await opened.live('e')).to.deep.equal({ a: { old: 1, merged: 3 }, b: 1 });
  });

  it('refuses a request whose required row was deleted while it was on its way', async () => {
    await opened.insert('e', { id: 'a' }, { id: 'b' });
    await opened.store.flush();
    duringLookup(() => opened.insert('e', { id: 'b', _object_delete: true }));
    const merge = JSON.stringify({ events: [{ id: 'a', _is_merge: true, input: 1 }] });
    const batch = { object: experiment('e'), events: decodeEvents('experiment', merge) };
    const refused = await rejection(
      opened.store.insert([{ ...batch, required: [{ id: 'b', path: 'here' }] }]),
    );
    expect(refused).to.include({ status: 400, message: 'here: no row has the id "b"' });
    expect(await opened.live('e')).to.deep.equal({ a: null });
  });

  it('leaves nothing behind that a start would miss when it only requires rows', async () => {
    await opened.insert('e', { id: 'a' });
    const required = [{ id: 'a', path: 'here' }];
    await opened.store.insert([{ object: experiment('e'), events: [], required }]);
    await opened.close();
    opened = await openStore(directory());
    expect(await opened.live('e')).to.deep.equal({ a: null });
  });
});
