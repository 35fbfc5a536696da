// Tail files: temporary, immutable Parquet files of buffered rows, written from the log when a snapshot needs rows that no file
// has. New rows are written together with those of small neighbouring files, so a generation of n rows has about log n files.
import { rm } from 'node:fs/promises';
import { isEngineError } from '../../../duckdb/engine-error.js';
import { readParquet } from '../../../duckdb/parquet.js';
import { join, sql, type Sql } from '../../../duckdb/sql.js';
import { eventChunks, storedValues } from '../../row/event-table.js';
import type { EventLog } from '../../log/event-log.js';
import type { Generation, StoreState } from '../../manifest/store-state.js';
import type { RowRange } from '../../row/row-range.js';
import type { Reader } from '../engine/reader.js';

/** The rows of each generation that has any, for a FROM clause. */
export type TailTables = ReadonlyMap<number, Sql>;

/** Rows in a file, or in a table of the reader. */
interface Tail extends RowRange {
  readonly file: string | null;
  readonly table: Sql;
}

/** A file of up to this many rows is always rewritten with the new rows: it adds hardly any time. */
const smallRows = 64;
/** A larger file is rewritten if it has at most this many times as many rows as are new. */
const growth = 2;
/** Rows per chunk of the in-memory fallback. */
const copiedRows = 256;

/** File names are unique in the process, since the engine caches metadata by name. */
let lastFile = 0;

export class TailFiles {
  readonly #log: EventLog;
  readonly #reader: Reader;
  readonly #tails = new Map<number, readonly Tail[]>();
  #replaced: Tail[] = [];
  #filesMade = 0;

  constructor(log: EventLog, reader: Reader) {
    this.#log = log;
    this.#reader = reader;
  }

  /** The number of files written. */
  get filesMade(): number {
    return this.#filesMade;
  }

  /**
   * Returns tables with all buffered rows of `state`, and possibly later ones. Calls must not overlap.
   * @throws EngineError of kind `memory` if neither disk nor memory has room for them
   */
  async cover(state: StoreState): Promise<TailTables> {
    for (const generation of [...state.sealed, state.active]) await this.#extend(generation);
    return new Map(Array.from(this.#tails, ([source, tails]) => [source, rowsOf(tails)]));
  }

  /** Returns a function that removes the files replaced since the last call, for when no snapshot reads them; null if none were. */
  takeReplaced(): (() => Promise<void>) | null {
    const replaced = this.#replaced;
    this.#replaced = [];
    return replaced.length === 0 ? null : () => this.#remove(replaced);
  }

  /** Removes the rows of generations that no snapshot reads. */
  async discard(sources: Iterable<number>): Promise<void> {
    for (const source of sources) {
      await this.#remove(this.#tails.get(source) ?? []);
      this.#tails.delete(source);
    }
  }

  /** Removes everything. */
  async close(): Promise<void> {
    await this.takeReplaced()?.();
    await this.discard([...this.#tails.keys()]);
  }

  async #extend({ source, rowCount: endRow }: Generation): Promise<void> {
    const tails = this.#tails.get(source) ?? [];
    let firstRow = tails.at(-1)?.endRow ?? 0;
    if (firstRow >= endRow) return;
    const kept = [...tails];
    for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
      const rows = last.endRow - last.firstRow;
      if (rows > smallRows && rows > growth * (endRow - firstRow)) break;
      ({ firstRow } = last);
      kept.pop();
    }
    const made = await this.#make(source, { firstRow, endRow });
    this.#tails.set(source, [...kept, made]);
    this.#replaced.push(...tails.slice(kept.length));
  }

  async #make(source: number, rows: RowRange): Promise<Tail> {
    this.#filesMade += 1;
    const file = this.#reader.temporaryFile(`rows-${source}-${++lastFile}.parquet`);
    try {
      await this.#reader.writeRows(this.#log.rowsRequest(source, rows, file));
      return { ...rows, file, table: readParquet(file) };
    } catch (error) {
      await removeFile(file);
      if (!isEngineError(error, 'storage')) throw error;
      // In-memory fallback for a full disk.
      const table = await this.#reader.keepRows(this.#chunks(source, rows));
      return { ...rows, file: null, table };
    }
  }

  *#chunks(source: number, { firstRow, endRow }: RowRange) {
    for (let first = firstRow; first < endRow; first += copiedRows) {
      const end = Math.min(endRow, first + copiedRows);
      const rows = Array.from({ length: end - first }, (_, index) =>
        storedValues(this.#log.eventAt(source, first + index), first + index),
      );
      yield* eventChunks(rows);
    }
  }

  async #remove(tails: readonly Tail[]): Promise<void> {
    for (const { file, table } of tails)
      if (file !== null) await removeFile(file);
      else await this.#reader.dropRows(table).catch(() => {});
  }
}

/** A file that cannot be removed now is removed at the next start. */
const removeFile = (file: string): Promise<void> => rm(file, { force: true }).catch(() => {});

function rowsOf(tails: readonly Tail[]): Sql {
  const files = tails.flatMap(({ file }) => file ?? []);
  if (files.length === tails.length) return readParquet(files);
  return sql`(${join(
    tails.map(({ table }) => sql`SELECT * FROM ${table}`),
    ' UNION ALL ',
  )})`;
}
