// How the rows of a segment are read and packed: the only place that knows what its files look like to SQL.
import { readParquet } from '../../duckdb/parquet.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumnsBut } from '../row/event-table.js';
import type { LeafType, TakenColumn } from './merged-paths.js';
import { missingColumns } from './segment-format.js';

/** The rows of a segment file, for a FROM clause: event columns, `_row`, `_superseded_by` and leaf columns. */
export const readSegment = (file: string | readonly string[]): Sql => readParquet(file);

/** A row file and its format version. */
export interface RowFile {
  readonly path: string;
  readonly format: number;
}

/** A scan of row files with all event columns. Columns that a file of an older release lacks are NULL. */
export interface RowScan {
  /** SELECT list of the event columns. */
  readonly columns: Sql;
  /** For a FROM clause: the event columns that the files have, `_row`, `_superseded_by` and `_input_hash`. */
  readonly from: Sql;
}

/**
 * Scans one or more files in their order.
 * @param isMixed whether some files lack columns that others have; these are NULL
 */
export function scanRows(files: readonly RowFile[], isMixed = false): RowScan {
  const missing = files.map(({ format }) => missingColumns(format));
  const everywhere = missing.reduce((some, others) => some.filter((name) => others.includes(name)));
  const isUnion = isMixed || missing.some(({ length }) => length > everywhere.length);
  const paths = files.map(({ path }) => path);
  return {
    columns: eventColumnsBut(everywhere),
    from: isUnion ? readParquet(paths, sql`, union_by_name = true`) : readSegment(paths),
  };
}

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
