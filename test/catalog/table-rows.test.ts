// Rows of a table are written alike, whether they are few or many.
import path from 'node:path';
import { expect } from 'chai';
import { statementsOf, type TableRow, type TableWrite } from '../../src/catalog/table-rows.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const insert: TableWrite = {
  types: 'VIB',
  statement: (rows) => sql`INSERT INTO written (name, number, flag) ${rows}`,
};
const rename: TableWrite = {
  types: 'VI',
  statement: (rows) => sql`
    UPDATE written SET name = changed.name
    FROM (${rows}) AS changed (name, number) WHERE written.number = changed.number`,
};
const remove: TableWrite = {
  types: 'I',
  statement: (rows) => sql`DELETE FROM written WHERE number IN (${rows})`,
};

const names = ['', 'NULL', "it's", '[a, "b"]', '\u0000', 'ü\n', null];
const first = 2n ** 62n;

const inserted = (count: number): readonly TableRow[] =>
  Array.from({ length: count }, (_, index) => ({
    write: insert,
    values: [names[index % names.length]!, first + BigInt(index), [true, false, null][index % 3]!],
  }));

describe('rows of tables', () => {
  const directory = temporaryDirectory();
  let writer: Writer;

  beforeEach(async () => {
    writer = await Writer.open(path.join(directory(), 'meta.duckdb'), {
      memoryMb: 100,
      threads: 1,
    });
    await writer.transaction((connection) =>
      connection.run(sql`CREATE TABLE written (name VARCHAR, number BIGINT, flag BOOLEAN)`),
    );
  });
  afterEach(() => writer.close());

  async function write(rows: readonly TableRow[]): Promise<readonly (readonly unknown[])[]> {
    const statements = [...statementsOf(rows)];
    await writer.transaction(async (connection) => {
      for (const statement of statements) await connection.run(statement);
    });
    const found = await writer.read(sql`SELECT name, number, flag FROM written ORDER BY number`);
    return found.map((row) => [row['name'], row['number'], row['flag']]);
  }

  for (const count of [1, 10, 11, 2_500])
    it(`are inserted, changed and removed: ${count}`, async () => {
      const rows = inserted(count);
      expect(await write(rows)).to.deep.equal(rows.map(({ values }) => values));
      const numbers = rows.map(({ values }) => values[1]!);
      const renamed = numbers.map((number) => ({ write: rename, values: [`${number}`, number] }));
      expect((await write(renamed)).map(([name]) => name)).to.deep.equal(numbers.map(String));
      const removed = numbers.map((number) => ({ write: remove, values: [number] }));
      expect(await write(removed)).to.deep.equal([]);
    });
});
