// Pages of the newest rows beside inserts and flushes, and what is left to queries.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { LogFile } from '../../src/store/log/log-file.js';
import type { NewestRows } from '../../src/store/read/direct/newest-reads.js';
import { areEvicted } from '../support/evicted-segments.js';
import { openStore, storages, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const objectId = 'e1';
const versions = 60;

const first = (count: number): NewestRows => ({ unit: 'rows', count });
const traces = (count: number): NewestRows => ({ unit: 'traces', count });

const rows = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, ...more }));

describe('reads of the newest rows', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  afterEach(() => opened.close());

  async function page(wanted: NewestRows) {
    const found = await opened.store.newest(objectId, wanted, '');
    return found === null ? null : [found.hasMore, ...found.rows.map(({ id }) => id)];
  }

  /** Reads the page again when a publication in the background intervened. */
  async function pageEventually(wanted: NewestRows) {
    for (;;) {
      const found = await page(wanted);
      if (found !== null) return found;
      await setImmediate();
    }
  }

  for (const [where, options] of Object.entries(storages))
    describe(where, () => {
      beforeEach(async () => {
        opened = await openStore(directory(), options);
      });

      it('are in page order, without rows that were changed, moved or deleted since', async () => {
        expect(await pageEventually(first(2))).to.deep.equal([false]);
        await opened.insert('e2', { id: 'z' }, { id: 'y' });
        const old = ['c', 'a', 'e', 'd', 'b'].map((id) => ({ id, root_span_id: `t ${id}` }));
        await opened.insert(objectId, ...old);
        await opened.insert(objectId, { id: 'e', _object_delete: true });
        await opened.insert(objectId, { id: 'd', root_span_id: 't a', input: 2 });
        if (options.flushRows === 1) await opened.store.flush();
        await opened.insert(objectId, { id: 'b', _object_delete: true });
        expect(await pageEventually(first(1))).to.deep.equal([true, 'd']);
        expect(await pageEventually(first(3))).to.deep.equal([false, 'd', 'c', 'a']);
        expect(await pageEventually(first(2))).to.deep.equal([true, 'd', 'c']);
        expect(await pageEventually(traces(1))).to.deep.equal([true, 'd']);
        expect(await pageEventually(traces(2))).to.deep.equal([false, 'd', 'c', 'a']);
      });

      it('leave more than 500 rows, and more than a megabyte of text, to queries', async () => {
        await opened.insert(objectId, ...rows(501, { root_span_id: 'many' }));
        await opened.insert(objectId, { id: 'l1', root_span_id: 'l', input: 'x'.repeat(600_000) });
        if (options.flushRows === 1) await opened.store.flush();
        expect(await pageEventually(first(1))).to.deep.equal([true, 'l1']);
        expect(await pageEventually(first(2))).to.have.length(3);
        expect(await page(traces(2))).to.equal(null);
        await opened.insert(objectId, { id: 'l2', root_span_id: 'l', input: 'x'.repeat(600_000) });
        if (options.flushRows === 1) await opened.store.flush();
        expect(await page(first(2))).to.equal(null);
      });
    });

  it('leave large buffered rows to queries without reading them', async () => {
    opened = await openStore(directory(), { flushRows: 1_000_000 });
    await opened.insert(objectId, ...rows(12, { input: 'x'.repeat(2 ** 20) }));
    const read = Reflect.get<LogFile, 'read'>(LogFile.prototype, 'read');
    let bytes = 0;
    LogFile.prototype.read = function (start, length) {
      bytes += length;
      return read.call(this, start, length);
    };
    try {
      expect(await page(first(2))).to.equal(null);
    } finally {
      LogFile.prototype.read = read;
    }
    expect(bytes).to.be.lessThan(9 * 2 ** 20);
  });

  it('leave a transaction that is in several segments to queries', async () => {
    opened = await openStore(directory(), { flushRows: 1_000_000, maintenanceMemoryMb: 64 });
    const events: object[] = [];
    for (const trace of ['z', 'y']) {
      events.push({ id: `large ${trace}`, root_span_id: '0', input: 'x'.repeat(3 * 2 ** 20) });
      for (const { id } of rows(12)) events.push({ id: `${trace} ${id}`, root_span_id: trace });
    }
    await opened.insert(objectId, ...events);
    await opened.store.flush();
    expect(await page(first(2))).to.equal(null);
  });

  it('show all rows of a transaction or none while they move to segments', async () => {
    opened = await openStore(directory(), { flushRows: 4, compaction: { fanOut: 2 } });
    const { store } = opened;
    const written = { version: 0 };
    let found = 0;
    const write = async () => {
      for (; written.version < versions; written.version++) {
        const input = written.version;
        const last = input % 2 === 0 ? { input } : { _object_delete: true };
        const others = ['a', 'b', 'c'].map((id) => ({ id, input }));
        await opened.insert(objectId, ...others, { id: 'd', ...last });
      }
    };
    const read = async () => {
      while (written.version < versions) {
        // Buffered rows are found without waiting for anything.
        await setImmediate();
        const least = written.version - 1;
        const result = await store.newest(objectId, first(10), '');
        if (result === null || least < 0) continue;
        found += 1;
        const [input, ...others] = new Set(result.rows.map((row) => Number(row.input)));
        expect(others).to.deep.equal([]);
        expect(input).to.be.at.least(least);
        expect(result.rows).to.have.length(input! % 2 === 0 ? 4 : 3);
      }
    };
    await Promise.all([write(), read(), read()]);
    // Hardly any read finds rows if an eviction comes before each.
    if (!areEvicted) expect(found).to.be.above(5);
  });
});
