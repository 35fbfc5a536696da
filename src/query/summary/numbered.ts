import type { Sql } from '../../duckdb/sql.js';

/** The name of a column that belongs to the measure with this index. */
export const numbered = (prefix: string, index: number): Sql => ({ parts: [`${prefix}${index}`] });
