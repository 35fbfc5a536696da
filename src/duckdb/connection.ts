// One connection to an engine instance, whichever thread the instance is in.
import type { CollectedText, TextTarget } from './collected-text.js';
import type { Row, RowChunk, RowValue } from './rows.js';
import type { Sql } from './sql.js';

/**
 * All errors are EngineErrors. Statements on one connection must not overlap; `interrupt` may come at any time. `S` is
 * what statements are given as: fragments, or what was made of them where they come from another thread.
 */
export interface Connection<S = Sql> {
  run(statement: S): Promise<void>;
  read(query: S): Promise<readonly Row[]>;
  /**
   * Chunks of rows (arrays in column order) as the engine produces them; at most 2,048 rows each. The
   * columns of `query` need different names.
   */
  stream(query: S): AsyncGenerator<readonly (readonly RowValue[])[], void, void>;
  /**
   * The rows of the queries, one after the other. Their columns have different names: those of the target and,
   * where there are places, the place of the row. When it fails there is no file.
   */
  collectText(queries: readonly S[], target: TextTarget): Promise<CollectedText>;
  /** Appends to `table`, whose columns are those of the chunks, in order. */
  append(table: string, chunks: readonly RowChunk[]): Promise<void>;
  /** Makes the running statement or stream fail with kind `interrupted`; without one it does nothing. */
  interrupt(): void;
}
