// The database is replaced only when the former one is kept.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { replaceDatabase } from '../../src/store/rebuild/replace-database.js';
import { whileSyncFails } from '../support/failing-files.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const settings = { memoryMb: 200, threads: 1 };

const insert = (value: string) => (writer: Writer) =>
  writer.transaction(async (c) => {
    await c.run(sql`CREATE TABLE IF NOT EXISTS t (value VARCHAR)`);
    await c.run(sql`INSERT INTO t VALUES (${value})`);
  });

describe('a database that is replaced', () => {
  const directory = temporaryDirectory();

  async function use<T>(name: string, work: (writer: Writer) => Promise<T>): Promise<T> {
    const writer = await Writer.open(path.join(directory(), name), settings);
    try {
      return await work(writer);
    } finally {
      await writer.close();
    }
  }

  const values = async (name: string) =>
    use(name, async (writer) =>
      (await writer.read(sql`SELECT value FROM t ORDER BY value`)).map((row) => row['value']),
    );
  const former = async () =>
    (await readdir(directory())).filter((name) => name.includes('before-rebuild'));

  beforeEach(() => use('meta.duckdb', insert('a')));

  it('is kept under another name', async () => {
    const replaced = await replaceDatabase(directory(), settings, insert('b'));
    expect(await values('meta.duckdb')).to.deep.equal(['a', 'b']);
    const [name = ''] = await former();
    expect(replaced).to.deep.include({ former: path.join(directory(), name), isCopy: true });
    expect(await values(name)).to.deep.equal(['a']);
  });

  it('stays in place when its copy cannot be synced', async () => {
    await whileSyncFails(async () => {
      const refused = await rejection(replaceDatabase(directory(), settings, insert('b')));
      expect(refused.message).to.equal('EIO: i/o error, sync');
    });
    expect(await values('meta.duckdb')).to.deep.equal(['a']);
    expect(await former()).to.deep.equal([]);
  });
});
