import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { sql } from '../../src/duckdb/sql.js';
import { decodeEvents } from '../support/decode-events.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { bytesOf } from '../support/bytes-of.js';
import {
  allRows,
  experiment,
  openStore,
  storages,
  rowsOf,
  type TestStore,
} from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const tombstones = async (snapshot: Snapshot) =>
  (await allRows(snapshot, snapshot.tombstoned(['e', 'other']))).map((row) => row.join('/')).sort();

for (const [where, storage] of Object.entries(storages))
  describe(`snapshots, rows ${where}`, () => {
    const directory = temporaryDirectory();
    let opened: TestStore;

    beforeEach(async () => {
      opened = await openStore(directory(), storage);
    });
    afterEach(() => opened.close());

    async function liveAt(version: bigint) {
      const snapshot = await opened.store.snapshot(version);
      const rows = await opened.live('e', snapshot);
      await snapshot.release();
      return rows;
    }

    it('of an empty store has a version of 19 digits and no rows', async () => {
      const snapshot = await opened.store.snapshot();
      expect(String(snapshot.version)).to.match(/^\d{19}$/);
      expect(await opened.live('e', snapshot)).to.deep.equal({});
      expect(await tombstones(snapshot)).to.deep.equal([]);
      await snapshot.release();
    });

    it('do not see what is written after them', async () => {
      const xactId = await opened.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 2 });
      const before = await opened.store.snapshot();
      await opened.insert('e', { id: 'a', input: 10 }, { id: 'c', input: 3 });
      await opened.insert('e', { id: 'b', _object_delete: true });
      const after = await opened.store.snapshot();
      expect(before.version).to.equal(xactId);
      expect(await opened.live('e', before)).to.deep.equal({ a: 1, b: 2 });
      expect(await opened.live('e', after)).to.deep.equal({ a: 10, c: 3 });
      expect(await tombstones(before)).to.deep.equal([]);
      expect(await tombstones(after)).to.deep.equal(['e/b']);
      await before.release();
      await after.release();
    });

    it('stream a consistent state while writes go on', async () => {
      const ids = Array.from({ length: 6000 }, (_, n) => ({ id: `row ${n}`, input: 0 }));
      await opened.insert('e', ...ids);
      const snapshot = await opened.store.snapshot();
      const query = sql`SELECT id, input FROM ${rowsOf(snapshot, 'e')}`;
      const seen: unknown[] = [];
      for await (const rows of snapshot.stream(query, { queue: 'small' })) {
        seen.push(...rows.map(([, input]) => input));
        await opened.insert('e', ...ids.slice(0, 2000).map(({ id }) => ({ id, input: 1 })));
      }
      expect(seen).to.have.length(6000);
      expect(new Set(seen)).to.deep.equal(new Set(['0']));
      await snapshot.release();
    });

    it('travel to every past version, also after a restart', async () => {
      const steps: (readonly [object, object])[] = [
        [{ id: 'a', input: { x: 1 } }, { a: { x: 1 } }],
        [
          { id: 'b', input: 2 },
          { a: { x: 1 }, b: 2 },
        ],
        [
          { id: 'a', _is_merge: true, input: { y: 2 } },
          { a: { x: 1, y: 2 }, b: 2 },
        ],
        [{ id: 'b', _object_delete: true }, { a: { x: 1, y: 2 } }],
        [
          { id: 'b', input: 3 },
          { a: { x: 1, y: 2 }, b: 3 },
        ],
        [{ id: 'a', _object_delete: true }, { b: 3 }],
      ];
      const versions: bigint[] = [];
      for (const [event] of steps) versions.push(await opened.insert('e', event));
      const expectAll = async () => {
        for (const [index, version] of versions.entries())
          expect(await liveAt(version), `step ${index}`).to.deep.equal(steps[index]![1]);
        expect(await liveAt(versions[0]! - 1n)).to.deep.equal({});
        expect(await liveAt(2n ** 63n - 1n)).to.deep.equal({ b: 3 });
      };
      await expectAll();
      await opened.close();
      opened = await openStore(directory(), storage);
      await expectAll();
    });

    it('show an older state of their own through `live`', async () => {
      const first = await opened.insert('e', { id: 'a', input: 1 });
      await opened.insert('e', { id: 'a', input: 2 });
      const snapshot = await opened.store.snapshot();
      const inputs = (at: bigint) =>
        allRows(snapshot, sql`SELECT input FROM ${rowsOf(snapshot, 'e', at)}`);
      expect(await inputs(first)).to.deep.equal([['1']]);
      expect(await inputs(2n ** 63n - 1n)).to.deep.equal([['2']]);
      await snapshot.release();
    });

    it('say whether rows are lossless, and read several objects or none', async () => {
      await opened.insert('e', { id: 'a' });
      const plain = await opened.store.snapshot();
      expect(plain.live(['e']).branches.some(({ hasLossless }) => hasLossless)).to.equal(false);
      const events = decodeEvents(
        'experiment',
        '{"events":[{"id":"b","input":12345678901234567890}]}',
      );
      await opened.store.insert([{ object: experiment('other'), events }]);
      const both = await opened.store.snapshot();
      const all = both.live(['e', 'other']).branches;
      expect(all.some(({ hasLossless }) => hasLossless)).to.equal(true);
      const count = (...objects: string[]) =>
        allRows(both, sql`SELECT count(*) AS n FROM ${rowsOf(both, objects)}`);
      expect(await count('e', 'other')).to.deep.equal([[2n]]);
      expect(await count()).to.deep.equal([[0n]]);
      await plain.release();
      await both.release();
    });

    it('materialise a result that can be read, streamed in order and exported', async () => {
      await opened.insert(
        'e',
        ...Array.from({ length: 5000 }, (_, n) => ({ id: `${n}`, input: n })),
      );
      const snapshot = await opened.store.snapshot();
      const query = sql`
      SELECT id, input::INTEGER AS n FROM ${rowsOf(snapshot, 'e')} WHERE input != ${'7'} ORDER BY n DESC`;
      const result = await snapshot.materialize([() => query], { queue: 'heavy' });
      await snapshot.release();
      const table = result.parts[0]!();
      expect(await result.read(sql`SELECT count(*) AS n FROM ${table}`)).to.deep.equal([
        { n: 4999n },
      ]);
      const numbers = await result.read(sql`SELECT n FROM ${table}`);
      const wanted = Array.from({ length: 5000 }, (_, n) => 4999 - n).filter((n) => n !== 7);
      expect(numbers.map((row) => row['n'])).to.deep.equal(wanted);
      const file = await result.exportParquet(['n'], [() => sql`SELECT n FROM ${table}`]);
      await result.close();
      const bytes = await bytesOf(file);
      expect(bytes).to.have.length(file.length);
      const rows = await parquetReadObjects({ file: bytes.buffer, compressors });
      expect(rows.map((row) => row['n'])).to.deep.equal(wanted);
    });

    it('offer the functions on JSON text', async () => {
      const snapshot = await opened.store.snapshot();
      const rows = await allRows(
        snapshot,
        sql`SELECT json_canonical('{"b":1.0,"a":[]}') AS a, json_canonical(NULL) AS b,
        json_exact('{"a":[1,12345678901234567890]}', '["a",-1]') AS c, json_exact('{}', '["a"]') AS d`,
      );
      expect(rows).to.deep.equal([['{"a":[],"b":1}', null, '12345678901234567890', null]]);
      await snapshot.release();
    });

    it('can be released twice, and are of no use then', async () => {
      const snapshot = await opened.store.snapshot();
      await snapshot.release();
      await snapshot.release();
      let message = '';
      await allRows(snapshot, sql`SELECT 1 AS one`).catch(
        (error: Error) => (message = error.message),
      );
      expect(message).to.equal('the snapshot was released');
    });
  });
