// A part of an Arrow stream: what the reader's thread is told about it, and the query for its rows. The thread loads the encoder on
// first use: it is large, and few queries ask for Arrow.
import { join, numbered, sql, type Sql } from '../../../duckdb/sql.js';

export type ArrowType =
  'BOOLEAN' | 'BIGINT' | 'DOUBLE' | 'VARCHAR' | 'TIMESTAMPTZ' | 'VARCHAR[]' | 'JSON';

export interface ArrowColumn {
  readonly name: string;
  /** The SQL type of its values. */
  readonly type: ArrowType;
}

export interface ArrowPart {
  /** The file to write. */
  readonly path: string;
  readonly columns: readonly ArrowColumn[];
  /** Whether the schema precedes the batches. */
  readonly isFirst: boolean;
  /** Whether the mark of the end of the stream follows the batches. */
  readonly isLast: boolean;
}

export const consumerModule = new URL('./arrow-batches.js', import.meta.url);

/** Whether the column has texts, which are joined with those of the others. */
export const isJoined = ({ type }: ArrowColumn): boolean => type === 'VARCHAR' || type === 'JSON';

/** The rows of `select`, whose columns are `c0`, `c1`, …: their joined texts, and for columns of texts the lengths in their place. */
export function withJoinedTexts(columns: readonly ArrowColumn[], select: Sql): Sql {
  const names = columns.map((_, index) => numbered('c', index));
  const texts = names
    .filter((_, index) => isJoined(columns[index]!))
    .map((name) => sql`CAST(${name} AS VARCHAR)`);
  const list = columns.map((column, index) => {
    const name = names[index]!;
    return isJoined(column)
      ? sql`CAST(strlen(CAST(${name} AS VARCHAR)) AS INTEGER) AS ${name}`
      : name;
  });
  return sql`SELECT concat(${join([sql`''`, ...texts])}) AS texts, ${join(list)} FROM (${select})`;
}
