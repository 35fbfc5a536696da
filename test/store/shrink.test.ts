// The database file after much was buffered in it.
import { expect } from 'chai';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const megabyte = 2 ** 20;

/** A table as the catalog's are: not of the buffer, and stored behind its rows. */
const describeOther = ({ writer }: TestStore) =>
  writer.read(sql`
    SELECT t.sql, (SELECT list(other ORDER BY n)::VARCHAR FROM other) AS "rows"
    FROM duckdb_tables() t WHERE table_name = 'other'`);

describe('the file of the write buffer', () => {
  const directory = temporaryDirectory();
  const fileMb = async () => (await stat(path.join(directory(), 'meta.duckdb'))).size / megabyte;

  it('shrinks when the rows are in segments', async () => {
    const opened = await openStore(directory());
    await opened.insert('e', { id: 'first' });
    await opened.store.flush();
    for (let n = 0; n < 20; n++)
      await opened.insert('e', { id: `${n}`, input: `${n}`.repeat(2 * megabyte) });
    await opened.writer.checkpoint();
    await opened.writer.transaction(async (connection) => {
      await connection.run(sql`CREATE TABLE other (id VARCHAR PRIMARY KEY, n BIGINT NOT NULL)`);
      await connection.run(sql`INSERT INTO other SELECT i::VARCHAR, i FROM range(1000) r(i)`);
    });
    await opened.writer.checkpoint();
    const before = await describeOther(opened);
    expect(await fileMb()).to.be.greaterThan(40);
    await opened.store.flush();
    await waitUntil('the file shrinks', async () => (await fileMb()) < 20);
    expect(await describeOther(opened)).to.deep.equal(before);
    await opened.close();
    const again = await openStore(directory());
    expect(Object.keys(await again.live('e'))).to.have.length(21);
    await again.close();
  });
});
