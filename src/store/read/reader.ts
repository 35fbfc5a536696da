// The engine instances that reads run in, thrown away when one fails: one for small reads, and one for any. Both hold what
// superseded rows; the rows themselves are in files, or, when the disk has no room for those, in tables of the instances.
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
} from '../row/event-table.js';
import { rowsFileModule, type RowsFileRequest } from '../log/rows-file.js';
import { readerModule } from './reader-module.js';

export interface ReaderSettings {
  readonly memoryMb: number;
  readonly threads: number;
  /** For spilled data, exported results and the files of buffered rows. */
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

/** Which reads an instance is for: small ones do not share memory and threads with the others. */
export type ReadSize = 'small' | 'any';

/** For results of small reads with all that it takes to make them; what needs more is read again by the other instance. */
const smallMemoryMbMax = 256;

const smallMemoryMb = (queryMb: number): number =>
  Math.min(smallMemoryMbMax, Math.ceil(queryMb / 2));

/** Where queries have less, a second instance and its thread are too much: all reads share one. */
const apartFromMb = 96;

interface Instance {
  readonly database: ThreadDatabase;
  readonly feed: Connection;
}

let instances = 0;

export class Reader {
  readonly #instances: Readonly<Record<ReadSize, Instance>>;
  readonly #directory: string;
  readonly #owners = new WeakMap<Connection, ThreadDatabase>();
  #pins = 1;
  #tables = 0;
  /** Set when the tables may be incomplete or an instance refuses statements. */
  failed = false;

  private constructor(opened: Readonly<Record<ReadSize, Instance>>, directory: string) {
    this.#instances = opened;
    this.#directory = directory;
  }

  static async build(settings: ReaderSettings): Promise<Reader> {
    const directory = path.join(settings.temporaryDirectory, `reader-${++instances}`);
    const any = await openInstance(databaseSettings(settings, directory));
    if (settings.memoryMb < apartFromMb) return new Reader({ any, small: any }, directory);
    try {
      const small = await openInstance({
        ...databaseSettings(settings, `${directory}-small`),
        memoryMb: smallMemoryMb(settings.memoryMb),
        // With a second one, each small step of a read would wait for it.
        threads: 1,
        hasSmallResults: true,
      });
      return new Reader({ any, small }, directory);
    } catch (error) {
      await closeInstance(any);
      throw error;
    }
  }

  get #all(): readonly Instance[] {
    return [...new Set(Object.values(this.#instances))];
  }

  /** Takes up what superseded rows. After a failure the reader is `failed`. */
  async supersede(list: readonly Supersession[]): Promise<void> {
    if (list.length === 0) return;
    const chunks = supersessionChunks(list);
    await this.#feedAll((feed) => feed.append('supersession', chunks));
  }

  /** Writes rows of the log to the file that the order names. */
  async writeRows(order: RowsFileRequest): Promise<void> {
    await this.#instances.small.database.runModule(rowsFileModule, order);
  }

  /** Makes a table of rows and returns its name. After a failure the reader is `failed`. */
  async keepRows(chunks: Iterable<RowChunk>): Promise<Sql> {
    const name = `rows_${++this.#tables}`;
    await this.#feedAll((feed) => feed.run(createEvents(name)));
    for (const chunk of chunks) await this.#feedAll((feed) => feed.append(name, [chunk]));
    return identifier(name);
  }

  dropRows(table: Sql): Promise<void> {
    return this.#onAll((connection) => connection.run(sql`DROP TABLE IF EXISTS ${table}`));
  }

  /** Frees what is kept of sources that no snapshot reads any more. */
  discard(sources: readonly number[]): Promise<void> {
    return this.#onAll((connection) =>
      connection.run(sql`
        DELETE FROM supersession
        WHERE source IN (SELECT unnest(${sources.map(String)}::INTEGER[]))`),
    );
  }

  /** Lends a connection of its own. */
  async connect(size: ReadSize): Promise<Connection> {
    const { database } = this.#instances[size];
    const connection = await database.connect();
    this.#owners.set(connection, database);
    return connection;
  }

  disconnect(connection: Connection): void {
    this.#owners.get(connection)?.disconnect(connection);
  }

  /** Keeps the instances open until `unpin`. */
  pin(): void {
    this.#pins += 1;
  }

  /** The last one closes the instances. */
  async unpin(): Promise<void> {
    this.#pins -= 1;
    if (this.#pins > 0) return;
    await Promise.all(this.#all.map(closeInstance));
    for (const directory of [this.#directory, `${this.#directory}-small`])
      await rm(directory, { recursive: true, force: true });
  }

  /** A path that the instances may write to; whoever asks removes the file. */
  temporaryFile(name: string): string {
    return path.join(this.#directory, '..', name);
  }

  async #feedAll(work: (feed: Connection) => Promise<void>): Promise<void> {
    try {
      await Promise.all(this.#all.map(({ feed }) => work(feed)));
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  async #onAll(work: (connection: Connection) => Promise<void>): Promise<void> {
    await Promise.all(this.#all.map(({ database }) => database.use(work)));
  }
}

async function openInstance(settings: DatabaseSettings): Promise<Instance> {
  const database = await ThreadDatabase.open(':memory:', settings, readerModule);
  try {
    const feed = await database.connect();
    await feed.run(keepingNoContent);
    await feed.run(createSupersession);
    return { database, feed };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function closeInstance({ database, feed }: Instance): Promise<void> {
  database.disconnect(feed);
  await database.close();
}

const databaseSettings = (settings: ReaderSettings, directory: string): DatabaseSettings => ({
  memoryMb: settings.memoryMb,
  threads: settings.threads,
  temporaryDirectory: directory,
  allowedDirectories: [settings.temporaryDirectory, settings.segmentDirectory],
  keepsFileMetadata: true,
});
