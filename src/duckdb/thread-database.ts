// An engine instance in a thread of its own, so that its JavaScript does not block the event loop.
import { interruptUntil, withConnection, type Connection } from './connection.js';
import type { DatabaseSettings } from './database.js';
import { EngineError } from './engine-error.js';
import type { Row, RowChunk, RowValue } from './rows.js';
import { toStatement, type Sql, type Statement } from './sql.js';
import { EngineThread } from './engine-thread.js';
import type { StreamedRows, ThreadRequest } from './thread-messages.js';

class ThreadConnection implements Connection {
  readonly #thread: EngineThread;
  readonly #number: number;

  constructor(thread: EngineThread, number: number) {
    this.#thread = thread;
    this.#number = number;
  }

  async run(statement: Sql): Promise<void> {
    await this.#call({ kind: 'run', statement: toStatement(statement) });
  }

  async read(query: Sql): Promise<readonly Row[]> {
    return (await this.#call({ kind: 'read', statement: toStatement(query) })) as readonly Row[];
  }

  async *stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void> {
    let ended = false;
    let begun: Statement | null = toStatement(query);
    try {
      while (!ended) {
        // A stream that fails has ended.
        ended = true;
        const { rows, isLast } = (await this.#call({ kind: 'next', query: begun })) as StreamedRows;
        ended = isLast;
        begun = null;
        if (rows.length > 0) yield rows;
      }
    } finally {
      if (!ended) await this.#call({ kind: 'leave' });
    }
  }

  async consume(query: Sql, consumer: URL, argument: unknown): Promise<unknown> {
    const statement = toStatement(query);
    return this.#call({ kind: 'consume', query: statement, consumer: consumer.href, argument });
  }

  async append(table: string, chunks: readonly RowChunk[]): Promise<void> {
    await this.#call({ kind: 'append', table, chunks });
  }

  interrupt(): void {
    this.#thread.interrupt(this.#number);
  }

  close(): Promise<unknown> {
    return this.#call({ kind: 'disconnect' });
  }

  #call(request: ThreadRequest): Promise<unknown> {
    return this.#thread.call(this.#number, request);
  }
}

/** The connection number of requests to the instance itself. */
const noConnection = 0;

export class ThreadDatabase {
  readonly #thread: EngineThread;
  readonly #connections = new Map<Connection, ThreadConnection>();
  #lastConnection = noConnection;
  #closed = false;

  private constructor(thread: EngineThread) {
    this.#thread = thread;
  }

  /** As `Database.open`; `functions` is the URL of a module that exports `scalarFunctions()`. */
  static async open(
    file: string,
    settings: DatabaseSettings,
    functions: URL | null = null,
  ): Promise<ThreadDatabase> {
    const thread = EngineThread.take(settings.isBackground === true);
    try {
      const opening = { file, settings, functions: functions?.href ?? null };
      await thread.call(noConnection, { kind: 'open', opening });
    } catch (error) {
      // A thread never loads a module again whose import failed, for example for lack of file descriptors.
      await thread.call(noConnection, { kind: 'close' }).catch(() => {});
      await thread.end();
      throw error;
    }
    return new ThreadDatabase(thread);
  }

  /** Whether the thread has failed, also while no statement ran. All statements then fail with kind `fatal`. */
  get hasFailed(): boolean {
    return this.#thread.hasFailed;
  }

  /** The caller closes the connection through `disconnect`. */
  async connect(): Promise<Connection> {
    if (this.#closed) throw new EngineError('interrupted', 'the database is closed');
    const connection = new ThreadConnection(this.#thread, ++this.#lastConnection);
    this.#connections.set(connection, connection);
    return connection;
  }

  disconnect(connection: Connection): void {
    // A thread that has ended has no connections.
    this.#connections
      .get(connection)
      ?.close()
      .catch(() => {});
    this.#connections.delete(connection);
  }

  /** Runs `work` with a connection of its own. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return withConnection(this, work);
  }

  /** Interrupts running statements and waits for their connections. A kept thread serves the next instance. */
  async close(thread: 'kept' | 'terminated' = 'kept'): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // The call fails if the thread has ended.
    await this.#thread.call(noConnection, { kind: 'close' }).catch(() => {});
    await (thread === 'kept' ? this.#thread.giveBack() : this.#thread.end());
  }

  /**
   * Calls `run(argument)` of the module at `url` in the thread of the instance. The argument and the result are copied between
   * threads.
   * @throws EngineError
   */
  runModule(url: URL, argument: unknown): Promise<unknown> {
    return this.#thread.call(noConnection, { kind: 'module', url: url.href, argument });
  }

  /** Interrupts all statements until `end`. */
  interruptUntil(end: Promise<unknown>): Promise<void> {
    return interruptUntil(this.#connections, end);
  }
}
