// Rows that come from elsewhere, in a temporary file that the queries of a snapshot can read.
import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join, numbered, sql, type Sql } from '../../../duckdb/sql.js';
import { isFileSystemError } from '../../../durable-file.js';
import { temporaryFull } from '../../../errors.js';
import type { TemporaryFile } from './finished-bytes.js';

/** The type of a column, whose values are numbers, booleans or strings in JSON. */
export type GivenType = 'BOOLEAN' | 'DOUBLE' | 'VARCHAR';

/** The least size of the longest line that the engine reads, in bytes; its default. */
const lineBytesMin = 2 ** 24;

export class GivenRows {
  readonly #file: string;
  #handle: FileHandle | null = null;
  #lineBytes = lineBytesMin;
  #count = 0;

  constructor(temporaryFile: TemporaryFile) {
    this.#file = temporaryFile(`given-${randomUUID()}`);
  }

  get count(): number {
    return this.#count;
  }

  /** @throws RequestError 503 if the disk is full */
  async add(rows: readonly (readonly unknown[])[]): Promise<void> {
    let text = '';
    for (const row of rows) {
      const cells = row.map((cell, index) => [`c${index}`, cell] as const);
      const line = `${JSON.stringify({ n: this.#count++, ...Object.fromEntries(cells) })}\n`;
      this.#lineBytes = Math.max(this.#lineBytes, Buffer.byteLength(line));
      text += line;
    }
    try {
      this.#handle ??= await open(this.#file, 'wx', 0o600);
      await this.#handle.write(text);
    } catch (error) {
      throw isFileSystemError(error) ? temporaryFull() : error;
    }
  }

  /** SELECT of the rows in their order, with the columns `c0`, `c1`, …. No rows may be added any more. */
  async select(types: readonly GivenType[]): Promise<Sql> {
    await this.add([]);
    await this.#handle?.close();
    this.#handle = null;
    const names = types.map((_, index) => numbered('c', index));
    const columns = types.map((type, index) => sql`${names[index]!}: ${type}`);
    return sql`SELECT ${join(names)} FROM read_json(${this.#file}, format = 'newline_delimited', columns = {${join([sql`n: 'BIGINT'`, ...columns])}}, maximum_object_size = ${this.#lineBytes}) ORDER BY n`;
  }

  async remove(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    await rm(this.#file, { force: true });
  }
}
