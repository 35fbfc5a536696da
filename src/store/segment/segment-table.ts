// How the rows of a segment are read and packed: the only place that knows what its files look like to SQL.
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumnsBut } from '../event-table.js';
import type { LeafType, TakenColumn } from './merged-paths.js';
import { missingColumns } from './segment-format.js';

/** To be used in a FROM: the event columns, `_row`, `_superseded_by` and the leaf columns. */
export const readSegment = (file: string | readonly string[]): Sql => sql`read_parquet(${file})`;

/** A file of rows, and the version of its format. */
export interface RowFile {
  readonly path: string;
  readonly format: number;
}

/** A scan of files of rows that has every event column; those that a file is too old to have are NULL. */
export interface RowScan {
  /** SELECT list of the event columns. */
  readonly columns: Sql;
  /** To be used in a FROM: those of the columns that the files have, `_row`, `_superseded_by` and `_input_hash`. */
  readonly from: Sql;
}

/**
 * The rows of at least one file, those of one after those of the other.
 * @param isMixed some files lack columns that are read and others have; they are NULL there
 */
export function scanRows(files: readonly RowFile[], isMixed = false): RowScan {
  const missing = files.map(({ format }) => missingColumns(format));
  const everywhere = missing.reduce((some, others) => some.filter((name) => others.includes(name)));
  const isUnion = isMixed || missing.some(({ length }) => length > everywhere.length);
  const paths = files.map(({ path }) => path);
  return {
    columns: eventColumnsBut(everywhere),
    from: isUnion ? sql`read_parquet(${paths}, union_by_name = true)` : readSegment(paths),
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

/** The same with `file_row_number`, the position in the file from 0 on. */
export const readPositions = (file: string): Sql =>
  sql`read_parquet(${file}, file_row_number = true)`;

/** Beside level 1: a tenth less space, a tenth more time to write, the same to read. */
export const compression: Sql = sql`COMPRESSION zstd, COMPRESSION_LEVEL 3`;
