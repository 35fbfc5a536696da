// Timestamps are spelled as the engine spells them in files.
import { expect } from 'chai';
import { bigInt, constantFrom, oneof, sample, tuple } from 'fast-check';
import { Database } from '../../src/duckdb/database.js';
import { join, sql } from '../../src/duckdb/sql.js';
import { timestampText } from '../../src/json/timestamp-text.js';
import { timestampText as inSql } from '../../src/query/value/timestamp-text.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Those of timestamps begin behind it. */
const least = -9_223_372_022_400_000_000n;
const infinite = 2n ** 63n - 1n;

describe('the text of timestamps', () => {
  const directory = temporaryDirectory();

  it('is that of the engine', async () => {
    const unit = constantFrom(1n, 1000n, 1_000_000n, 86_400_000_000n);
    const moment = tuple(bigInt({ min: least, max: infinite - 1n }), unit);
    const near = tuple(bigInt({ min: -(10n ** 17n), max: 10n ** 18n }), unit);
    const drawn = sample(oneof(moment, near), { seed: 16, numRuns: 2000 });
    const moments = drawn.map(([micros, of]) => micros - (micros % of));
    const database = await Database.open(':memory:', {
      memoryMb: 200,
      threads: 1,
      temporaryDirectory: `${directory()}/tmp`,
      allowedDirectories: [directory()],
    });
    try {
      const list = join(moments.map((micros) => sql`(${micros})`));
      const rows = await database.use((connection) =>
        connection.read(sql`
          SELECT micros, ${inSql(sql`make_timestamp(micros)`)} AS text FROM (VALUES ${list}) v(micros)
          UNION ALL SELECT ${infinite}, ${inSql(sql`TIMESTAMP 'infinity'`)}
          UNION ALL SELECT ${-infinite}, ${inSql(sql`TIMESTAMP '-infinity'`)}`),
      );
      expect(rows).to.have.length(moments.length + 2);
      for (const { micros, text } of rows)
        expect(timestampText(micros as bigint), String(micros)).to.equal(text);
    } finally {
      await database.close();
    }
  });
});
