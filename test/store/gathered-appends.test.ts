import { expect } from 'chai';
import { toRowChunks } from '../../src/duckdb/rows.js';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import { GatheredAppends } from '../../src/store/read/gathered-appends.js';

describe('gathered appends', () => {
  let calls: (readonly [string, number] | string)[];
  let gathered: GatheredAppends;

  beforeEach(() => {
    calls = [];
    gathered = new GatheredAppends({
      run: async (statement) => void calls.push(toStatement(statement).text),
      append: async (table, chunks) => {
        calls.push([table, chunks.reduce((count, { rows }) => count + rows.length, 0)]);
      },
    });
  });

  const append = (table: string, count: number) => {
    const rows = Array.from({ length: count }, (_, n) => [n]);
    return gathered.append(table, toRowChunks(['INTEGER'], rows));
  };

  it('are one for each table', async () => {
    for (const table of ['a', 'b', 'a', 'a']) await append(table, 2);
    expect(calls).to.deep.equal([]);
    await gathered.finish();
    expect(calls).to.deep.equal([
      ['a', 6],
      ['b', 2],
    ]);
  });

  it('come before the statement that follows them', async () => {
    await append('a', 1);
    await gathered.run(sql`DROP TABLE a`);
    await append('b', 1);
    await gathered.finish();
    expect(calls).to.deep.equal([['a', 1], 'DROP TABLE a', ['b', 1]]);
  });

  it('do not wait once they are many', async () => {
    await append('a', 1000);
    await append('a', 1500);
    expect(calls).to.deep.equal([['a', 2500]]);
  });
});
