// One read from the reader: a turn in its lane, a connection, a time budget, an abort signal.
import type { Connection } from '../../duckdb/connection.js';
import { keepingNoContent } from '../../duckdb/database.js';
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';
import type { Row, RowValue } from '../../duckdb/rows.js';
import { join, type Sql } from '../../duckdb/sql.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import { collectText, type CollectedText, type TextTarget } from './collected-text.js';
import type { Deadline, Lane } from './lane.js';
import type { Reader } from './reader.js';

/** How long reads waited for their turns, and how long they took then, in milliseconds. */
export interface ReadTimes {
  waited: number;
  read: number;
}

/** Whose read it is. */
export interface Asked {
  readonly client: string;
  readonly signal: AbortSignal | undefined;
  /** Added to. */
  readonly times: ReadTimes;
  /** Called once, when the session is closed. */
  readonly left: () => Promise<void>;
}

export class ReadSession {
  readonly #reader: Reader;
  readonly #checked: CheckedFiles;
  readonly #connection: Connection;
  readonly #lane: Lane;
  readonly #deadline: Deadline;
  readonly #asked: Asked;
  readonly #endTurn: () => void;
  readonly #opened = performance.now();
  #closed = false;
  /** The end of work that does not end in time; nothing else is run then. */
  #abandoned: Promise<void> | undefined;

  private constructor(
    reader: Reader,
    checked: CheckedFiles,
    connection: Connection,
    lane: Lane,
    endTurn: () => void,
    asked: Asked,
  ) {
    this.#reader = reader;
    this.#checked = checked;
    this.#connection = connection;
    this.#lane = lane;
    this.#deadline = lane.deadline();
    this.#endTurn = endTurn;
    this.#asked = asked;
  }

  static async open(
    reader: Reader,
    checked: CheckedFiles,
    lane: Lane,
    asked: Asked,
  ): Promise<ReadSession> {
    const started = performance.now();
    const endTurn = await lane.turn(asked.client, asked.signal);
    asked.times.waited += performance.now() - started;
    try {
      const connection = await reader.connect(lane.size);
      return new ReadSession(reader, checked, connection, lane, endTurn, asked);
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
    return this.#work(all, () => collectText(this.#connection, queries, target));
  }

  /** What abandoned work reads is kept until its end, for which nobody waits. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#asked.times.read += performance.now() - this.#opened;
    if (this.#abandoned === undefined) return this.#end();
    if (!this.#lane.isFullOfAbandoned) this.#endTurn();
    void this.#abandoned.then(() => this.#end()).catch(() => {});
  }

  async #end(): Promise<void> {
    this.#reader.disconnect(this.#connection);
    this.#endTurn();
    await this.#asked.left();
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
      signal: this.#asked.signal,
    });
  }
}
