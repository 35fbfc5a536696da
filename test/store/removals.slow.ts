// The removal of the events of one person from many: no byte of their texts is left, and every other row is as it was.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { eventsFile } from '../support/events-file.js';
import { allRows, openStore, rowsOf } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { textsOnDisk } from '../support/texts-on-disk.js';

const events = 200_000;
const atOnce = 2_000;
/** One in so many events is of the person: 400. */
const every = 500;

describe('the events of one person among many', () => {
  const directory = temporaryDirectory();

  it('leave no byte of their texts, and every other row as it was', async () => {
    const opened = await openStore(directory());
    const ids: string[] = [];
    for (let first = 0; first < events; first += atOnce)
      await opened.insert(
        'e',
        ...Array.from({ length: atOnce }, (_, index) => {
          const n = first + index;
          const isAnn = n % every === 0;
          if (isAnn) ids.push(`event-${n}`);
          const text = isAnn ? `Ann Smith of Marble Lane asks for ${n}` : `somebody asks for ${n}`;
          return {
            id: `event-${n}`,
            input: { text, n },
            metadata: { user: isAnn ? 'ann-s' : 'x' },
          };
        }),
      );
    // Some have further versions, in the log and in segments.
    for (const id of ids.slice(0, 40))
      await opened.insert('e', { id, _is_merge: true, output: `for Ann Smith, ${id}` });
    await opened.store.flush();
    for (const id of ids.slice(20, 60))
      await opened.insert('e', { id, _is_merge: true, output: `again for Ann Smith, ${id}` });

    const others = async () => {
      const snapshot = await opened.store.snapshot();
      const digest = sql`
        SELECT count(*), sum(hash(r)), bit_xor(hash(r))
        FROM (SELECT * FROM ${rowsOf(snapshot, 'e')} WHERE id NOT IN (SELECT unnest(${ids}::VARCHAR[]))) r`;
      const rows = await allRows(snapshot, digest, 'heavy');
      await snapshot.release();
      return rows;
    };
    const before = await others();
    const file = await eventsFile(opened, directory(), ids);
    const removed = await opened.store.remove('project', file, new AbortController().signal);
    expect(removed.rows).to.equal(events / every + 80);
    expect(await others()).to.deep.equal(before);

    const secrets = ['Ann Smith', 'Marble Lane', 'ann-s'];
    const { found, rows } = await textsOnDisk(directory(), secrets, file);
    expect(found).to.deep.equal([]);
    expect(rows).to.be.above(events);
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
