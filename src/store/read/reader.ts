// One in-memory engine instance with a copy of the buffered rows: what queries read, thrown away when it fails.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { keepingNoContent, type DatabaseSettings } from '../../duckdb/database.js';
import { isEngineError } from '../../duckdb/engine-error.js';
import { sql } from '../../duckdb/sql.js';
import { ThreadDatabase } from '../../duckdb/thread-database.js';
import { bufferTable, createBuffer, createSupersession } from '../event-table.js';
import { GatheredAppends } from './gathered-appends.js';
import { jsonFunctionsModule } from '../json-functions.js';
import { nothingYet, type StoreChange, type StoreState } from '../store-state.js';
import type { ExportFiles, WriteBuffer } from '../commit/write-buffer.js';
import { gapBetween, type BufferGap } from './buffer-gap.js';

export interface ReaderSettings {
  readonly memoryMb: number;
  readonly threads: number;
  /** For spilled data, exported results and the files of a rebuild. */
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

let instances = 0;

export class Reader {
  readonly #database: ThreadDatabase;
  readonly #feed: Connection;
  readonly #directory: string;
  #state: StoreState = nothingYet;
  #pins = 1;
  /** Set when the tables may be incomplete or the instance refuses statements. */
  failed = false;

  private constructor(database: ThreadDatabase, feed: Connection, directory: string) {
    this.#database = database;
    this.#feed = feed;
    this.#directory = directory;
  }

  /** A new instance, without rows until it catches up. */
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

  /** All that is visible in it. */
  get state(): StoreState {
    return this.#state;
  }

  /**
   * Takes up what was committed. An EngineError of kind `memory` leaves the reader as it was; after any other
   * failure it is `failed`.
   */
  async apply(changes: readonly StoreChange[]): Promise<void> {
    await this.#transaction(async () => {
      const gathered = new GatheredAppends(this.#feed);
      for (const change of changes) await change.copyTo(gathered);
      await gathered.finish();
    });
    this.#state = changes.at(-1)?.state ?? this.#state;
  }

  /** As `apply`, with what the write buffer holds at `state`: for many rows that takes half the time. */
  async catchUp(buffer: WriteBuffer, state: StoreState): Promise<void> {
    await this.#load(buffer, gapBetween(this.#state, state));
    this.#state = state;
  }

  /** Frees what is kept of sources that no snapshot reads any more. */
  async discard(generations: readonly number[], segments: readonly number[]): Promise<void> {
    const sources = [...generations, ...segments].map(String);
    await this.#database.use(async (connection) => {
      for (const source of generations)
        await connection.run(sql`DROP TABLE IF EXISTS ${bufferTable(source)}`);
      await connection.run(
        sql`DELETE FROM supersession WHERE source IN (SELECT unnest(${sources}::INTEGER[]))`,
      );
    });
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

  #fail(): void {
    this.failed = true;
  }

  async #load(buffer: WriteBuffer, gap: BufferGap): Promise<void> {
    const prefix = `${this.#directory}-${gap.upTo}`;
    const files = {
      rows: (source: number) => `${prefix}-rows-${source}.parquet`,
      supersessions: `${prefix}-supersessions.parquet`,
    };
    try {
      if (await hasRoom(buffer.export(gap, files)))
        await this.#transaction(() => this.#copyFrom(files, gap));
      else await buffer.copy(gap, (copyTo) => this.#transaction(() => this.#take(gap, copyTo)));
    } finally {
      const written = [files.supersessions, ...gap.rows.map(({ source }) => files.rows(source))];
      await Promise.all(written.map((file) => rm(file, { force: true })));
    }
  }

  #copyFrom(files: ExportFiles, gap: BufferGap): Promise<void> {
    return this.#take(gap, async (to) => {
      for (const { source } of gap.rows)
        await to.run(
          sql`INSERT INTO ${bufferTable(source)} SELECT * FROM read_parquet(${files.rows(source)})`,
        );
      await to.run(
        sql`INSERT INTO supersession SELECT * FROM read_parquet(${files.supersessions})`,
      );
    });
  }

  async #take(
    { newGenerations }: BufferGap,
    copyTo: (to: Connection) => Promise<void>,
  ): Promise<void> {
    for (const source of newGenerations) await this.#feed.run(createBuffer(source));
    await copyTo(this.#feed);
  }

  async #transaction(work: () => Promise<void>): Promise<void> {
    await this.#feed.run(sql`BEGIN`);
    try {
      await work();
    } catch (error) {
      await this.#feed.run(sql`ROLLBACK`).catch(() => this.#fail());
      if (!isEngineError(error, 'memory')) this.#fail();
      throw error;
    }
    // A commit that runs out of memory half way may leave damaged tables behind.
    await this.#feed.run(sql`COMMIT`).catch((error: unknown) => {
      this.#fail();
      throw error;
    });
  }
}

/** Whether files could be written. */
const hasRoom = (written: Promise<void>): Promise<boolean> =>
  written.then(
    () => true,
    (error: unknown) => {
      if (!isEngineError(error, 'storage')) throw error;
      return false;
    },
  );

const databaseSettings = (settings: ReaderSettings, directory: string): DatabaseSettings => ({
  memoryMb: settings.memoryMb,
  threads: settings.threads,
  temporaryDirectory: directory,
  allowedDirectories: [settings.temporaryDirectory, settings.segmentDirectory],
  keepsFileMetadata: true,
});
