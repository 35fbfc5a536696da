// How the rows of a segment are read: the only place that knows what its file looks like to SQL.
import { sql, type Sql } from '../../duckdb/sql.js';

/** To be used in a FROM: the event columns, `_row`, `_superseded_by` and the leaf columns. */
export const readSegment = (file: string | readonly string[]): Sql => sql`read_parquet(${file})`;
