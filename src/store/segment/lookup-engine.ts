// The DuckDB instance for look-ups in segments. It is opened on demand and has a memory limit of its own.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { Database } from '../../duckdb/database.js';
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';

export interface LookupEngineSettings {
  readonly memoryMb: number;
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

/** The number of statements after which the instance is replaced: it keeps 55 KB per file that it has read, even after removal. */
const statementsMax = 1000;

export class LookupEngine {
  readonly #settings: LookupEngineSettings;
  #statements = 0;
  #running = 0;
  #database: Promise<Database> | undefined;
  #closed = false;

  constructor(settings: LookupEngineSettings) {
    this.#settings = settings;
  }

  /** Runs `work` with a connection of its own. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const opened = this.#opened();
    this.#running += 1;
    this.#statements += 1;
    try {
      return await (await opened).use(work);
    } catch (error) {
      if (isEngineError(error, 'fatal')) await this.#drop(opened);
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#running === 0 && this.#statements > statementsMax) await this.#drop(opened);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#database?.catch(() => undefined))?.close();
  }

  #opened(): Promise<Database> {
    if (this.#closed) throw new EngineError('interrupted', 'the store is closed');
    const { memoryMb, temporaryDirectory, segmentDirectory } = this.#settings;
    if (this.#database === undefined) {
      const opening = Database.open(':memory:', {
        memoryMb,
        threads: 1,
        temporaryDirectory: path.join(temporaryDirectory, 'lookup'),
        allowedDirectories: [temporaryDirectory, segmentDirectory],
        keepsFileMetadata: true,
      });
      this.#database = opening;
      opening.catch(() => (this.#database = undefined));
    }
    return this.#database;
  }

  // The next look-up opens another instance.
  async #drop(failed: Promise<Database>): Promise<void> {
    if (this.#database !== failed) return;
    this.#database = undefined;
    this.#statements = 0;
    await (await failed).close();
  }
}
