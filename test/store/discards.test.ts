// A reader that cannot delete the supersessions of sources that were replaced.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { toStatement } from '../../src/duckdb/sql.js';
import { ThreadDatabase } from '../../src/duckdb/thread-database.js';
import { Reader } from '../../src/store/read/engine/reader.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('a reader', () => {
  const directory = temporaryDirectory();

  it('is replaced when it keeps the supersessions of replaced sources, whose files are removed', async () => {
    const failures: unknown[] = [];
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      compaction: { fanOut: 2 },
      hooks: { failed: (error) => failures.push(error) },
    });
    let built = 0;
    const build = Reader.build.bind(Reader);
    Reader.build = (settings) => {
      built += 1;
      return build(settings);
    };
    const logs = () => readdir(path.join(directory(), 'log'));
    const segments = async () =>
      (await readdir(path.join(directory(), 'segments'), { recursive: true })).filter((name) =>
        /\d\.parquet$/.test(name),
      );
    const use = Reflect.get<ThreadDatabase, 'use'>(ThreadDatabase.prototype, 'use');
    const provoked = new EngineError('memory', 'provoked');
    ThreadDatabase.prototype.use = function (work) {
      return use.call(this, async (connection) => {
        const run = connection.run.bind(connection);
        connection.run = (statement) =>
          toStatement(statement).text.includes('DELETE FROM supersession')
            ? Promise.reject(provoked)
            : run(statement);
        return work(connection);
      }) as ReturnType<typeof work>;
    };
    try {
      for (const input of [1, 2]) {
        await opened.insert('e', { id: 'a', input });
        await opened.live('e');
        await opened.store.flush();
      }
    } finally {
      ThreadDatabase.prototype.use = use;
    }
    expect(await logs()).to.have.length(1);
    expect(await segments()).to.have.length(1);
    expect(failures).to.have.length.above(0);
    expect(new Set(failures)).to.deep.equal(new Set([provoked]));
    const before = built;
    expect(await opened.live('e')).to.deep.equal({ a: 2 });
    expect(built).to.equal(before + 1);
    Reader.build = build;
    await opened.close();
  });
});
