// What point reads find beside inserts and flushes, and what they leave to queries.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { areEvicted } from '../support/evicted-segments.js';
import { openStore, storages, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const objectId = 'e1';

/** How many small reads run at once. */
const turns = 8;

const versions = 60;

const byId = (...values: readonly string[]) => ({ by: 'id', values }) as const;
const byTrace = (...values: readonly string[]) => ({ by: 'root_span_id', values }) as const;

const rows = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, ...more }));

describe('point reads', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;

  afterEach(() => opened.close());

  async function idsOf(...[wanted]: [ReturnType<typeof byId> | ReturnType<typeof byTrace>]) {
    const found = await opened.store.find(objectId, wanted, '');
    return found === null ? null : found.rows.map(({ id }) => id).sort();
  }

  for (const [where, options] of Object.entries(storages))
    describe(where, () => {
      beforeEach(async () => {
        opened = await openStore(directory(), options);
      });

      it('find the latest live rows of the object, in the trace that they are in now', async () => {
        await opened.insert('e2', { id: 'a', root_span_id: 't' }, { id: 'z', root_span_id: 't' });
        await opened.insert(objectId, ...['a', 'b', 'c'].map((id) => ({ id, root_span_id: 't' })));
        await opened.insert(objectId, { id: 'b', root_span_id: 'u', input: 2 });
        await opened.insert(objectId, { id: 'c', _object_delete: true });
        await opened.insert(objectId, { id: 'd', root_span_id: 'u' });
        if (options.flushRows === 1) await opened.store.flush();
        expect(await idsOf(byTrace('t'))).to.deep.equal(['a']);
        expect(await idsOf(byTrace('u', 't', 'v'))).to.deep.equal(['a', 'b', 'd']);
        expect(await idsOf(byId('b', 'c', 'b', 'z'))).to.deep.equal(['b']);
      });

      it('leave more than 500 rows, and more than a megabyte of text, to queries', async () => {
        const large = 'x'.repeat(600_000);
        await opened.insert(objectId, ...rows(501, { root_span_id: 'many' }));
        await opened.insert(objectId, { id: 'l1', root_span_id: 'l', input: large });
        await opened.insert(objectId, { id: 'l2', root_span_id: 'l', input: large });
        if (options.flushRows === 1) await opened.store.flush();
        expect(await idsOf(byTrace('many'))).to.equal(null);
        expect(await idsOf(byId(...rows(501).map(({ id }) => id)))).to.equal(null);
        expect(await idsOf(byTrace('l'))).to.equal(null);
        expect(await idsOf(byId('l1'))).to.deep.equal(['l1']);
        expect(await idsOf(byId('l1', 'r7', 'r500'))).to.deep.equal(['l1', 'r500', 'r7']);
      });
    });

  it('leave rows that move to segments meanwhile to queries', async () => {
    opened = await openStore(directory());
    const { store } = opened;
    await opened.insert(objectId, { id: 'a' });
    await store.flush();
    await opened.insert(objectId, { id: 'b' });
    const snapshot = await store.snapshot();
    // Each has a turn until its last chunk is taken.
    const reads = Array.from({ length: turns }, () =>
      snapshot.stream(sql`SELECT 1 AS one`, { queue: 'small' }),
    );
    await Promise.all(reads.map((read) => read.next()));
    const found = idsOf(byId('a', 'b'));
    await store.flush();
    await Promise.all(reads.map((read) => read.return()));
    await snapshot.release();
    expect(await found).to.equal(null);
    expect(await idsOf(byId('a', 'b'))).to.deep.equal(['a', 'b']);
  });

  it('show all rows of a transaction or none while they move to segments', async () => {
    opened = await openStore(directory(), { flushRows: 4, compaction: { fanOut: 2 } });
    const { store } = opened;
    const written = { version: 0 };
    const write = async () => {
      for (; written.version < versions; written.version++)
        await opened.insert(
          objectId,
          ...['a', 'b', 'c'].map((id) => ({ id, root_span_id: 't', input: written.version })),
        );
    };
    let found = 0;
    const read = async () => {
      while (written.version < versions) {
        // Buffered rows are found without waiting for anything.
        await setImmediate();
        const least = written.version - 1;
        const inputs = await store
          .find(objectId, byTrace('t'), '')
          .then((result) => result?.rows.map(({ input }) => Number(input)));
        if (inputs === undefined || least < 0) continue;
        found += 1;
        expect(inputs).to.have.length(3);
        expect(new Set(inputs)).to.have.property('size', 1);
        expect(inputs[0]).to.be.at.least(least);
      }
    };
    await Promise.all([write(), read(), read()]);
    // Hardly any read finds rows if an eviction comes before each.
    if (!areEvicted) expect(found).to.be.above(5);
  });
});
