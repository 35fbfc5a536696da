// How the rows of a segment are read and packed: the only place that knows what its files look like to SQL.
import { sql, type Sql } from '../../duckdb/sql.js';

/** To be used in a FROM: the event columns, `_row`, `_superseded_by` and the leaf columns. */
export const readSegment = (file: string | readonly string[]): Sql => sql`read_parquet(${file})`;

/** The same with `file_row_number`, the position in the file from 0 on. */
export const readPositions = (file: string): Sql =>
  sql`read_parquet(${file}, file_row_number = true)`;

/** Beside level 1: a tenth less space, a tenth more time to write, the same to read. */
export const compression: Sql = sql`COMPRESSION zstd, COMPRESSION_LEVEL 3`;
