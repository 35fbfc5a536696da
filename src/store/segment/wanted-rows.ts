// Which rows a look-up wants: those with some ids, or those of some traces.
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { IndexKind } from './segment-index.js';

/** Selects rows by a column of the index files. */
export interface WantedRows {
  readonly by: IndexKind;
  readonly values: readonly string[];
}

/** The SQL condition for the selected rows. All values are one parameter, since each branch of a relation repeats the condition. */
export const conditionOf = ({ by, values }: WantedRows): Sql =>
  values.length === 0
    ? sql`FALSE`
    : sql`${identifier(by)} IN (SELECT unnest(${values}::VARCHAR[]))`;
