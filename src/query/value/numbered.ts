import { word, type Sql } from '../../duckdb/sql.js';

/** A name of the program with an index: `v0`. */
export const numbered = (prefix: string, index: number): Sql => word(`${prefix}${index}`);
