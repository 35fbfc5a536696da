// The durable database: one file and one queue of write transactions. A transaction is on disk when it resolves.
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import PQueue from 'p-queue';
import {
  databaseDamaged,
  directoryInUse,
  storageFailed,
  UnknownOutcomeError,
  writeTooLarge,
} from '../errors.js';
import type { Connection } from './connection.js';
import { Database, type DatabaseSettings } from './database.js';
import { EngineError, isEngineError, isMemoryError, toEngineError } from './engine-error.js';
import { LockedFile } from './locked-file.js';
import type { Row } from './rows.js';
import { sql, type Sql } from './sql.js';
import { TransactionCount } from './transaction-count.js';

/** The connection of a write transaction. It is valid until `work` resolves. */
export type WriteConnection = Pick<Connection, 'run' | 'read' | 'append'>;

export interface WriterSettings {
  readonly memoryMb: number;
  readonly threads: number;
  /** The spill directory; by default `tmp/writer` beside the file. */
  readonly temporaryDirectory?: string;
}

/** Above this size the log is checkpointed. Writes wait for a checkpoint, 20 ms and 2 to 5 ms per MB. */
const logBytesMax = 8 * 2 ** 20;

function toWriteError(error: unknown): unknown {
  if (isMemoryError(error)) return writeTooLarge();
  if (isEngineError(error, 'storage', 'fatal')) return storageFailed(error);
  return error;
}

/** @param file the name of the database file for the error text */
function toDamagedError(error: unknown, file: string): unknown {
  if (!isEngineError(error, 'damaged')) return error;
  const isLog = (error as EngineError).message.includes('WAL');
  return databaseDamaged(isLog ? `log ${file}.wal` : `file ${file}`);
}

export const lockedError = (file: string) =>
  new EngineError('locked', directoryInUse(path.dirname(file)));

export class Writer {
  readonly #file: string;
  readonly #settings: DatabaseSettings;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #count: TransactionCount;
  readonly #copied: LockedFile;
  #database: Database | undefined;
  #connection: Connection | undefined;
  #checkpoints = 0;
  /** Set while the file cannot be written. Reads continue, and each write first tries to open the file again. */
  #isReadOnly = false;
  /** Whether the file was opened read-only. */
  #neverWrites = false;
  #closed = false;

  private constructor(file: string, settings: WriterSettings) {
    const directory = path.dirname(path.resolve(file));
    this.#file = file;
    this.#count = new TransactionCount(file);
    this.#copied = new LockedFile(file);
    const temporaryDirectory = settings.temporaryDirectory ?? path.join(directory, 'tmp', 'writer');
    this.#settings = {
      ...settings,
      temporaryDirectory,
      allowedDirectories: [directory, temporaryDirectory],
    };
  }

  /**
   * Opens the file, or creates it.
   * @throws EngineError `locked` if another process has it open, RequestError 503 if it or its log is damaged
   */
  static open(file: string, settings: WriterSettings): Promise<Writer> {
    return Writer.#openAs(new Writer(file, settings), file, false);
  }

  /** Opens an existing file, which is never changed: write transactions fail as on a read-only file system. Errors as `open`. */
  static openToRead(file: string, settings: WriterSettings): Promise<Writer> {
    const writer = new Writer(file, settings);
    writer.#neverWrites = true;
    return Writer.#openAs(writer, file, true);
  }

  static async #openAs(writer: Writer, file: string, readOnly: boolean): Promise<Writer> {
    try {
      await writer.#open(readOnly);
    } catch (error) {
      throw isEngineError(error, 'locked') ? lockedError(file) : toDamagedError(error, file);
    }
    return writer;
  }

  /** The directory of the file. */
  get directory(): string {
    return path.dirname(this.#file);
  }

  /** The number of write transactions of the database since its creation. */
  get transactions(): bigint {
    return this.#count.value;
  }

  /**
   * Runs `work` in a transaction, after all earlier ones. It is durable when it resolves. An error of `work` rolls the
   * transaction back and is rethrown. If the engine fails during the commit, the database is reopened, and its count of
   * transactions shows whether this one was committed.
   * @throws RequestError 503 if the disk is full or cannot be written, or the database file is damaged; UnknownOutcomeError if it
   * cannot be opened again
   */
  transaction<T>(work: (connection: WriteConnection) => Promise<T>): Promise<T> {
    return this.#enqueue(async () => {
      try {
        return await this.#transaction(work);
      } catch (error) {
        throw toDamagedError(toWriteError(error), path.basename(this.#file));
      } finally {
        void this.#watchLog();
      }
    });
  }

  /**
   * Runs `work` after all earlier transactions. Until it resolves, the files of the database do not change. `copy` copies the
   * database file and keeps the engine's lock on it, which other ways of opening and closing it here release.
   */
  alone<T>(work: (copy: (target: string) => Promise<void>) => Promise<T>): Promise<T> {
    return this.#enqueue(() => work((target) => this.#copied.copyTo(target)));
  }

  /** Reads concurrently with the write transactions. Sees the transactions that were committed before it starts. */
  async read(query: Sql): Promise<readonly Row[]> {
    return this.use((connection) => connection.read(query));
  }

  /**
   * Runs several reads on one connection, concurrently with the write transactions. Runs `work` again after a reopening.
   * @throws RequestError 503 if the database file is damaged
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#use(work);
    } catch (error) {
      throw toDamagedError(error, path.basename(this.#file));
    }
  }

  /** Makes a checkpoint after all earlier transactions: moves the log into the file. If that fails, the log has them still. */
  async checkpoint(): Promise<void> {
    this.#checkpoints += 1;
    try {
      await this.#enqueue(() => this.#checkpoint());
    } finally {
      this.#checkpoints -= 1;
    }
  }

  /**
   * Copies the database to a new file, which needs no log, and returns its count of transactions. Writes wait meanwhile.
   * @throws EngineError while the file cannot be written
   */
  copyTo(target: string): Promise<bigint> {
    return this.#enqueue(async () => {
      await this.#checkpoint();
      if ((await this.logBytes()) > 0)
        throw new EngineError('other', `the log of ${this.#file} cannot be emptied`);
      await this.#copied.copyTo(target);
      return this.#count.value;
    });
  }

  async #checkpoint(): Promise<void> {
    const { database, connection } = await this.#opened();
    if (this.#isReadOnly) return;
    try {
      await connection.run(sql`CHECKPOINT`);
    } catch (error) {
      if (isEngineError(error, 'fatal')) await this.#undo(database, error);
      throw error;
    }
  }

  /** Completes all transactions, makes a checkpoint and closes the file. False if the engine still has it after some seconds. */
  async close(): Promise<boolean> {
    if (this.#closed) return true;
    this.#closed = true;
    await this.#queue.onIdle();
    let isReleased: boolean;
    try {
      if (!this.#isReadOnly) await this.#connection?.run(sql`CHECKPOINT`);
    } finally {
      isReleased = await this.#shut();
      this.#copied.close();
      await this.#count.close();
    }
    return isReleased;
  }

  /** Closes the file without a checkpoint, for a refused start. */
  async abandon(): Promise<void> {
    this.#closed = true;
    await this.#queue.onIdle();
    // A failed instance makes no checkpoint.
    await this.#connection?.run(sql`PRAGMA disable_checkpoint_on_shutdown`).catch(() => {});
    await this.#shut();
    this.#copied.close();
    await this.#count.close();
  }

  async #use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const database = this.#database ?? (await this.#enqueue(() => this.#opened())).database;
    try {
      return await database.use(work);
    } catch (error) {
      if (this.#closed || !isEngineError(error, 'fatal', 'interrupted')) throw error;
      if (isEngineError(error, 'fatal')) await this.#enqueue(() => this.#reopen(database));
      if (database === this.#database) throw error;
      return this.#use(work);
    }
  }

  async #enqueue<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new EngineError('other', 'the writer is closed');
    return (await this.#queue.add(task)) as T;
  }

  async #transaction<T>(work: (connection: WriteConnection) => Promise<T>): Promise<T> {
    if (this.#isReadOnly) await this.#openToWrite();
    const { database, connection } = await this.#opened();
    let result: T;
    let number: bigint;
    try {
      await connection.run(sql`BEGIN`);
      result = await work(connection);
      number = await this.#count.add(connection);
    } catch (error) {
      await this.#undo(database, error);
      throw error;
    }
    try {
      await connection.run(sql`COMMIT`);
    } catch (error) {
      if (!(await this.#isCommitted(database, number))) throw toEngineError(error);
    }
    await this.#count.committed();
    return result;
  }

  // After a failed append or a fatal error, the tables of the instance may be wrong, so the file is opened again; if that fails, by
  // the next transaction.
  async #undo(database: Database, cause: unknown): Promise<void> {
    try {
      if (isEngineError(cause, 'fatal', 'storage', 'memory', 'interrupted'))
        await this.#reopen(database);
      else await this.#connection?.run(sql`ROLLBACK`);
    } catch {
      await this.#shut();
    }
  }

  async #isCommitted(failed: Database, number: bigint): Promise<boolean> {
    try {
      await this.#reopen(failed);
      await this.#opened();
      return this.#count.value >= number;
    } catch (error) {
      throw new UnknownOutcomeError(error);
    }
  }

  async #opened(): Promise<{ database: Database; connection: Connection }> {
    if (this.#database === undefined || this.#connection === undefined) await this.#openAgain();
    return { database: this.#database!, connection: this.#connection! };
  }

  async #open(readOnly = false): Promise<void> {
    const database = await Database.open(this.#file, { ...this.#settings, readOnly });
    try {
      const connection = await database.connect();
      await this.#count.load(connection);
      this.#connection = connection;
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#database = database;
    this.#isReadOnly = readOnly;
  }

  /** Opens the file for reading only if it cannot be written. */
  async #openAgain(): Promise<void> {
    if (this.#neverWrites) return this.#open(true);
    try {
      await this.#open();
    } catch (error) {
      if (!isEngineError(error, 'storage')) throw error;
      await this.#open(true);
    }
  }

  /** @throws EngineError `storage` while the file cannot be written */
  async #openToWrite(): Promise<void> {
    if (this.#neverWrites)
      throw new EngineError('storage', `${this.#file} was opened for reading only`);
    try {
      // Opening the file here would release the engine's lock when it is closed.
      await access(this.#file, constants.W_OK);
    } catch (error) {
      throw toEngineError(error);
    }
    await this.#shut();
    await this.#openAgain();
    if (this.#isReadOnly) throw new EngineError('storage', `${this.#file} cannot be written`);
  }

  async #reopen(failed: Database): Promise<void> {
    if (this.#database !== failed) return;
    await this.#shut();
    await this.#openAgain();
  }

  async #shut(): Promise<boolean> {
    const [database, connection] = [this.#database, this.#connection];
    this.#database = undefined;
    this.#connection = undefined;
    if (connection !== undefined) database?.disconnect(connection);
    return (await database?.close(this.#copied.handles)) ?? true;
  }

  async #watchLog(): Promise<void> {
    if (this.#closed || this.#checkpoints > 0 || (await this.logBytes()) < logBytesMax) return;
    // The next write tries again.
    await this.checkpoint().catch(() => {});
  }

  /** The size of the write-ahead log in bytes. */
  async logBytes(): Promise<number> {
    const log = await stat(`${this.#file}.wal`).catch(() => undefined);
    return log?.size ?? 0;
  }
}
