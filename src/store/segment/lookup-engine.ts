// The engine instance of lookups in segments: opened when one is needed, apart from the writer's memory.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { Database } from '../../duckdb/database.js';
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';

export interface LookupEngineSettings {
  readonly memoryMb: number;
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

export class LookupEngine {
  readonly #settings: LookupEngineSettings;
  #database: Promise<Database> | undefined;
  #closed = false;

  constructor(settings: LookupEngineSettings) {
    this.#settings = settings;
  }

  /** Lends a connection for the time of `work`. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const opened = this.#opened();
    const database = await opened;
    try {
      return await database.use(work);
    } catch (error) {
      if (isEngineError(error, 'fatal')) await this.#drop(opened);
      throw error;
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

  // The next lookup opens another one.
  async #drop(failed: Promise<Database>): Promise<void> {
    if (this.#database !== failed) return;
    this.#database = undefined;
    await (await failed).close();
  }
}
