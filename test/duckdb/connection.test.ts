import { expect } from 'chai';
import path from 'node:path';
import { Database } from '../../src/duckdb/database.js';
import { sql } from '../../src/duckdb/sql.js';
import { openHandles } from '../../src/duckdb/file-handles.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('connection', () => {
  const directory = temporaryDirectory();
  const file = () => path.join(directory(), 'a.duckdb');
  let database: Database;

  beforeEach(async () => {
    database = await Database.open(file(), {
      memoryMb: 100,
      threads: 2,
      temporaryDirectory: path.join(directory(), 'tmp', 'a'),
      allowedDirectories: [directory()],
    });
  });

  const closes = async () => {
    expect(await openHandles(file())).to.equal(1);
    await database.close();
    expect(await openHandles(file())).to.equal(0);
  };

  it('binds every kind of parameter and reads the values back', async () => {
    const rows = await database.use((connection) =>
      connection.read(sql`
        SELECT ${'é\u0000'} AS text, ${1} AS double, ${2n ** 62n} AS big, ${true} AS yes, ${null} AS nothing,
          ${['a', '']} AS list, typeof(${1}) AS type, sum(range) AS huge FROM range(3)`),
    );
    expect(rows).to.deep.equal([
      {
        text: 'é\u0000',
        double: 1,
        big: 2n ** 62n,
        yes: true,
        nothing: null,
        list: ['a', ''],
        type: 'DOUBLE',
        huge: 3n,
      },
    ]);
    await closes();
  });

  it('streams rows in order, exactly once, also none', async () => {
    await database.use(async (connection) => {
      const numbers: unknown[] = [];
      for await (const rows of connection.stream(sql`SELECT range AS n FROM range(10000)`))
        numbers.push(...rows.map(([n]) => Number(n)));
      expect(numbers).to.deep.equal(Array.from({ length: 10_000 }, (_, n) => n));
      for await (const rows of connection.stream(sql`SELECT 1 AS n WHERE FALSE`))
        expect(rows).to.equal('nothing');
    });
    await closes();
  });

  it('throws when a stream fails half way', async () => {
    await database.use(async (connection) => {
      const failing = sql`
        SELECT CASE WHEN range = 900000 THEN error('half way') ELSE 'fine' END AS a FROM range(1000000)`;
      let rows = 0;
      const consume = async () => {
        for await (const chunk of connection.stream(failing)) rows += chunk.length;
      };
      expect((await rejection(consume())).message).to.equal('the stream broke off');
      expect(rows).to.be.greaterThan(0);
    });
    await closes();
  });

  it('lets go of a stream that is left early', async () => {
    await database.use(async (connection) => {
      const endless = sql`SELECT a.range AS n FROM range(1000000) a, range(1000000) b`;
      for await (const rows of connection.stream(endless)) {
        expect(rows).to.have.length(2048);
        break;
      }
      expect(await connection.read(sql`SELECT 1::BIGINT AS n`)).to.deep.equal([{ n: 1n }]);
    });
    await closes();
  });

  it('reads timestamps as microseconds', async () => {
    const rows = await database.use((connection) =>
      connection.read(sql`SELECT TIMESTAMP '1970-01-01 00:00:01.000002' AS t`),
    );
    expect(rows).to.deep.equal([{ t: 1_000_002n }]);
    await closes();
  });
});
