// Moves buffered rows from tables, where versions before the log kept them, to logs. Runs at the start. After a crash it
// continues with the first table that is still there.
import type { Row } from '../../duckdb/rows.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import type { NewRow } from '../../event/row.js';
import { splitOnMemoryError } from '../row/row-range.js';
import { readGenerations } from '../manifest/generations.js';
import type { EventLog } from '../log/event-log.js';
import { FrameBuilder } from '../log/frame.js';

/** Rows in a frame, and read at once. */
const framedRows = 2048;
/** Enough for three times the longest string of JavaScript, the largest that an event can be. */
const oneRowMemoryMb = 2048;

export const bufferTable = (source: number): Sql => identifier(`buffer_${source}`);

/** The generations that have a table, ascending. */
export async function readTables(
  database: Pick<WriteConnection, 'read'>,
): Promise<readonly number[]> {
  const tables = await database.read(sql`
    SELECT substr(table_name, 8)::INTEGER AS source FROM duckdb_tables()
    WHERE regexp_matches(table_name, '^buffer_[0-9]+$') AND database_name = current_database()
    ORDER BY source`);
  return tables.map(({ source }) => source as number);
}

/** Moves the rows of all tables to logs. */
export async function migrateBufferTables(writer: Writer, log: EventLog): Promise<void> {
  const listed = new Set((await readGenerations(writer)).map(({ source }) => source));
  for (const source of await readTables(writer)) {
    if (listed.has(source)) await moveRows(writer, log, source);
    await writer.transaction((connection) =>
      connection.run(sql`DROP TABLE ${bufferTable(source)}`),
    );
  }
}

async function moveRows(writer: Writer, log: EventLog, source: number): Promise<void> {
  await log.create(source);
  const [counted] = await writer.read(sql`SELECT count(*) AS n FROM ${bufferTable(source)}`);
  const rowCount = Number(counted?.['n']);
  for (let firstRow = 0; firstRow < rowCount; firstRow += framedRows) {
    const endRow = Math.min(rowCount, firstRow + framedRows);
    await splitOnMemoryError(
      { firstRow, endRow },
      async (part) => {
        const rows = sql`
          SELECT * FROM ${bufferTable(source)}
          WHERE _row >= ${BigInt(part.firstRow)} AND _row < ${BigInt(part.endRow)} ORDER BY _row`;
        await appendRows(log, source, part.firstRow, await writer.read(rows));
      },
      async (row) => {
        const rows = sql`SELECT * FROM ${bufferTable(source)} WHERE _row = ${BigInt(row)}`;
        const found = await writer.withMemory(oneRowMemoryMb, (connection) =>
          connection.read(rows),
        );
        await appendRows(log, source, row, found);
      },
    );
  }
}

/** Adds rows with all columns of events, in their order, to a generation that has `firstRow` rows. */
export async function appendRows(
  log: EventLog,
  source: number,
  firstRow: number,
  rows: readonly Row[],
): Promise<void> {
  const last = rows.at(-1);
  if (last === undefined) return;
  const frame = new FrameBuilder();
  const rowBytes = rows.map((row) =>
    frame.addRow(row as unknown as NewRow, {
      xactId: row['_xact_id'] as bigint,
      position: row['_position'] as number,
    }),
  );
  await log.commit({
    source,
    rowBytes,
    frame: () => frame.finish(source, firstRow, last['_xact_id'] as bigint, []),
  });
}
