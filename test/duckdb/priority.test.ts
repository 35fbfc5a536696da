import { expect } from 'chai';
import os from 'node:os';
import { niceness } from '../../src/duckdb/engine-threads.js';
import { sql } from '../../src/duckdb/sql.js';
import { scalarFunctionsModule } from '../../src/store/row/scalar-functions.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { threadsByNiceness } from '../support/threads-by-niceness.js';
import { openInMemory } from './open-in-memory.js';

describe('the priority of threads', () => {
  const directory = temporaryDirectory();
  const open = (isBackground: boolean) =>
    openInMemory(directory(), { threads: 3, isBackground }, scalarFunctionsModule);

  it('is lower for an instance in the background, and for no other thread', async () => {
    const own = os.getPriority(process.pid);
    const low = Math.min(19, own + niceness);
    const { [low]: others = 0 } = await threadsByNiceness();
    await (await open(true)).close();
    // A thread that serves a second instance keeps its priority.
    const { [low]: idle = 0 } = await threadsByNiceness();
    expect(idle).to.be.within(1, others + 1);
    const database = await open(true);
    const { [low]: low3, [own]: usual, ...rest } = await threadsByNiceness();
    expect(low3).to.equal(idle + 3);
    expect(usual).to.be.greaterThan(0);
    expect(rest).to.deep.equal({});
    const statement = sql`SELECT current_setting('threads')::BIGINT AS threads, current_setting('external_threads')::BIGINT AS others`;
    expect(await database.use((c) => c.read(statement))).to.deep.equal([
      { threads: 3n, others: 0n },
    ]);
    await database.close();
    const next = await open(false);
    expect((await threadsByNiceness())[low]).to.equal(idle);
    await next.close();
  });

  it('does not keep a failed statement whose other tasks wait for JavaScript', async () => {
    const database = await open(true);
    await database.use(async (connection) => {
      await connection.run(sql`CREATE TABLE numbers AS SELECT range AS n FROM range(500000)`);
      // Other threads reach the function after the error.
      const slow = sql`json_canonical('"' || md5(repeat('x', 1000 + n % 2)) || '"')`;
      const failing = sql`SELECT max(CASE WHEN n = 125000 THEN error('a wrong number') ELSE ${slow} END) FROM numbers`;
      for (let turn = 0; turn < 10; turn++)
        expect(await rejection(connection.read(failing))).to.match(/a wrong number/);
    });
    await database.close();
  });
});
