// The engine keeps the content of files that are read often, and of none that a long answer is made of.
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { sql } from '../../src/duckdb/sql.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { bytesOf } from '../support/bytes-of.js';
import { allRows, openStore, rowsOf, storages, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const contentBytes = 200_000;
/** What says where the content lies is kept in any case. */
const footerBytes = 20_000;

describe('the content of segments', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let snapshot: Snapshot;

  beforeEach(async () => {
    opened = await openStore(directory(), storages['as buffered rows']);
    await opened.insert('e', { id: 'a', input: randomBytes(contentBytes).toString('base64') });
    await opened.store.flush();
    snapshot = await opened.store.snapshot();
  });
  afterEach(async () => {
    await snapshot.release();
    await opened.close();
  });

  const rows = () => sql`SELECT input AS row FROM ${rowsOf(snapshot, 'e')}`;

  /** In the instances of small reads and of others. */
  async function keptBytes(): Promise<number> {
    const kept = sql`SELECT coalesce(sum(nr_bytes), 0) FROM duckdb_external_file_cache()`;
    let bytes = 0;
    for (const queue of ['small', 'heavy'] as const) {
      const [[inInstance] = []] = await allRows(snapshot, kept, queue);
      bytes += Number(inInstance);
    }
    return bytes;
  }

  it('is kept by other queries', async () => {
    await allRows(snapshot, rows(), 'heavy');
    expect(await keptBytes()).to.be.greaterThan(contentBytes);
  });

  it('is not kept of a file by way of which the reader takes up rows', async () => {
    const input = randomBytes(contentBytes).toString('base64');
    await opened.insert('e', { id: 'buffered', input });
    await snapshot.release();
    await opened.close();
    opened = await openStore(directory(), storages['as buffered rows']);
    snapshot = await opened.store.snapshot();
    expect(await keptBytes()).to.be.lessThan(footerBytes);
  });

  it('is not kept by a text of several parts', async () => {
    const counts = sql`SELECT 's' AS kinds, 2 AS rows`;
    const queries = { rows: [rows, rows], counts, rowsMax: 2 };
    const { text } = await snapshot.writeText(queries, { queue: 'heavy', separator: ',' });
    expect((await bytesOf(text)).length).to.be.greaterThan(2 * contentBytes);
    expect(await keptBytes()).to.be.lessThan(footerBytes);
  });

  it('is not kept by a result of several parts', async () => {
    const result = await snapshot.materialize([rows, rows], { queue: 'heavy' });
    try {
      const [part] = result.parts;
      expect(await result.read(sql`SELECT max(row) AS row FROM ${part!()}`)).to.have.length(1);
      const selects = result.parts.map((each) => () => sql`SELECT row FROM ${each()}`);
      const file = await result.exportCsv(['row'], selects);
      expect(file.length).to.be.greaterThan(2 * contentBytes);
      await file.remove();
      expect(await keptBytes()).to.be.lessThan(footerBytes);
    } finally {
      await result.close();
    }
  });
});
