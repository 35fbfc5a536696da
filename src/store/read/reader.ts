// The engine instance that queries run in, thrown away when it fails. It holds what superseded rows; the rows themselves are in
// files, or, when the disk has no room for those, in tables of the instance.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { keepingNoContent, type DatabaseSettings } from '../../duckdb/database.js';
import type { RowChunk } from '../../duckdb/rows.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import { ThreadDatabase } from '../../duckdb/thread-database.js';
import {
  createEvents,
  createSupersession,
  supersessionChunks,
  type Supersession,
} from '../event-table.js';
import { jsonFunctionsModule } from '../json-functions.js';
import { rowsFileModule, type RowsOrder } from '../log/rows-file.js';

export interface ReaderSettings {
  readonly memoryMb: number;
  readonly threads: number;
  /** For spilled data, exported results and the files of buffered rows. */
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

let instances = 0;

export class Reader {
  readonly #database: ThreadDatabase;
  readonly #feed: Connection;
  readonly #directory: string;
  #pins = 1;
  #tables = 0;
  /** Set when the tables may be incomplete or the instance refuses statements. */
  failed = false;

  private constructor(database: ThreadDatabase, feed: Connection, directory: string) {
    this.#database = database;
    this.#feed = feed;
    this.#directory = directory;
  }

  static async build(settings: ReaderSettings): Promise<Reader> {
    const directory = path.join(settings.temporaryDirectory, `reader-${++instances}`);
    const database = await ThreadDatabase.open(
      ':memory:',
      databaseSettings(settings, directory),
      jsonFunctionsModule,
    );
    const reader = new Reader(database, await database.connect(), directory);
    try {
      await reader.#feed.run(keepingNoContent);
      await reader.#feed.run(createSupersession);
    } catch (error) {
      await reader.unpin();
      throw error;
    }
    return reader;
  }

  /** Takes up what superseded rows. After a failure the reader is `failed`. */
  async supersede(list: readonly Supersession[]): Promise<void> {
    if (list.length > 0)
      await this.#feed.append('supersession', supersessionChunks(list)).catch(this.#fail);
  }

  /** Writes rows of the log to the file that the order names. */
  async writeRows(order: RowsOrder): Promise<void> {
    await this.#database.runModule(rowsFileModule, order);
  }

  /** Makes a table of rows and returns its name. After a failure the reader is `failed`. */
  async keepRows(chunks: Iterable<RowChunk>): Promise<Sql> {
    const name = `rows_${++this.#tables}`;
    await this.#feed.run(createEvents(name)).catch(this.#fail);
    for (const chunk of chunks) await this.#feed.append(name, [chunk]).catch(this.#fail);
    return identifier(name);
  }

  async dropRows(table: Sql): Promise<void> {
    await this.#database.use((connection) => connection.run(sql`DROP TABLE IF EXISTS ${table}`));
  }

  /** Frees what is kept of sources that no snapshot reads any more. */
  async discard(sources: readonly number[]): Promise<void> {
    await this.#database.use((connection) =>
      connection.run(sql`
        DELETE FROM supersession
        WHERE source IN (SELECT unnest(${sources.map(String)}::INTEGER[]))`),
    );
  }

  /** Lends a connection of its own. */
  connect(): Promise<Connection> {
    return this.#database.connect();
  }

  disconnect(connection: Connection): void {
    this.#database.disconnect(connection);
  }

  /** Keeps the instance open until `unpin`. */
  pin(): void {
    this.#pins += 1;
  }

  /** The last one closes the instance. */
  async unpin(): Promise<void> {
    this.#pins -= 1;
    if (this.#pins > 0) return;
    this.#database.disconnect(this.#feed);
    await this.#database.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** A path that the instance may write to; whoever asks removes the file. */
  temporaryFile(name: string): string {
    return path.join(this.#directory, '..', name);
  }

  readonly #fail = (error: unknown): never => {
    this.failed = true;
    throw error;
  };
}

const databaseSettings = (settings: ReaderSettings, directory: string): DatabaseSettings => ({
  memoryMb: settings.memoryMb,
  threads: settings.threads,
  temporaryDirectory: directory,
  allowedDirectories: [settings.temporaryDirectory, settings.segmentDirectory],
  keepsFileMetadata: true,
});
