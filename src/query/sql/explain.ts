// Statements that return the engine's plan of a query as text, in the column `explain_value`.
import { sql, type Sql } from '../../duckdb/sql.js';

/** @param isAnalyzed whether to run the query, so that the plan has the time of each operator */
export const planStatement = (query: Sql, isAnalyzed: boolean): Sql =>
  isAnalyzed ? sql`EXPLAIN ANALYZE ${query}` : sql`EXPLAIN ${query}`;
