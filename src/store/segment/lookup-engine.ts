// The DuckDB instance for look-ups in segments. It is opened on demand and has a memory limit of its own. After a fatal error, the next
// look-up opens another one.
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
  /** Instances that were replaced. */
  #closing: Promise<unknown> = Promise.resolve();
  #instances = 0;

  constructor(settings: LookupEngineSettings) {
    this.#settings = settings;
  }

  /**
   * Runs `work` with a connection of its own.
   * @throws EngineError `fatal` also if the instance was replaced meanwhile
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const opened = this.#opened();
    this.#running += 1;
    this.#statements += 1;
    try {
      return await (await opened).use(work);
    } catch (error) {
      if (isEngineError(error, 'fatal')) this.#drop(opened);
      const isReplaced = this.#database !== opened && !this.#closed;
      if (isReplaced && isEngineError(error, 'interrupted'))
        throw new EngineError('fatal', 'the instance for look-ups failed', { cause: error });
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#running === 0 && this.#statements > statementsMax) this.#drop(opened);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#closing;
    await (await this.#database?.catch(() => undefined))?.close();
  }

  #opened(): Promise<Database> {
    if (this.#closed) throw new EngineError('interrupted', 'the store is closed');
    const { memoryMb, temporaryDirectory, segmentDirectory } = this.#settings;
    if (this.#database === undefined) {
      const opening = Database.open(':memory:', {
        memoryMb,
        threads: 1,
        // Not shared with an instance that is being closed.
        temporaryDirectory: path.join(temporaryDirectory, `lookup-${++this.#instances}`),
        allowedDirectories: [temporaryDirectory, segmentDirectory],
        keepsFileMetadata: true,
      });
      this.#database = opening;
      opening.catch(() => (this.#database = undefined));
    }
    return this.#database;
  }

  /** The next look-up opens another instance. Statements that still run are interrupted. */
  #drop(former: Promise<Database>): void {
    if (this.#database !== former) return;
    this.#database = undefined;
    this.#statements = 0;
    this.#closing = Promise.allSettled([
      this.#closing,
      former.then((database) => database.close()),
    ]);
  }
}
