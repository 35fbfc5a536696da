// Parquet files in a FROM clause.
import { sql, type Sql } from './sql.js';

/** The rows of files. By default, the engine would read a directory named `id=x` as a column `id`, even above the data directory. */
export const readParquet = (files: string | readonly string[], options: Sql = sql``): Sql =>
  sql`read_parquet(${files}, hive_partitioning = false${options})`;
