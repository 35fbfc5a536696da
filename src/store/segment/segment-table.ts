// How the rows of a segment are read and packed: the only place that knows what its files look like to SQL.
import { readParquet } from '../../duckdb/parquet.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { LeafType } from './field-ids.js';
import type { TakenColumn } from './merged-paths.js';

/** The rows of a segment file, for a FROM clause: event columns, `_row`, `_superseded_by` and leaf columns. */
export const readSegment = (file: string | readonly string[]): Sql => readParquet(file);

/** As `readSegment`, for files some of which lack leaf columns that others have; these are NULL. */
export const readUnlikeSegments = (files: readonly string[]): Sql =>
  readParquet(files, sql`, union_by_name = true`);

const leafTypes = {
  number: 'DOUBLE',
  string: 'VARCHAR',
  boolean: 'BOOLEAN',
  elsewhere: 'BOOLEAN',
} as const satisfies Record<LeafType, string>;

/** SELECT list of leaf columns from a file that has those in `names`, under these names; a comma follows each. */
export const takenColumns = (
  taken: readonly TakenColumn[],
  names: ReadonlyMap<string, string>,
): Sql =>
  join(
    taken.map(({ name, type }) => {
      const own = names.get(name);
      const value =
        own === undefined ? sql`CAST(NULL AS ${word(leafTypes[type])})` : identifier(own);
      return sql`${value} AS ${identifier(name)}, `;
    }),
    '',
  );

/** As `readSegment`, with `file_row_number`, the position in the file from 0 on. */
export const readPositions = (file: string): Sql =>
  readParquet(file, sql`, file_row_number = true`);

/**
 * The levels of zstd. Level 1 takes 30 % less processor time to write and 9 % more space than level 3; reads take the same time.
 * Flushes use level 1, because inserts wait for them and merges write their rows again.
 */
export const compressionLevels = { flush: 1, merge: 3 } as const;

export type CompressionLevel = (typeof compressionLevels)[keyof typeof compressionLevels];

export const compression = (level: CompressionLevel): Sql =>
  sql`COMPRESSION zstd, COMPRESSION_LEVEL ${word(level)}`;
