// One read from the reader: a turn in its lane, a connection, a time budget, an abort signal.
import type { Connection } from '../../duckdb/connection.js';
import type { CollectedText, TextTarget } from '../../duckdb/collected-text.js';
import { keepingNoContent } from '../../duckdb/database.js';
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';
import type { Row, RowValue } from '../../duckdb/rows.js';
import { join, type Sql } from '../../duckdb/sql.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { Deadline, Lane } from './lane.js';
import type { Reader } from './reader.js';

export class ReadSession {
  readonly #reader: Reader;
  readonly #checked: CheckedFiles;
  readonly #connection: Connection;
  readonly #lane: Lane;
  readonly #deadline: Deadline;
  readonly #signal: AbortSignal | undefined;
  readonly #left: () => Promise<void>;
  readonly #endTurn: () => void;
  #closed = false;
  /** The end of work that does not end in time; nothing else is run then. */
  #abandoned: Promise<void> | undefined;

  private constructor(
    reader: Reader,
    checked: CheckedFiles,
    connection: Connection,
    lane: Lane,
    left: () => Promise<void>,
    endTurn: () => void,
    signal: AbortSignal | undefined,
  ) {
    this.#reader = reader;
    this.#checked = checked;
    this.#connection = connection;
    this.#lane = lane;
    this.#deadline = lane.deadline();
    this.#left = left;
    this.#endTurn = endTurn;
    this.#signal = signal;
  }

  /** `left` is called once, when the session is closed. */
  static async open(
    reader: Reader,
    checked: CheckedFiles,
    lane: Lane,
    left: () => Promise<void>,
    client: string,
    signal?: AbortSignal,
  ): Promise<ReadSession> {
    const endTurn = await lane.turn(client, signal);
    try {
      const connection = await reader.connect(lane.size);
      return new ReadSession(reader, checked, connection, lane, left, endTurn, signal);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /** For what follows, which reads all of many files: keeping their content would take as much memory. */
  readOnce(): Promise<void> {
    return this.run(keepingNoContent);
  }

  async run(statement: Sql): Promise<void> {
    await this.#checked.check(statement);
    await this.#work(statement, () => this.#connection.run(statement));
  }

  /** One at a time: two beside each other would take a third less time, and 60 to 90 MB more. */
  async runEach(statements: readonly Sql[]): Promise<void> {
    for (const statement of statements) await this.run(statement);
  }

  async read(query: Sql): Promise<readonly Row[]> {
    await this.#checked.check(query);
    return this.#work(query, () => this.#connection.read(query));
  }

  /** The columns of `query` need different names. */
  async *stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void> {
    await this.#checked.check(query);
    const chunks = this.#connection.stream(query);
    let isLeft = false;
    try {
      for (;;) {
        const { value, done } = await this.#work(query, () => chunks.next());
        if (done === true || value === undefined) return;
        isLeft = true;
        yield value;
        isLeft = false;
      }
    } finally {
      // What is not taken to its end keeps its memory in the engine.
      if (isLeft) await chunks.return();
    }
  }

  async collectText(queries: readonly Sql[], target: TextTarget): Promise<CollectedText> {
    const all = join(queries);
    await this.#checked.check(all);
    return this.#work(all, () => this.#connection.collectText(queries, target));
  }

  /** What abandoned work reads is kept until its end, for which nobody waits. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#abandoned === undefined) return this.#end();
    if (!this.#lane.isFullOfAbandoned) this.#endTurn();
    void this.#abandoned.then(() => this.#end()).catch(() => {});
  }

  async #end(): Promise<void> {
    this.#reader.disconnect(this.#connection);
    this.#endTurn();
    await this.#left();
  }

  async #work<T>(statement: Sql, work: () => Promise<T>): Promise<T> {
    if (this.#abandoned !== undefined)
      throw new EngineError('interrupted', 'the work was abandoned');
    const connection = this.#connection;
    const watched = () =>
      work().catch(async (error: unknown) => {
        if (isEngineError(error, 'fatal')) this.#reader.failed = true;
        throw await this.#checked.explain(error, statement, connection.read.bind(connection));
      });
    return this.#lane.run(connection, watched, {
      deadline: this.#deadline,
      abandon: (end) => (this.#abandoned = end),
      signal: this.#signal,
    });
  }
}
