// A session of reads: it holds one turn of a queue and one connection of the reader, and its statements share one time budget.
import { rm } from 'node:fs/promises';
import type { Connection } from '../../../duckdb/connection.js';
import { keepingNoContent } from '../../../duckdb/database.js';
import { EngineError, isEngineError } from '../../../duckdb/engine-error.js';
import type { Row, RowValue } from '../../../duckdb/rows.js';
import type { Sql } from '../../../duckdb/sql.js';
import { unavailable } from '../../../errors.js';
import { openFiles } from '../../../open-files.js';
import type { CheckedFiles } from '../../segment/checked-files.js';
import { collectText, type CollectedText, type TextTarget } from './collected-text.js';
import type { Deadline, ReadQueue } from './read-queue.js';
import type { Reader } from './reader.js';

/** The milliseconds that sessions waited for their turns, and the milliseconds from then until they were closed. */
export interface ReadTimes {
  waited: number;
  read: number;
  /** Whether a session waits for its turn. */
  isWaiting: boolean;
}

/** Gives the SQL of a part of a large result. It is called when the part is read: all of the SQL at once can be very large. */
export type SqlPart = () => Sql;

/** The caller of a session. */
export interface SessionOptions {
  readonly client: string;
  readonly signal: AbortSignal | undefined;
  /** The session adds its times to these. */
  readonly times: ReadTimes;
  /** Called once, after the session has released its connection and its turn. */
  readonly onClosed: () => Promise<void>;
}

export class ReadSession {
  readonly #reader: Reader;
  readonly #checked: CheckedFiles;
  readonly #connection: Connection;
  readonly #queue: ReadQueue;
  readonly #deadline: Deadline;
  readonly #options: SessionOptions;
  readonly #endTurn: () => void;
  readonly #started = performance.now();
  readonly #brought = { bytes: 0 };
  #closed = false;
  /** The statement that ran last, and the number of files that it may have open. */
  #opened: { readonly statement: Sql; readonly files: number } | undefined;
  /** Resolves when abandoned work ends. A session with abandoned work refuses further statements. */
  #abandoned: Promise<void> | undefined;

  private constructor(
    reader: Reader,
    checked: CheckedFiles,
    connection: Connection,
    queue: ReadQueue,
    endTurn: () => void,
    options: SessionOptions,
  ) {
    this.#reader = reader;
    this.#checked = checked;
    this.#connection = connection;
    this.#queue = queue;
    this.#deadline = queue.deadline();
    this.#endTurn = endTurn;
    this.#options = options;
  }

  static async open(
    reader: Reader,
    checked: CheckedFiles,
    queue: ReadQueue,
    options: SessionOptions,
  ): Promise<ReadSession> {
    const started = performance.now();
    options.times.isWaiting = true;
    const endTurn = await queue
      .turn(options.client, options.signal)
      .finally(() => (options.times.isWaiting = false));
    options.times.waited += performance.now() - started;
    try {
      const connection = await reader.connect(queue.size);
      return new ReadSession(reader, checked, connection, queue, endTurn, options);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /** Disables the cache of file content, for sessions that read many files once: the cache would hold all of them in memory. */
  readOnce(): Promise<void> {
    return this.run(keepingNoContent);
  }

  async run(statement: Sql): Promise<void> {
    await this.#work(statement, () => this.#connection.run(statement));
  }

  /** Runs the statements one at a time. Two at a time would take a third less time, and 60 to 90 MB more memory. */
  async runEach(statements: readonly SqlPart[]): Promise<void> {
    for (const statement of statements) {
      this.#options.signal?.throwIfAborted();
      await this.run(statement());
    }
  }

  async read(query: Sql): Promise<readonly Row[]> {
    return this.#work(query, () => this.#connection.read(query));
  }

  /** See `Connection.consume`. */
  async consume(query: Sql, consumer: URL, argument: unknown): Promise<unknown> {
    return this.#work(query, () => this.#connection.consume(query, consumer, argument));
  }

  /** Yields the rows of `query` in chunks while the engine produces them. The names of its columns must be distinct. */
  async *stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void> {
    const chunks = this.#connection.stream(query);
    let isBegun = false;
    let isUnfinished = false;
    const next = () => {
      isUnfinished = false;
      return chunks.next();
    };
    try {
      for (;;) {
        const { value, done } = await this.#work(query, next, isBegun);
        if (done === true || value === undefined) return;
        isBegun = true;
        isUnfinished = true;
        yield value;
      }
    } finally {
      // An unfinished stream holds engine memory.
      if (isUnfinished) await chunks.return();
    }
  }

  async collectText(query: Sql, target: TextTarget): Promise<CollectedText> {
    return this.#work(query, () => collectText(this.#connection, query, target));
  }

  /** Removes temporary files. If work was abandoned, waits in the background until it ends, since it may still write them. */
  async removeFiles(paths: readonly string[]): Promise<void> {
    const remove = async () => {
      for (const path of paths) await rm(path, { force: true });
    };
    if (this.#abandoned === undefined) await remove();
    else void this.#abandoned.then(remove).catch(() => {});
  }

  /** Closes the session. Does not wait for abandoned work, which keeps the connection and the files that it reads until it ends. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.times.read += performance.now() - this.#started;
    if (this.#abandoned === undefined) return this.#release();
    if (!this.#queue.isFullOfAbandoned) this.#endTurn();
    void this.#abandoned.then(() => this.#release()).catch(() => {});
  }

  async #release(): Promise<void> {
    this.#reader.disconnect(this.#connection);
    this.#closeFiles();
    this.#endTurn();
    await this.#options.onClosed();
  }

  /** Checks the files of `statement` within its time budget, and begins `work`. */
  async #work<T>(statement: Sql, work: () => Promise<T>, isBegun = false): Promise<T> {
    this.#throwIfAbandoned();
    const connection = this.#connection;
    let isChecked = isBegun;
    const watched = async () => {
      try {
        if (!isChecked) await this.#checked.check(statement, this.#brought);
        isChecked = true;
        await this.#openFiles(statement);
        this.#throwIfAbandoned();
        return await work();
      } catch (error) {
        if (isEngineError(error, 'fatal')) this.#reader.failed = true;
        throw await this.#checked.toReadError(error, statement, connection.read.bind(connection));
      }
    };
    try {
      return await this.#queue.run(connection, watched, {
        deadline: this.#deadline,
        abandon: (end) => (this.#abandoned = end),
        signal: this.#options.signal,
        isBegun,
      });
    } catch (error) {
      // The check goes on, so that the query succeeds later.
      if (!isChecked && this.#deadline.remainingMs <= 0)
        throw unavailable(
          'the files of the query are still being fetched or verified, try again later',
        );
      throw error;
    }
  }

  /** Counts the files of the statement, which stay open between the chunks of a stream. */
  async #openFiles(statement: Sql): Promise<void> {
    if (this.#opened?.statement === statement) return;
    this.#closeFiles();
    const files = this.#checked.countOf(statement);
    await openFiles.take(files);
    this.#opened = { statement, files };
  }

  #closeFiles(): void {
    openFiles.remove(this.#opened?.files ?? 0);
    this.#opened = undefined;
  }

  #throwIfAbandoned(): void {
    if (this.#abandoned !== undefined)
      throw new EngineError('interrupted', 'the work was abandoned');
  }
}
