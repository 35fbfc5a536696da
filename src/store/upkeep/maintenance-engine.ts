// The engine instance that writes and merges segments: opened when there is something to write, closed when there was
// nothing for a while, since what it keeps for the next work is most of the memory of a server at rest.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { EngineError } from '../../duckdb/engine-error.js';
import { ThreadDatabase } from '../../duckdb/thread-database.js';
import { jsonFunctionsModule } from '../json-functions.js';

export interface MaintenanceEngineSettings {
  readonly memoryMb: number;
  /** An unused instance is closed after so long. */
  readonly idleMs: number;
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

/** As `ThreadDatabase.runModule`. */
export type RunModule = ThreadDatabase['runModule'];

export class MaintenanceEngine {
  readonly #settings: MaintenanceEngineSettings;
  #database: Promise<ThreadDatabase> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: MaintenanceEngineSettings) {
    this.#settings = settings;
  }

  /** Lends a connection for the time of `work`, and the instance's thread. */
  async use<T>(work: (connection: Connection, runModule: RunModule) => Promise<T>): Promise<T> {
    if (this.#closed) throw new EngineError('interrupted', 'the store is closed');
    clearTimeout(this.#timer);
    this.#uses += 1;
    try {
      const database = await this.#opened();
      return await database.use((connection) =>
        work(connection, database.runModule.bind(database)),
      );
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0) this.#closeLater();
    }
  }

  /** As `use`, in an instance of its own with this memory limit; `work` may use files in `temporaryDirectory`. */
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

  /** Makes what runs, and all that would follow, fail until `end`. */
  async interruptUntil(end: Promise<unknown>): Promise<void> {
    this.#closed = true;
    const database = await this.#database?.catch(() => undefined);
    await (database?.interruptUntil(end) ?? end);
  }

  /** No work must run any more. */
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
    const { memoryMb, temporaryDirectory, segmentDirectory } = this.#settings;
    return ThreadDatabase.open(
      ':memory:',
      {
        memoryMb,
        threads: 1,
        temporaryDirectory: path.join(temporaryDirectory, 'maintenance'),
        allowedDirectories: [temporaryDirectory, segmentDirectory],
      },
      jsonFunctionsModule,
    );
  }

  #closeLater(): void {
    this.#timer = setTimeout(() => void this.#shut('ended'), this.#settings.idleMs).unref();
  }

  async #shut(thread: 'kept' | 'ended'): Promise<void> {
    const before = this.#closing;
    const database = this.#database;
    this.#database = undefined;
    this.#closing = (async () => {
      await before;
      await (await database?.catch(() => undefined))?.close(thread);
    })();
    await this.#closing;
  }
}
