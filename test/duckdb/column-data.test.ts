// Texts of columns, divided again after the engine has joined those of a row.
import { expect } from 'chai';
import { dividedTexts } from '../../src/duckdb/column-data.js';
import { DuckDBInstance } from '../../src/duckdb/driver.js';

/** Lengths around those that the engine keeps elsewhere, and around the sizes of its blocks. */
const lengths = 'CASE i % 7 WHEN 0 THEN 0 WHEN 1 THEN i % 15 WHEN 2 THEN i % 5000 ELSE i % 90 END';

const rows = `SELECT repeat(chr(CAST(97 + i % 26 AS INTEGER)), CAST(${lengths} AS INTEGER)) AS a,
  CASE WHEN i % 3 = 0 THEN NULL ELSE 'é' || i END AS b FROM range(6000) r(i)`;

describe('texts of columns', () => {
  it('are those of the rows, whatever their length', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const expected = (await (await connection.run(rows)).getRows()) as (string | null)[][];
    const result = await connection.stream(`SELECT concat('', a, b) AS texts,
      CAST(strlen(a) AS INTEGER), CAST(strlen(b) AS INTEGER) FROM (${rows})`);
    const read: (string | null)[][] = [];
    for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
      if (chunk.rowCount === 0) break;
      const [joined, ...vectors] = [0, 1, 2].map((column) => chunk.getColumnVector(column));
      // Also a part of the rows.
      const half = chunk.rowCount >> 1;
      for (const [start, end] of [
        [0, half],
        [half, chunk.rowCount],
      ] as const) {
        const columns = dividedTexts(joined!, vectors, { start, end });
        for (let place = 0; place < end - start; place += 1)
          read.push(
            columns.map(({ valueOffsets, data, nullBitmap, nullCount }) =>
              nullCount > 0 && (nullBitmap[place >> 3]! & (1 << (place & 7))) === 0
                ? null
                : Buffer.from(
                    data.subarray(valueOffsets[place], valueOffsets[place + 1]),
                  ).toString(),
            ),
          );
      }
    }
    connection.closeSync();
    expect(read).to.deep.equal(expected);
  });
});
