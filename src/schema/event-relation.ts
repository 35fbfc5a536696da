// What the store hands to the query compiler: where rows are read from and how their paths are stored.
import type { Sql } from '../duckdb/sql.js';

/** Rows that are all stored alike: one arm of the UNION ALL that a query reads. */
export interface EventArm {
  /** For `explain`: `buffer 3`, `segment 0192…`. */
  readonly name: string;
  /**
   * A parenthesised SELECT of the wanted row versions, with every event column. Column pruning and
   * filter push-down are the engine's.
   */
  readonly rows: Sql;
  /** False when no row of the arm has `_lossless` set: plain JSON extraction is then exact. */
  readonly hasLossless: boolean;
}

export interface EventRelation {
  readonly arms: readonly EventArm[];
}
