// Files of rows that are written from the bytes of the log: the engine reads what the log has.
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { Database } from '../../src/duckdb/database.js';
import { sql } from '../../src/duckdb/sql.js';
import { eventColumns, type EventColumn } from '../../src/schema/event-columns.js';
import type { UncommittedRow } from '../../src/schema/event-row.js';
import { EventLog, logFile } from '../../src/store/log/event-log.js';
import { headBytes } from '../../src/store/log/frame.js';
import { inspectLog } from '../../src/store/log/read-log.js';
import { textColumns } from '../../src/store/log/record.js';
import { wholeLog, writeRowsFile } from '../../src/store/log/rows-file.js';
import { appendRows } from '../../src/store/log/append-rows.js';
import { rowsOf } from '../support/open-segments.js';
import { oddCharacters } from '../support/odd-strings.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const source = 7;

const columnNames = Object.keys(eventColumns) as readonly EventColumn[];

const oddString = fc.array(fc.constantFrom(...oddCharacters, 'plain ')).map((all) => all.join(''));

const event = fc.record(
  {
    input: fc.oneof(oddString, fc.constant(null), fc.constant('x'.repeat(70_000))),
    metadata: fc.constantFrom({ a: 1 }, {}, null),
    tags: fc.array(oddString, { maxLength: 3 }),
    span_parents: fc.constantFrom(null, ['one'], ['one', 'two']),
    created: fc.constantFrom('1969-01-01T00:00:00Z', '2024-01-01T00:00:00.123456Z'),
    _object_delete: fc.boolean(),
  },
  { requiredKeys: [] },
);

const stored = (rows: readonly UncommittedRow[], first: number) =>
  rows.map((row, index) => ({
    _xact_id: BigInt(first + (index >> 1)) << 40n,
    _position: index,
    ...row,
  }));

describe('a file of rows', () => {
  const directory = temporaryDirectory();
  let database: Database;
  before(async () => {
    database = await Database.open(':memory:', {
      memoryMb: 256,
      threads: 1,
      temporaryDirectory: tmpdir(),
      allowedDirectories: [tmpdir()],
    });
  });
  after(() => database.close());

  const read = async (file: string) => {
    const connection = await database.connect();
    try {
      return await connection.read(sql`SELECT * FROM read_parquet(${file})`);
    } finally {
      database.disconnect(connection);
    }
  };

  async function logged(rows: readonly UncommittedRow[]): Promise<string> {
    const log = await EventLog.open(directory());
    await log.create(source);
    await appendRows(log, source, 0, stored(rows, 1));
    await log.close();
    return logFile(directory(), source);
  }

  async function writtenFrom(log: string, superseded: ReadonlyMap<number, bigint>) {
    const file = path.join(directory(), 'rows.parquet');
    await writeRowsFile({
      ...wholeLog(log, source, await inspectLog(log, source), file),
      superseded: {
        rows: Int32Array.from(superseded.keys()),
        byXactIds: BigInt64Array.from(superseded.values()),
      },
    });
    return read(file);
  }

  it('has every value of every row, in row groups of any content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
        const rows = rowsOf('e', JSON.stringify(events));
        const ends = new Map([[rows.length - 1, 5n << 40n]]);
        const found = await writtenFrom(await logged(rows), ends);
        expect(found).to.deep.equal(
          stored(rows, 1).map((row, index) =>
            Object.fromEntries([
              ['_row', index],
              ...columnNames.map((name) => [name, row[name]]),
              ['_superseded_by', ends.get(index) ?? null],
            ]),
          ),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('has more rows than a row group, in their order', async () => {
    const events = Array.from({ length: 5000 }, (_, index) => ({ id: `id ${index}` }));
    const found = await writtenFrom(await logged(rowsOf('e', JSON.stringify(events))), new Map());
    expect(found.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
    expect(found.map(({ _row: row }) => row)).to.deep.equal(events.map((_, index) => index));
  });

  it('has NULL for a column that is newer than the log', async () => {
    const log = await logged(rowsOf('e', '[{"id":"a","input":"x"}]'));
    await writeFile(log, withoutLastColumn(await readFile(log)));
    const [row] = await writtenFrom(log, new Map());
    expect(row).to.include({ id: 'a', input: '"x"', [textColumns.at(-1)!]: null });
  });
});

/** The frame of one row, whose last text is NULL, as it was before the column existed. */
function withoutLastColumn(frame: Buffer): Buffer {
  const lengthsEnd = headBytes + 28 + 4 * textColumns.length;
  const older = Buffer.concat([frame.subarray(0, lengthsEnd - 4), frame.subarray(lengthsEnd)]);
  older.writeUInt32LE(older.readUInt32LE(8) - 4, 8);
  older.writeUInt32LE(older.readUInt32LE(headBytes) - 4, headBytes);
  older.writeUInt8(textColumns.length - 1, headBytes + 25);
  older.writeUInt32LE(crc32(older.subarray(8)), 4);
  return older;
}
