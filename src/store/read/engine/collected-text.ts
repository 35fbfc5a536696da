// Collects the rows of a query as JSON text, in the reader's thread. Up to 1 MB of text stays in memory; more goes to a file.
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Connection, RowBatch } from '../../../duckdb/connection.js';
import type { Sql } from '../../../duckdb/sql.js';
import {
  ColumnKinds,
  rowWriter,
  type ResultColumn,
  type ResultValue,
  type WrittenRow,
} from '../../../json/result-row.js';

export interface TextTarget {
  /** The file for text that exceeds the memory. */
  readonly path: string;
  /** Null for a query with one column, the JSON text of a row. */
  readonly columns: readonly ResultColumn[] | null;
  /** The separator of rows. */
  readonly separator: string;
  /** Further rows are counted, but omitted from the text. */
  readonly rowsMax: number;
}

export interface CollectedText {
  /** The text; null if it is in the file. */
  readonly inMemory: Uint8Array | null;
  /** The number of rows, including omitted ones. */
  readonly rowCount: number;
  /** The distinct kinds of the values of each column. */
  readonly kinds: readonly string[];
  /** The position of the last row of the text in the page order; null if the query has no pages or the text no rows. */
  readonly place: string | null;
}

const memoryBytesMax = 2 ** 20;

/** The limit on text in memory while the disk is full, which is enough for pages. */
const fullDiskBytesMax = 2 ** 25;

/** Writes a row whose only column is its text. */
const writeTextRow = (value: (column: number) => ResultValue): WrittenRow => ({
  text: String(value(0)),
  kinds: '',
});

/** Rows are joined up to about this length, since those of a whole chunk can exceed the longest possible string. */
const textLengthMax = 2 ** 22;

/**
 * Collects the text of the rows of the query. The names of its columns must be distinct: the columns of the target and, for a query
 * with pages, the position of the row. If it rejects, there is no file.
 * @throws EngineError
 */
export const collectText = (
  connection: Pick<Connection, 'consume'>,
  query: Sql,
  target: TextTarget,
): Promise<CollectedText> =>
  connection.consume(query, new URL(import.meta.url), target) as Promise<CollectedText>;

/** Runs in the thread of the connection; `target` is a `TextTarget`. */
export async function consume(
  result: AsyncIterable<RowBatch>,
  target: unknown,
): Promise<CollectedText> {
  const collector = new TextCollector(target as TextTarget);
  try {
    for await (const batch of result) await collector.take(batch);
    return await collector.finish();
  } catch (error) {
    await collector.discard();
    throw error;
  }
}

class TextCollector {
  readonly #target: TextTarget;
  readonly #write: ReturnType<typeof rowWriter>;
  /** Without the position of the row. */
  readonly #columnCount: number;
  readonly #kinds: ColumnKinds;
  #rowCount = 0;
  #place: string | null = null;
  #parts: Buffer[] = [];
  #bytesInMemory = 0;
  #bytes = 0;
  #file: FileHandle | undefined;
  /** The length of the file. */
  #written = 0;
  #isDiskFull = false;

  constructor(target: TextTarget) {
    this.#target = target;
    const { columns } = target;
    this.#write = columns === null ? writeTextRow : rowWriter(columns);
    this.#columnCount = columns?.length ?? 1;
    this.#kinds = new ColumnKinds(columns?.length ?? 0);
  }

  /** Adds rows. Their columns are those of the target, optionally followed by the position of the row. */
  async take({ valueAt, rowCount, columnCount }: RowBatch): Promise<void> {
    const { separator, rowsMax } = this.#target;
    const hasPlace = columnCount > this.#columnCount;
    const wanted = Math.min(rowCount, Math.max(0, rowsMax - this.#rowCount));
    let text = '';
    for (let row = 0; row < wanted; row++) {
      const written = this.#write((column) => valueAt(column, row) as ResultValue);
      this.#kinds.add(written.kinds);
      text += this.#rowCount + row === 0 ? written.text : separator + written.text;
      if (text.length < textLengthMax) continue;
      await this.#add(Buffer.from(text));
      text = '';
    }
    if (hasPlace && wanted > 0) this.#place = valueAt(this.#columnCount, wanted - 1) as string;
    this.#rowCount += rowCount;
    if (text !== '') await this.#add(Buffer.from(text));
  }

  async finish(): Promise<CollectedText> {
    if (this.#file !== undefined) await this.#spill();
    await this.#file?.close();
    return {
      // A copy, because posting a view of a pooled buffer to another thread would copy the whole pool.
      inMemory: this.#file === undefined ? new Uint8Array(Buffer.concat(this.#parts)) : null,
      rowCount: this.#rowCount,
      kinds: this.#kinds.ofColumns,
      place: this.#place,
    };
  }

  async discard(): Promise<void> {
    await this.#file?.close().catch(() => {});
    await rm(this.#target.path, { force: true });
  }

  async #add(bytes: Buffer): Promise<void> {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    this.#bytesInMemory += bytes.length;
    const bytesMax = this.#isDiskFull ? fullDiskBytesMax : memoryBytesMax;
    if (this.#bytesInMemory > bytesMax) await this.#spill();
  }

  async #spill(): Promise<void> {
    try {
      this.#file ??= await open(this.#target.path, 'wx+');
      for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
        await this.#file.appendFile(part);
        this.#written += part.length;
        this.#parts.shift();
      }
      this.#bytesInMemory = 0;
    } catch (error) {
      const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
      if (!isFull || this.#bytes > fullDiskBytesMax) throw error;
      await this.#unspill();
    }
  }

  /** Moves the text of the file back to memory and removes the file. */
  async #unspill(): Promise<void> {
    const bytes = Buffer.alloc(this.#written);
    await this.#file?.read(bytes, 0, bytes.length, 0);
    await this.discard();
    this.#file = undefined;
    this.#written = 0;
    this.#isDiskFull = true;
    this.#parts.unshift(bytes);
    this.#bytesInMemory = this.#bytes;
  }
}
