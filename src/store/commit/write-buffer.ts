// The durable write buffer in the writer's database: generations of event rows and their supersessions.
import type { Connection } from '../../duckdb/connection.js';
import { join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { UnplacedRow } from '../../schema/event-row.js';
import type { CommitGroup } from './commit-group.js';
import type { LastTransaction } from './last-transaction.js';
import {
  bufferName,
  bufferTable,
  createBuffer,
  eventChunks,
  rowBytes,
  supersessionRowChunks,
  unplacedColumnList,
} from '../event-table.js';
import type { BufferGap } from '../read/buffer-gap.js';
import type { Row } from '../../duckdb/rows.js';
import { flushParts, heavyBytesMin, type RowRange } from '../upkeep/flush-parts.js';
import { byHalves } from './by-halves.js';
import type { Reached } from '../step.js';
import {
  emptyGeneration,
  type ChangeConnection,
  type Generation,
  type StoreChange,
  type StoreState,
} from '../store-state.js';

/** Where an export goes: a file of rows for each generation, and one of supersessions. */
export interface ExportFiles {
  rows(source: number): string;
  readonly supersessions: string;
}

/**
 * The rows of one group are in memory until it is full: they must be few, however large each is. The files are read at once
 * and removed: compressing them would take as long as everything else about them.
 */
const exportFormat = ({ length }: readonly RowRange[]): Sql =>
  // Of several parts, each becomes a group.
  sql`FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE ${word(length > 1 ? 1 : 2048)}`;

/** Enough for three times the longest string of JavaScript, the largest that an event can be. */
const measuringMemoryMb = 2048;

export class WriteBuffer {
  readonly #writer: Writer;
  readonly #last: LastTransaction;
  readonly #reached: Reached;
  readonly #partBytesMax: number;

  /** Heavy rows that are read at once have `partBytesMax` together at most. */
  constructor(
    writer: Writer,
    last: LastTransaction,
    partBytesMax: number,
    reached: Reached = () => {},
  ) {
    this.#partBytesMax = partBytesMax;
    this.#writer = writer;
    this.#last = last;
    this.#reached = reached;
  }

  /**
   * One durable transaction for the whole group.
   * @throws RequestError 503 when it cannot be stored, UnknownOutcomeError when that is not known
   */
  async commit(group: CommitGroup): Promise<void> {
    const last = sql`
      SELECT 1 FROM ${bufferTable(group.source)} WHERE _xact_id = ${group.lastRowXactId} LIMIT 1`;
    await this.#writer.transaction(
      async (connection) => {
        await group.copyTo(connection);
        await this.#reached('commit-middle');
      },
      async (connection) => (await connection.read(last)).length > 0,
    );
    if (group.lastRowXactId !== null) this.#last.write(group.lastRowXactId);
  }

  /** Ends the active generation: new rows go to another one, with the number `source`. */
  async seal(state: StoreState, source: number): Promise<StoreChange> {
    const active = emptyGeneration(source, state.lastXactId);
    const recorded = sql`SELECT 1 FROM buffer_generation WHERE source = ${BigInt(source)}`;
    await this.#writer.transaction(
      async (connection) => {
        await connection.run(
          sql`INSERT INTO buffer_generation VALUES (${BigInt(source)}, ${state.lastXactId})`,
        );
        await connection.run(createBuffer(source));
      },
      async (connection) => (await connection.read(recorded)).length > 0,
    );
    return {
      state: {
        ...state,
        change: state.change + 1,
        sealed: [...state.sealed, state.active],
        active,
      },
      rowCount: 0,
      copyTo: (connection) => connection.run(createBuffer(source)),
    };
  }

  /** The rows of one generation by row number. */
  async rowsAt(
    source: number,
    rowNumbers: readonly number[],
  ): Promise<ReadonlyMap<number, UnplacedRow>> {
    const rows = await this.#writer.read(sql`
      SELECT _row, ${unplacedColumnList} FROM ${bufferTable(source)} WHERE ${amongRows(rowNumbers)}`);
    return rowsByNumber(rows);
  }

  /** Writes what a reader lacks to Parquet files, beside whatever else is written. */
  async export(gap: BufferGap, files: ExportFiles): Promise<void> {
    await this.#writer.use(async (connection) => {
      for (const rows of gap.rows) {
        const { source, firstRow, rowCount: endRow } = rows;
        const parts = await partsOf(connection, source, { firstRow, endRow }, this.#partBytesMax);
        await connection.run(
          sql`COPY (${allRows(source, parts)}) TO ${files.rows(source)} (${exportFormat(parts)})`,
        );
      }
      await connection.run(
        sql`COPY (${supersessionsIn(gap)}) TO ${files.supersessions} (FORMAT parquet)`,
      );
    });
  }

  /** The same by way of memory, in twice the time: where the disk has no room for files. `take` is called once for each attempt. */
  async copy(
    gap: BufferGap,
    take: (copyTo: (to: ChangeConnection) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    await this.#writer.use((connection) =>
      take(async (to) => {
        for (const rows of gap.rows)
          for (const part of await partsOf(
            connection,
            rows.source,
            {
              firstRow: rows.firstRow,
              endRow: rows.rowCount,
            },
            this.#partBytesMax,
          ))
            for await (const chunk of connection.stream(rowsIn(rows.source, part)))
              await to.append(bufferName(rows.source), eventChunks(chunk));
        for await (const chunk of connection.stream(supersessionsIn(gap)))
          await to.append('supersession', supersessionRowChunks(chunk));
      }),
    );
  }

  /** What one row takes up. */
  async bytesOf(source: number, row: number): Promise<number> {
    const rows = await this.#writer.withMemory(measuringMemoryMb, (connection) =>
      connection.read(weighed(source, { firstRow: row, endRow: row + 1 })),
    );
    return Number(rows[0]?.['bytes'] ?? 0);
  }

  /** `rows` of one generation, cut so that each part takes a bounded amount of memory. */
  parts(source: number, rows: RowRange): Promise<readonly RowRange[]> {
    return this.#writer.use((connection) => partsOf(connection, source, rows, this.#partBytesMax));
  }

  /**
   * Writes rows of a sealed generation to one Parquet file, with `_superseded_by` as of `upTo`; with `memoryMb`, under
   * this memory limit.
   */
  async exportSealed(
    { source }: Generation,
    { firstRow, endRow }: RowRange,
    upTo: bigint,
    file: string,
    memoryMb: number | null = null,
  ): Promise<void> {
    const copy = (connection: Connection) =>
      connection.run(sql`
        COPY (
          SELECT b.*, s.by_xact_id AS _superseded_by FROM ${bufferTable(source)} b
          LEFT JOIN (
            SELECT "row" AS _row, by_xact_id FROM supersession
            WHERE source = ${BigInt(source)} AND by_xact_id <= ${upTo}
          ) s USING (_row)
          WHERE b._row >= ${BigInt(firstRow)} AND b._row < ${BigInt(endRow)}
        ) TO ${file} (${exportFormat([])})`);
    await (memoryMb === null ? this.#writer.use(copy) : this.#writer.withMemory(memoryMb, copy));
  }

  /** Writes what superseded rows of the sources up to `upTo` to a Parquet file. */
  async exportSupersessions(sources: readonly number[], upTo: bigint, file: string): Promise<void> {
    await this.#writer.use((connection) =>
      connection.run(sql`
        COPY (
          SELECT source, "row", by_xact_id FROM supersession
          WHERE by_xact_id <= ${upTo}
            AND source IN (SELECT unnest(${sources.map(String)}::INTEGER[]))
        ) TO ${file} (FORMAT parquet)`),
    );
  }

  /** Removes the tables of flushed generations and the supersessions of sources that are gone. */
  async discard(generations: readonly number[], segments: readonly number[]): Promise<void> {
    await this.#writer.transaction(async (connection) => {
      for (const source of generations)
        await connection.run(sql`DROP TABLE IF EXISTS ${bufferTable(source)}`);
      const sources = [...generations, ...segments].map(String);
      await connection.run(
        sql`DELETE FROM supersession WHERE source IN (SELECT unnest(${sources}::INTEGER[]))`,
      );
    });
    // When it fails, the log is moved by a later one.
    if (generations.length > 0) await this.#writer.checkpoint().catch(() => {});
  }
}

const rowsIn = (source: number, { firstRow, endRow }: RowRange, columns: Sql = sql`*`): Sql => sql`
  SELECT ${columns} FROM ${bufferTable(source)}
  WHERE _row >= ${BigInt(firstRow)} AND _row < ${BigInt(endRow)}`;

const allRows = (source: number, parts: readonly RowRange[]): Sql =>
  join(
    parts.map((part) => rowsIn(source, part)),
    ' UNION ALL ',
  );

/** On the caller's connection: one that waited for another could wait for ever while the writer is reopened. */
async function partsOf(
  connection: Pick<Connection, 'read'>,
  source: number,
  rows: RowRange,
  bytesMax: number,
): Promise<readonly RowRange[]> {
  const found = await byHalves<readonly Row[]>(
    rows,
    (part) =>
      connection.read(sql`
        SELECT _row, bytes FROM (${weighed(source, part)})
        WHERE bytes >= ${BigInt(heavyBytesMin)} ORDER BY _row`),
    (row) => [{ _row: row, bytes: bytesMax }],
  );
  const heavy = found
    .flat()
    .map(({ _row: row, bytes }) => ({ row: row as number, bytes: Number(bytes) }));
  return flushParts(rows, heavy, bytesMax);
}

const weighed = (source: number, part: RowRange): Sql =>
  rowsIn(source, part, sql`_row, ${rowBytes} AS bytes`);

const supersessionsIn = ({ after, upTo, knownSources, newSources }: BufferGap): Sql => sql`
  SELECT source, "row", by_xact_id FROM supersession
  WHERE by_xact_id <= ${upTo} AND (
    source IN (SELECT unnest(${newSources.map(String)}::INTEGER[]))
    OR (by_xact_id > ${after} AND source IN (SELECT unnest(${knownSources.map(String)}::INTEGER[]))))`;

/** The condition for some rows of one source. */
export const amongRows = (rowNumbers: readonly number[]): Sql =>
  sql`_row IN (${join(rowNumbers.map(word))})`;

export const rowsByNumber = (
  rows: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<number, UnplacedRow> =>
  new Map(
    rows.map(({ _row: number, ...row }) => [number as number, row as unknown as UnplacedRow]),
  );
