// A connection to an instance in this thread: binds parameters, converts rows to plain values and types errors.
import { setImmediate } from 'node:timers/promises';
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
  DuckDBVector,
} from '@duckdb/node-api';
import { BIGINT, BOOLEAN, DOUBLE, LIST, SQLNULL, VARCHAR, listValue } from './driver.js';
import { EngineError, toEngineError } from './engine-error.js';
import type { Connection, RowBatch, RowConsumer } from './connection.js';
import { untilExecuted } from './engine-threads.js';
import { toDataChunk, toRowValue, type Row, type RowChunk, type RowValue } from './rows.js';
import type { SqlValue, Statement } from './sql.js';

const isList = (value: SqlValue): value is readonly (string | null)[] => Array.isArray(value);

/** Numbers are always DOUBLE and bigints BIGINT: the type of a parameter never depends on its value. */
function parameter(value: SqlValue): readonly [DuckDBValue, DuckDBType] {
  if (value === null) return [null, SQLNULL];
  if (isList(value)) return [listValue(value), LIST(VARCHAR)];
  if (typeof value === 'string') return [value, VARCHAR];
  if (typeof value === 'number') return [value, DOUBLE];
  if (typeof value === 'bigint') return [value, BIGINT];
  return [value, BOOLEAN];
}

async function typed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toEngineError(error);
  }
}

// The driver ends a stream that runs out of memory half-way as if it were complete. Only an extra last row proves that nothing is
// missing.
const withEndMark = ({ text, values }: Statement): Statement => ({
  text: `SELECT *, FALSE AS "end of rows" FROM (${text}) UNION ALL BY NAME SELECT TRUE AS "end of rows"`,
  values,
});

const vectorsOf = (chunk: DuckDBDataChunk, columnCount: number): readonly DuckDBVector[] =>
  Array.from({ length: columnCount }, (_, column) => chunk.getColumnVector(column));

function chunkOf(vectors: readonly DuckDBVector[], rowCount: number): RowBatch {
  const valueAt: RowBatch['valueAt'] = (column, row) => toRowValue(vectors[column]!.getItem(row));
  return { vectors, columnCount: vectors.length, rowCount, valueAt };
}

/** The largest total length of strings in a chunk that is posted to another thread. */
const portionLengthMax = 2 ** 22;

function* rowsOf(columns: readonly DuckDBVector[], rowCount: number) {
  for (let index = 0; index < rowCount; index++)
    yield columns.map((column) => toRowValue(column.getItem(index)));
}

function* portionsOf(
  columns: readonly DuckDBVector[],
  rowCount: number,
): Generator<readonly (readonly RowValue[])[]> {
  let rows: (readonly RowValue[])[] = [];
  let length = 0;
  for (const row of rowsOf(columns, rowCount)) {
    for (const value of row) length += typeof value === 'string' ? value.length : 0;
    rows.push(row);
    if (length < portionLengthMax) continue;
    yield rows;
    rows = [];
    length = 0;
  }
  if (rows.length > 0) yield rows;
}

const consumers = new Map<string, RowConsumer>();

/** Like `import`, which takes some 20 µs even for a module that is loaded. */
async function loadConsumer(url: string): Promise<RowConsumer> {
  const consumer = consumers.get(url) ?? ((await import(url)) as RowConsumer);
  consumers.set(url, consumer);
  return consumer;
}

export interface ConnectionSettings {
  /** Results are materialised before their first row is read. */
  readonly hasSmallResults: boolean;
  /** See `DatabaseSettings`. */
  readonly isBackground: boolean;
  /** Of each `SqlFunction` of the instance. */
  readonly functionNames: readonly string[];
}

export class LocalConnection<S> implements Connection<S> {
  readonly #connection: DuckDBConnection;
  readonly #statementOf: (query: S) => Statement;
  readonly #settings: ConnectionSettings;
  #interrupted = false;

  constructor(
    connection: DuckDBConnection,
    statementOf: (query: S) => Statement,
    settings: ConnectionSettings,
  ) {
    this.#connection = connection;
    this.#statementOf = statementOf;
    this.#settings = settings;
  }

  async run(query: S): Promise<void> {
    const statement = this.#statementOf(query);
    const isDirect = statement.values.length === 0 && !this.#settings.isBackground;
    if (isDirect) await this.#direct(statement.text);
    else await this.#executed(statement);
  }

  async read(query: S): Promise<readonly Row[]> {
    const result = await this.#executed(this.#statementOf(query));
    const names = result.deduplicatedColumnNames();
    const rows: Row[] = [];
    for (let index = 0; index < result.chunkCount; index++) {
      const chunk = result.getChunk(index);
      for (const values of rowsOf(vectorsOf(chunk, chunk.columnCount), chunk.rowCount))
        rows.push(Object.fromEntries(names.map((name, column) => [name, values[column] ?? null])));
    }
    return rows;
  }

  async *stream(query: S): AsyncGenerator<readonly (readonly RowValue[])[], void, void> {
    for await (const { vectors, rowCount } of this.#chunks(query))
      yield* portionsOf(vectors, rowCount);
  }

  consume(query: S, consumer: URL, argument: unknown): Promise<unknown> {
    return typed(async () => {
      const module = await loadConsumer(consumer.href);
      return module.consume(this.#chunks(query), argument);
    });
  }

  async append(table: string, chunks: readonly RowChunk[]): Promise<void> {
    await typed(async () => {
      const appender = await this.#connection.createAppender(table);
      try {
        for (const chunk of chunks) appender.appendDataChunk(toDataChunk(chunk));
        appender.flushSync();
      } finally {
        appender.closeSync();
      }
    });
  }

  interrupt(): void {
    this.#interrupted = true;
    this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }

  #chunks(query: S): AsyncGenerator<RowBatch> {
    const statement = this.#statementOf(query);
    return this.#settings.hasSmallResults ? this.#finished(statement) : this.#produced(statement);
  }

  async *#finished(statement: Statement): AsyncGenerator<RowBatch> {
    const result = await this.#executed(statement);
    for (let index = 0; index < result.chunkCount; index++) {
      if (index > 0) await this.#pause();
      const chunk = result.getChunk(index);
      yield chunkOf(vectorsOf(chunk, chunk.columnCount), chunk.rowCount);
    }
  }

  /** Lets other work of the thread go on: other reads, and interrupts of this one. */
  async #pause(): Promise<void> {
    await setImmediate();
    if (this.#interrupted) throw new EngineError('interrupted', 'the read was interrupted');
  }

  /** Streams the result. The last column and the last row are the end mark. */
  async *#produced(unmarked: Statement): AsyncGenerator<RowBatch> {
    const statement = withEndMark(unmarked);
    const result = await this.#execute(statement, (prepared) =>
      this.#isPolled(statement) ? untilExecuted(prepared.startStream()) : prepared.stream(),
    );
    let ended = false;
    try {
      while (!ended) {
        const chunk = await typed(() => result.fetchChunk());
        if (chunk === null || chunk.rowCount === 0) throw this.#brokenOff();
        const marks = chunk.getColumnVector(chunk.columnCount - 1);
        ended = marks.getItem(chunk.rowCount - 1) === true;
        const rowCount = ended ? chunk.rowCount - 1 : chunk.rowCount;
        if (rowCount > 0) yield chunkOf(vectorsOf(chunk, chunk.columnCount - 1), rowCount);
      }
    } finally {
      await this.#finish(result, ended);
    }
  }

  // Asking for the state of a statement that failed waits until its tasks have ended. Meanwhile this thread computes no functions, and
  // a task that waits for one would never end.
  #isPolled({ text }: Statement): boolean {
    const { isBackground, functionNames } = this.#settings;
    return isBackground && !functionNames.some((name) => text.includes(name));
  }

  #executed(statement: Statement): Promise<DuckDBMaterializedResult> {
    return this.#execute(statement, (prepared) =>
      this.#isPolled(statement) ? untilExecuted(prepared.start()) : prepared.run(),
    );
  }

  // Takes one round trip to the engine instead of two. BEGIN and COMMIT are on the path of every insert.
  async #direct(text: string): Promise<void> {
    this.#interrupted = false;
    await typed(() => this.#connection.run(text));
  }

  // A stream keeps the instance and its file open, even after `close`, until its end is fetched.
  async #finish(result: DuckDBResult, ended: boolean): Promise<void> {
    if (!ended) this.interrupt();
    let chunk = await result.fetchChunk().catch(() => null);
    while (chunk !== null && chunk.rowCount > 0) {
      this.interrupt();
      chunk = await result.fetchChunk().catch(() => null);
    }
  }

  #brokenOff(): EngineError {
    return this.#interrupted
      ? new EngineError('interrupted', 'the stream was interrupted')
      : new EngineError('memory', 'the stream broke off');
  }

  async #execute<R extends DuckDBResult>(
    { text, values }: Statement,
    execute: (prepared: DuckDBPreparedStatement) => Promise<R>,
  ): Promise<R> {
    this.#interrupted = false;
    return typed(async () => {
      const prepared = await this.#connection.prepare(text);
      try {
        values.forEach((value, index) => prepared.bindValue(index + 1, ...parameter(value)));
        return await execute(prepared);
      } finally {
        prepared.destroySync();
      }
    });
  }
}
