// Many changes on their way into one instance: their rows for one table are appended together.
import { toRowChunks, type EngineType, type RowChunk, type RowValue } from '../../duckdb/rows.js';
import type { Sql } from '../../duckdb/sql.js';
import type { ChangeConnection } from '../store-state.js';

interface GatheredRows {
  readonly types: readonly EngineType[];
  readonly rows: (readonly RowValue[])[];
}

/** An append costs two milliseconds, however few its rows are; with so many rows that is little of it. */
const gatheredRowsMax = 2048;

export class GatheredAppends implements ChangeConnection {
  readonly #connection: ChangeConnection;
  readonly #tables = new Map<string, GatheredRows>();

  /** What is appended arrives at `connection` at the latest with `finish`. */
  constructor(connection: ChangeConnection) {
    this.#connection = connection;
  }

  async append(table: string, chunks: readonly RowChunk[]): Promise<void> {
    for (const { types, rows } of chunks) {
      const gathered = this.#tables.get(table) ?? { types, rows: [] };
      this.#tables.set(table, gathered);
      for (const row of rows) gathered.rows.push(row);
      if (gathered.rows.length >= gatheredRowsMax) await this.#pass(table, gathered);
    }
  }

  /** After everything that was appended before. */
  async run(statement: Sql): Promise<void> {
    await this.finish();
    await this.#connection.run(statement);
  }

  async finish(): Promise<void> {
    for (const [table, gathered] of this.#tables) await this.#pass(table, gathered);
  }

  async #pass(table: string, { types, rows }: GatheredRows): Promise<void> {
    this.#tables.delete(table);
    await this.#connection.append(table, toRowChunks(types, rows));
  }
}
