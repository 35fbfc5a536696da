// A connection to an engine instance in any thread, and helpers to borrow and to interrupt connections.
import type { DuckDBVector } from '@duckdb/node-api';
import type { Row, RowChunk, RowValue } from './rows.js';
import type { Sql } from './sql.js';

/** Some rows of a result, in the memory of the engine. */
export interface RowBatch {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly valueAt: (column: number, row: number) => RowValue;
  /** The columns themselves, for `column-data`. */
  readonly vectors: readonly DuckDBVector[];
}

/** The exports of a module that reads results in the thread of the instance. */
export interface RowConsumer {
  /** The query runs when its result is iterated over. */
  consume(result: AsyncIterable<RowBatch>, argument: unknown): Promise<unknown>;
}

/**
 * All methods throw EngineErrors. Statements on one connection must not overlap; `interrupt` may be called at any time. `S` is
 * the type of statements: `Sql`, or `Statement` if they come from another thread.
 */
export interface Connection<S = Sql> {
  run(statement: S): Promise<void>;
  read(query: S): Promise<readonly Row[]>;
  /**
   * Yields chunks of rows (arrays in column order) as the engine produces them, at most 2,048 rows each. The names of the columns
   * of `query` must be distinct.
   */
  stream(query: S): AsyncGenerator<readonly (readonly RowValue[])[], void, void>;
  /**
   * Calls `consume` of the module at `consumer`, a `RowConsumer`, in the thread of the instance, with the result of the query
   * and `argument`. The argument and the return value are copied between threads.
   */
  consume(query: S, consumer: URL, argument: unknown): Promise<unknown>;
  /** Appends to `table`, whose columns are those of the chunks, in order. */
  append(table: string, chunks: readonly RowChunk[]): Promise<void>;
  /** Interrupts the running statement or stream, which then fails with kind `interrupted`. */
  interrupt(): void;
}

interface Lender {
  connect(): Promise<Connection>;
  disconnect(connection: Connection): void;
}

/** Runs `work` with a connection of its own. */
export async function withConnection<T>(
  database: Lender,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await database.connect();
  try {
    return await work(connection);
  } finally {
    database.disconnect(connection);
  }
}

export type Interruptible = Pick<Connection, 'interrupt'>;

const interruptEveryMs = 20;

/** Interrupts all statements until `end`. It repeats, since an interrupt between two statements stops neither. */
export async function interruptUntil(
  connections: ReadonlyMap<Interruptible, unknown>,
  end: Promise<unknown>,
): Promise<void> {
  const interruptAll = () => {
    for (const connection of connections.keys()) connection.interrupt();
  };
  interruptAll();
  const timer = setInterval(interruptAll, interruptEveryMs);
  await end.finally(() => clearInterval(timer));
}
