// The rows of queries as JSON text, written in the thread of the reader. Little text stays in memory, more goes to a file that
// is read without the engine.
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Connection, RowBatch } from '../../duckdb/connection.js';
import type { Sql } from '../../duckdb/sql.js';
import { rowWriter, type ResultColumn, type ResultValue } from '../../json/result-row.js';

export interface TextTarget {
  /** Made only when there is more text than is kept in memory. */
  readonly path: string;
  readonly columns: readonly ResultColumn[];
  /** Between two rows. */
  readonly separator: string;
  /** Rows past these are counted and left out. */
  readonly rowsMax: number;
}

export interface CollectedText {
  /** Of the text, in UTF-8. */
  readonly bytes: number;
  /** The text itself; null when it is in the file. */
  readonly inMemory: Uint8Array | null;
  /** Rows that there were, also those left out. */
  readonly rowCount: number;
  /** The distinct kinds of rows, one letter for each column. */
  readonly kinds: readonly string[];
  /** The place of the last row that was not left out; null without one. */
  readonly place: string | null;
}

const memoryBytesMax = 2 ** 20;

/** Where the disk is full, text of this length stays in memory, so that pages can be read. */
const fullDiskBytesMax = 2 ** 25;

/** Rows are put together up to this length: all of a chunk may be longer than a string can be. */
const textLengthMax = 2 ** 22;

/**
 * The text of the rows of the queries, one query after the other. Their columns have different names: those of the target and,
 * where there are places, the place of the row. When it fails there is no file.
 * @throws EngineError
 */
export const collectText = (
  connection: Pick<Connection, 'consume'>,
  queries: readonly Sql[],
  target: TextTarget,
): Promise<CollectedText> =>
  connection.consume(queries, new URL(import.meta.url), target) as Promise<CollectedText>;

/** Runs in the thread of the connection; `target` is a `TextTarget`. */
export async function consume(
  results: Iterable<AsyncIterable<RowBatch>>,
  target: unknown,
): Promise<CollectedText> {
  const collector = new TextCollector(target as TextTarget);
  try {
    for (const result of results) {
      if (collector.isFull) break;
      for await (const batch of result) await collector.take(batch);
    }
    return await collector.finish();
  } catch (error) {
    await collector.discard();
    throw error;
  }
}

class TextCollector {
  readonly #target: TextTarget;
  readonly #write: ReturnType<typeof rowWriter>;
  readonly #kinds = new Set<string>();
  #rowCount = 0;
  #place: string | null = null;
  #parts: Buffer[] = [];
  #bytesInMemory = 0;
  #bytes = 0;
  #file: FileHandle | undefined;
  /** Bytes of the text that the file has. */
  #written = 0;
  #isDiskFull = false;

  constructor(target: TextTarget) {
    this.#target = target;
    this.#write = rowWriter(target.columns);
  }

  get isFull(): boolean {
    return this.#rowCount > this.#target.rowsMax;
  }

  /** The columns are those of the target, and perhaps one more, the place of the row. */
  async take({ valueAt, rowCount, columnCount }: RowBatch): Promise<void> {
    const { separator, columns, rowsMax } = this.#target;
    const hasPlace = columnCount > columns.length;
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
    if (hasPlace && wanted > 0) this.#place = valueAt(columns.length, wanted - 1) as string;
    this.#rowCount += rowCount;
    if (text !== '') await this.#add(Buffer.from(text));
  }

  async finish(): Promise<CollectedText> {
    if (this.#file !== undefined) await this.#spill();
    await this.#file?.close();
    return {
      bytes: this.#bytes,
      // Not a part of a larger buffer, all of which would be posted between threads.
      inMemory: this.#file === undefined ? new Uint8Array(Buffer.concat(this.#parts)) : null,
      rowCount: this.#rowCount,
      kinds: [...this.#kinds],
      place: this.#place,
    };
  }

  /** Removes the file. */
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
      await this.#takeBack();
    }
  }

  /** Takes into memory what the file has, and removes it. */
  async #takeBack(): Promise<void> {
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
