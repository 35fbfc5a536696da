// The DuckDB instance that writes and merges segments. It is opened on demand and closed when it is idle, since the memory
// that it keeps is most of the memory of an idle server. The memory that it keeps grows with its uses; under constant load, when
// it is never idle, it is replaced.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { EngineError } from '../../duckdb/engine-error.js';
import { ThreadDatabase } from '../../duckdb/thread-database.js';
import { scalarFunctionsModule } from '../row/scalar-functions.js';

export interface MaintenanceEngineSettings {
  readonly memoryMb: number;
  /** An unused instance is closed after this time. */
  readonly idleMs: number;
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
  readonly jobDirectory: string;
  /** See `DatabaseSettings`. */
  readonly isBackground?: boolean;
}

/** An instance is replaced after so many uses. */
const usesMax = 10;

/** As `ThreadDatabase.runModule`. */
export type RunModule = ThreadDatabase['runModule'];

export class MaintenanceEngine {
  readonly #settings: MaintenanceEngineSettings;
  #database: Promise<ThreadDatabase> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #running = 0;
  /** Uses of the open instance, running and ended. */
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: MaintenanceEngineSettings) {
    this.#settings = settings;
  }

  /** Runs `work` with a connection and with a function that runs modules in the thread of the instance. */
  async use<T>(work: (connection: Connection, runModule: RunModule) => Promise<T>): Promise<T> {
    if (this.#closed) throw new EngineError('interrupted', 'the store is closed');
    clearTimeout(this.#timer);
    if (this.#uses >= usesMax && this.#running === 0) void this.#shut('kept');
    this.#uses += 1;
    this.#running += 1;
    try {
      const database = await this.#opened();
      return await database.use((connection) =>
        work(connection, database.runModule.bind(database)),
      );
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#closeLater();
    }
  }

  /** Like `use`, in an extra instance with this memory limit. `work` may use files in `temporaryDirectory`. */
  async useWith<T>(
    memoryMb: number,
    work: (connection: Connection, runModule: RunModule, temporaryDirectory: string) => Promise<T>,
  ): Promise<T> {
    const temporaryDirectory = path.join(this.#settings.temporaryDirectory, 'large');
    const engine = new MaintenanceEngine({ ...this.#settings, memoryMb, temporaryDirectory });
    try {
      return await engine.use((connection, runModule) =>
        work(connection, runModule, temporaryDirectory),
      );
    } finally {
      await engine.close();
    }
  }

  /** Interrupts running statements, and all later ones, until `end`. */
  async interruptUntil(end: Promise<unknown>): Promise<void> {
    this.#closed = true;
    const database = await this.#database?.catch(() => undefined);
    await (database?.interruptUntil(end) ?? end);
  }

  /** Closes the instance. No work may run. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#shut('kept');
  }

  #opened(): Promise<ThreadDatabase> {
    // Two instances must not share the directory that they spill to.
    if (this.#database === undefined) {
      const opening = this.#closing.then(() => this.#open());
      this.#database = opening;
      opening.catch(() => (this.#database = undefined));
    }
    return this.#database;
  }

  #open(): Promise<ThreadDatabase> {
    const { memoryMb, temporaryDirectory, segmentDirectory, jobDirectory } = this.#settings;
    const { isBackground = false } = this.#settings;
    return ThreadDatabase.open(
      ':memory:',
      {
        memoryMb,
        threads: 1,
        temporaryDirectory: path.join(temporaryDirectory, isBackground ? 'removal' : 'maintenance'),
        allowedDirectories: [temporaryDirectory, segmentDirectory, jobDirectory],
        isBackground,
      },
      scalarFunctionsModule,
    );
  }

  #closeLater(): void {
    this.#timer = setTimeout(() => void this.#shut('terminated'), this.#settings.idleMs).unref();
  }

  async #shut(thread: 'kept' | 'terminated'): Promise<void> {
    const before = this.#closing;
    const database = this.#database;
    this.#database = undefined;
    this.#uses = 0;
    this.#closing = (async () => {
      await before;
      await (await database?.catch(() => undefined))?.close(thread);
    })();
    await this.#closing;
  }
}
