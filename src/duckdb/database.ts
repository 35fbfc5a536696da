// Opens a DuckDB instance with its limits and restricts it to its directories.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBScalarFunction } from '@duckdb/node-api';
import {
  interruptUntil,
  withConnection,
  type Connection,
  type Interruptible,
} from './connection.js';
import { DuckDBInstance } from './driver.js';
import { EngineError, toEngineError } from './engine-error.js';
import { readStringsExactly } from './rows.js';
import { untilReleased } from './file-handles.js';
import { startThreads } from './engine-threads.js';
import { LocalConnection, type ConnectionSettings } from './local-connection.js';
import { join, sql, toStatement, trusted, word, type Sql, type Statement } from './sql.js';

export interface DatabaseSettings {
  readonly memoryMb: number;
  readonly threads: number;
  /** The spill directory of the instance. */
  readonly temporaryDirectory: string;
  /** The directories that statements may read and write, besides the database file. */
  readonly allowedDirectories: readonly string[];
  /** Opens an existing file without changing it. */
  readonly readOnly?: boolean;
  /** Caches the metadata of Parquet files, for files that are read often and never change. */
  readonly keepsFileMetadata?: boolean;
  /** Materialises results before their first row is read, which takes fewer steps for small results. */
  readonly hasSmallResults?: boolean;
  /**
   * Statements that call no `SqlFunction` run in threads of the instance alone, with a lower priority than that of all other
   * threads. The thread that opens the instance gets the lower priority, too.
   */
  readonly isBackground?: boolean;
}

/** A function that JavaScript computes in the thread that opens the instance. */
export interface SqlFunction {
  readonly name: string;
  readonly scalar: DuckDBScalarFunction;
}

const inMemory = ':memory:';

/** For a connection that reads large files once. Otherwise the instance caches what it prefetches. */
export const keepingNoContent = sql`SET SESSION disable_parquet_prefetching = true`;

// SET takes no parameters; the values are the operator's paths, not a client's.
const literal = (text: string): Sql => trusted(`'${text.replaceAll("'", "''")}'`);

/** Limits what the instance spills to its disk, in bytes. Fails if it has spilled more. */
export const spillingAtMost = (bytes: number): Sql =>
  sql`SET GLOBAL max_temp_directory_size = ${literal(`${Math.floor(bytes)}B`)}`;

// The first two read the statistics of every column of every row group: 18 ms for 80 columns of 355 groups, 1 ms without. Scans
// still skip row groups by their statistics. The third finds equal parts of a plan, which our plans lack: 2 % of the time of
// analytic queries.
const withoutStatistics = sql`SET GLOBAL disabled_optimizers = 'statistics_propagation,join_order,common_subplan'`;

const lockdown = ({
  allowedDirectories,
  keepsFileMetadata = false,
}: DatabaseSettings): readonly Sql[] => [
  sql`SET GLOBAL TimeZone = 'UTC'`,
  sql`SET GLOBAL parquet_metadata_cache = ${word(String(keepsFileMetadata))}`,
  // One read per column of a row group instead of one per header and page, which saves an eighth of the time of a query.
  sql`SET GLOBAL prefetch_all_parquet_files = ${word(String(keepsFileMetadata))}`,
  ...(keepsFileMetadata ? [withoutStatistics] : []),
  sql`SET allowed_directories = [${join(allowedDirectories.map(literal))}]`,
  sql`SET enable_external_access = false`,
  // Permits `keepingNoContent` and `spillingAtMost`.
  sql`SET allowed_configs = ['disable_parquet_prefetching', 'max_temp_directory_size']`,
  sql`SET lock_configuration = true`,
];

const options = (settings: DatabaseSettings): Record<string, string> => ({
  memory_limit: `${settings.memoryMb}MB`,
  // A background instance starts its threads later.
  threads: settings.isBackground === true ? '1' : String(settings.threads),
  temp_directory: settings.temporaryDirectory,
  access_mode: settings.readOnly === true ? 'READ_ONLY' : 'AUTOMATIC',
  // Automatic checkpoints run inside a commit; the writer makes checkpoints between commits instead.
  checkpoint_threshold: '4GB',
  // Compressing, and merging row groups of earlier checkpoints, makes a checkpoint five times as long.
  force_compression: 'uncompressed',
  max_vacuum_tasks: '0',
  // Returns freed memory to the operating system: 250 MB of 540 MB after a start with many buffered rows.
  allocator_background_threads: 'true',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
});

export class Database {
  readonly #instance: DuckDBInstance;
  readonly #file: string;
  readonly #settings: ConnectionSettings;
  readonly #connections = new Map<Interruptible, { close(): void }>();
  readonly #connecting = new Set<Promise<unknown>>();
  #idle: (() => void) | undefined;
  #closed = false;

  private constructor(instance: DuckDBInstance, file: string, settings: ConnectionSettings) {
    this.#instance = instance;
    this.#file = file;
    this.#settings = settings;
  }

  /**
   * @param file a path or `:memory:`
   * @throws EngineError of kind `locked` if another process has the file open
   */
  static async open(
    file: string,
    settings: DatabaseSettings,
    functions: readonly SqlFunction[] = [],
  ): Promise<Database> {
    readStringsExactly();
    try {
      // The engine creates and removes the directory itself, but not its parents.
      await mkdir(path.dirname(settings.temporaryDirectory), { recursive: true });
      const instance = await DuckDBInstance.create(file, options(settings));
      const { isBackground = false, hasSmallResults = false } = settings;
      const functionNames = functions.map(({ name }) => name);
      const connections = { isBackground, hasSmallResults, functionNames };
      const database = new Database(instance, file, connections);
      await database.#prepare(settings, functions).catch(async (error: unknown) => {
        await database.close();
        throw error;
      });
      return database;
    } catch (error) {
      throw toEngineError(error);
    }
  }

  async #prepare(settings: DatabaseSettings, functions: readonly SqlFunction[]): Promise<void> {
    const connection = await this.#instance.connect();
    try {
      for (const { scalar } of functions) connection.registerScalarFunction(scalar);
    } finally {
      connection.closeSync();
    }
    if (settings.isBackground === true) await startThreads(this.#instance, settings.threads);
    await this.use(async (first) => {
      for (const step of lockdown(settings)) await first.run(step);
    });
  }

  /** The caller closes the connection through `disconnect`. */
  connect(): Promise<Connection> {
    return this.#connect(toStatement);
  }

  /** As `connect`, for statements from another thread. */
  connectForStatements(): Promise<Connection<Statement>> {
    return this.#connect((statement: Statement) => statement);
  }

  async #connect<S>(statementOf: (query: S) => Statement): Promise<Connection<S>> {
    // The driver would end the process.
    if (this.#closed) throw new EngineError('interrupted', 'the database is closed');
    const connecting = this.#instance.connect();
    this.#connecting.add(connecting);
    try {
      const connection = new LocalConnection(await connecting, statementOf, this.#settings);
      this.#connections.set(connection, connection);
      return connection;
    } finally {
      this.#connecting.delete(connecting);
    }
  }

  disconnect(connection: Interruptible): void {
    this.#connections.get(connection)?.close();
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#idle?.();
  }

  /** Runs `work` with a connection of its own. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return withConnection(this, work);
  }

  /**
   * Interrupts running statements and waits for their connections. The file must not be opened again before: the engine does not
   * detect a second instance in its own process. False if it still has its file after some seconds.
   * @param kept the handles of the file that this process keeps besides
   */
  async close(kept = 0): Promise<boolean> {
    this.#closed = true;
    // A connection that opens later would keep the file open.
    await Promise.allSettled(this.#connecting);
    if (this.#connections.size > 0) {
      const idle = new Promise<void>((resolve) => (this.#idle = resolve));
      await this.interruptUntil(idle);
    }
    this.#instance.closeSync();
    return this.#file === inMemory || untilReleased(this.#file, kept);
  }

  /** Interrupts all statements until `end`. */
  interruptUntil(end: Promise<unknown>): Promise<void> {
    return interruptUntil(this.#connections, end);
  }
}
