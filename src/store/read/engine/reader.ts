// The two in-memory DuckDB instances that run reads: one for small reads, one for all others. If one fails, both are discarded.
// Both have the same tables: the supersessions, and the buffered rows for which the disk had no room. All other rows are in files.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../../duckdb/connection.js';
import { keepingNoContent, type DatabaseSettings } from '../../../duckdb/database.js';
import type { RowChunk } from '../../../duckdb/rows.js';
import { identifier, sql, type Sql } from '../../../duckdb/sql.js';
import { ThreadDatabase } from '../../../duckdb/thread-database.js';
import {
  createEvents,
  createSupersession,
  supersessionChunks,
  type Supersession,
} from '../../row/event-table.js';
import type { RowsFileRequest } from '../../log/rows-file.js';
import { readerModule } from './reader-module.js';
import { SpillLimit } from './spill-limit.js';

export interface ReaderSettings {
  readonly memoryMb: number;
  readonly threads: number;
  /** What spilled data can take of the disk, in bytes. */
  readonly spillRoom: () => Promise<number>;
  /** Holds spilled data, exported results and the files of buffered rows. */
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
  readonly jobDirectory: string;
}

/** The instance that a read runs in. Small reads share neither memory nor threads with others. */
export type ReadSize = 'small' | 'heavy';

/** The largest memory limit of the instance for small reads. A read that exceeds it runs again in the other instance. */
const smallMemoryMbMax = 256;

const smallMemoryMb = (queryMb: number): number =>
  Math.min(smallMemoryMbMax, Math.ceil(queryMb / 2));

/** With less memory for queries, all reads share one instance, which saves the memory of the second one and its thread. */
const apartFromMb = 96;

interface Instance {
  readonly database: ThreadDatabase;
  readonly feed: Connection;
  readonly spillLimit: SpillLimit;
}

let instances = 0;

export class Reader {
  readonly #instances: Readonly<Record<ReadSize, Instance>>;
  readonly #directory: string;
  readonly #owners = new WeakMap<Connection, ThreadDatabase>();
  #pins = 1;
  #tables = 0;
  #failed = false;

  private constructor(opened: Readonly<Record<ReadSize, Instance>>, directory: string) {
    this.#instances = opened;
    this.#directory = directory;
  }

  static async build(settings: ReaderSettings): Promise<Reader> {
    const directory = path.join(settings.temporaryDirectory, `reader-${++instances}`);
    const isApart = settings.memoryMb >= apartFromMb;
    const { spillRoom } = settings;
    const background = { ...databaseSettings(settings, directory), isBackground: isApart };
    const heavy = await openInstance(background, spillRoom);
    if (!isApart) return new Reader({ heavy, small: heavy }, directory);
    try {
      const apart = {
        ...databaseSettings(settings, `${directory}-small`),
        memoryMb: smallMemoryMb(settings.memoryMb),
        // Synchronisation with a second thread costs small reads more than it gains.
        threads: 1,
        hasSmallResults: true,
      };
      const small = await openInstance(apart, spillRoom);
      return new Reader({ heavy, small }, directory);
    } catch (error) {
      await closeInstance(heavy);
      throw error;
    }
  }

  /** Set if the tables may be incomplete or an instance rejects statements. */
  get failed(): boolean {
    return this.#failed || this.#all.some(({ database }) => database.hasFailed);
  }

  set failed(failed: boolean) {
    this.#failed = failed;
  }

  get #all(): readonly Instance[] {
    return [...new Set(Object.values(this.#instances))];
  }

  /** Adds supersessions to both instances. If it rejects, the reader is `failed`. */
  async supersede(list: readonly Supersession[]): Promise<void> {
    if (list.length === 0) return;
    const chunks = supersessionChunks(list);
    await this.#feedAll((feed) => feed.append('supersession', chunks));
  }

  /** Writes rows of the log to the file that the request names, in the thread for small reads. */
  async writeRows(request: RowsFileRequest): Promise<void> {
    await this.#instances.small.database.runModule(readerModule, request);
  }

  /** Creates a table of the rows in both instances and returns its name. If it rejects, the reader is `failed`. */
  async keepRows(chunks: Iterable<RowChunk>): Promise<Sql> {
    const name = `rows_${++this.#tables}`;
    await this.#feedAll((feed) => feed.run(createEvents(name)));
    for (const chunk of chunks) await this.#feedAll((feed) => feed.append(name, [chunk]));
    return identifier(name);
  }

  dropRows(table: Sql): Promise<void> {
    return this.#onAll((connection) => connection.run(sql`DROP TABLE IF EXISTS ${table}`));
  }

  /** Deletes the supersessions of sources that no snapshot reads. If it rejects, the reader is `failed`. */
  async discard(sources: readonly number[]): Promise<void> {
    const deleted = this.#onAll((connection) =>
      connection.run(sql`
        DELETE FROM supersession
        WHERE source IN (SELECT unnest(${sources.map(String)}::INTEGER[]))`),
    );
    await this.#orFail(deleted);
  }

  /** Opens a connection, which the caller closes through `disconnect`. */
  async connect(size: ReadSize): Promise<Connection> {
    const { database, spillLimit } = this.#instances[size];
    const connection = await database.connect();
    this.#owners.set(connection, database);
    try {
      await spillLimit.apply(connection);
      return connection;
    } catch (error) {
      this.disconnect(connection);
      throw error;
    }
  }

  disconnect(connection: Connection): void {
    this.#owners.get(connection)?.disconnect(connection);
  }

  /** Keeps the instances open until `unpin`. */
  pin(): void {
    this.#pins += 1;
  }

  /** Releases a pin. The last release closes the instances. */
  async unpin(): Promise<void> {
    this.#pins -= 1;
    if (this.#pins > 0) return;
    await Promise.all(this.#all.map(closeInstance));
    // A directory that cannot be removed now is removed at the next start.
    for (const directory of [this.#directory, `${this.#directory}-small`])
      await rm(directory, { recursive: true, force: true }).catch(() => {});
  }

  /** The path of a file that the instances may write. The caller removes the file. */
  temporaryFile(name: string): string {
    return path.join(this.#directory, '..', name);
  }

  async #feedAll(work: (feed: Connection) => Promise<void>): Promise<void> {
    await this.#orFail(Promise.all(this.#all.map(({ feed }) => work(feed))));
  }

  async #orFail(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  async #onAll(work: (connection: Connection) => Promise<void>): Promise<void> {
    await Promise.all(this.#all.map(({ database }) => database.use(work)));
  }
}

async function openInstance(
  settings: DatabaseSettings,
  spillRoom: ReaderSettings['spillRoom'],
): Promise<Instance> {
  const database = await ThreadDatabase.open(':memory:', settings, readerModule);
  try {
    const feed = await database.connect();
    await feed.run(keepingNoContent);
    await feed.run(createSupersession);
    return { database, feed, spillLimit: new SpillLimit(spillRoom) };
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
  allowedDirectories: [
    settings.temporaryDirectory,
    settings.segmentDirectory,
    settings.jobDirectory,
  ],
  keepsFileMetadata: true,
});
