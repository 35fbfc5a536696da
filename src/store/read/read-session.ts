// One read from the reader: a turn in its lane, a connection, a time budget, an abort signal.
import type { Connection } from '../../duckdb/connection.js';
import type { CollectedText, TextTarget } from '../../duckdb/collected-text.js';
import { keepingNoContent } from '../../duckdb/database.js';
import { isEngineError } from '../../duckdb/engine-error.js';
import type { Row, RowValue } from '../../duckdb/rows.js';
import { join, type Sql } from '../../duckdb/sql.js';
import { findDamagedSegment } from '../segment/damaged-segment.js';
import type { Deadline, Lane } from './lane.js';
import type { Reader } from './reader.js';

export class ReadSession {
  readonly #reader: Reader;
  readonly #connection: Connection;
  /** Statements that need not wait for one another run beside each other on these. */
  readonly #connections: Connection[];
  readonly #lane: Lane;
  readonly #deadline: Deadline;
  readonly #signal: AbortSignal | undefined;
  readonly #left: () => Promise<void>;
  readonly #endTurn: () => void;
  #closed = false;

  private constructor(
    reader: Reader,
    connection: Connection,
    lane: Lane,
    left: () => Promise<void>,
    endTurn: () => void,
    signal: AbortSignal | undefined,
  ) {
    this.#reader = reader;
    this.#connection = connection;
    this.#connections = [connection];
    this.#lane = lane;
    this.#deadline = lane.deadline();
    this.#left = left;
    this.#endTurn = endTurn;
    this.#signal = signal;
  }

  /** `left` is called once, when the session is closed. */
  static async open(
    reader: Reader,
    lane: Lane,
    left: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<ReadSession> {
    const endTurn = await lane.turn(signal);
    try {
      const connection = await reader.connect();
      return new ReadSession(reader, connection, lane, left, endTurn, signal);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /**
   * For what follows, which reads all of many files: keeping their content would take as much memory. Statements of
   * `runAll` run two at a time from then on, since each keeps more than one thread busy for half of its time only.
   */
  async readOnce(): Promise<void> {
    if (this.#reader.threads > 1) this.#connections.push(await this.#reader.connect());
    await this.#work(keepingNoContent, async () => {
      for (const connection of this.#connections) await connection.run(keepingNoContent);
    });
  }

  run(statement: Sql): Promise<void> {
    return this.#work(statement, () => this.#connection.run(statement));
  }

  /** In any order. When one fails, none runs any more. */
  runAll(statements: readonly Sql[]): Promise<void> {
    return this.#work(join(statements), async () => {
      const left = [...statements].toReversed();
      const runNext = async (connection: Connection): Promise<void> => {
        const statement = left.pop();
        if (statement === undefined) return;
        await connection.run(statement).catch((error: unknown) => {
          left.length = 0;
          throw error;
        });
        await runNext(connection);
      };
      const ends = await Promise.allSettled(this.#connections.map(runNext));
      const failed = ends.find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    });
  }

  read(query: Sql): Promise<readonly Row[]> {
    return this.#work(query, () => this.#connection.read(query));
  }

  /** The columns of `query` need different names. */
  async *stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void> {
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

  collectText(queries: readonly Sql[], target: TextTarget): Promise<CollectedText> {
    return this.#work(join(queries), () => this.#connection.collectText(queries, target));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const connection of this.#connections) this.#reader.disconnect(connection);
    this.#endTurn();
    await this.#left();
  }

  async #work<T>(statement: Sql, work: () => Promise<T>): Promise<T> {
    const connection = this.#connection;
    const watched = () =>
      work().catch(async (error: unknown) => {
        if (isEngineError(error, 'fatal')) this.#reader.failed = true;
        throw (
          (await findDamagedSegment(error, statement, connection.read.bind(connection))) ?? error
        );
      });
    const interrupt = () => this.#connections.forEach((each) => each.interrupt());
    return this.#lane.run({ interrupt }, watched, this.#deadline, this.#signal);
  }
}
