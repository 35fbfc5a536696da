// Counting live rows from the stats of segments, as far as they are exact.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { countedApart, recordCount } from '../../src/query/sql/counted-branches.js';
import { allRows, rowsOf, storages, storeIn } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const remove = (id: string) => ({ id, _object_delete: true });

for (const [where, storage] of Object.entries(storages))
  describe(`counting live rows, rows ${where}`, () => {
    const directory = temporaryDirectory();
    const opened = storeIn(directory, storage);

    async function counts(version?: bigint) {
      const snapshot = await opened().store.snapshot(version);
      const counted = countedApart(snapshot.live(['e']));
      const [total] = await allRows(snapshot, recordCount(snapshot.live(['e'])));
      const [live] = await allRows(snapshot, sql`SELECT count(*) FROM ${rowsOf(snapshot, 'e')}`);
      await snapshot.release();
      return { total: Number(total?.[0]), known: counted.rows, live: Number(live?.[0]) };
    }

    it('gives their number after inserts, merges, deletions and returns', async () => {
      const versions: bigint[] = [];
      for (const events of [
        [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
        [{ id: 'a', _is_merge: true, input: 1 }],
        [remove('b'), { id: 'd' }],
        [{ id: 'b' }, remove('nobody')],
        [remove('c'), { id: 'nobody' }],
      ]) {
        versions.push(await opened().insert('e', ...events));
        await opened().insert('other', { id: 'a' });
        const { total, live } = await counts();
        expect(total).to.equal(live);
      }
      await opened().store.flush();
      expect(await counts()).to.include({ total: 4, live: 4 });
      for (const version of versions) {
        const { total, live } = await counts(version);
        expect(total).to.equal(live);
      }
    });

    it('reads no rows of segments in which nothing ended', async () => {
      for (const ids of ['abc', 'def', 'gh'])
        await opened().insert('e', ...Array.from(ids, (id) => ({ id })));
      await opened().store.flush();
      expect(await counts()).to.deep.equal({ total: 8, known: 8, live: 8 });
    });
  });
