// What the store hands to the query compiler: where rows are read from and how their paths are stored.
import type { Sql } from '../duckdb/sql.js';
import type { JsonColumn } from './event-columns.js';

/** Rows that are all stored alike: one arm of the UNION ALL that a query reads. */
export interface EventArm {
  /** For `explain`: `buffer 3`, `segment 0192…`. */
  readonly name: string;
  /**
   * A parenthesised SELECT of the wanted row versions, with every event column, every leaf column and
   * `_input_hash` UUID, of roots of experiments, equal for inputs that are equal as JSON.
   * Column pruning and filter push-down are the engine's.
   */
  readonly rows: Sql;
  /** `rows` taken apart: planning all of its columns takes the engine milliseconds. */
  readonly parts?: RowParts;
  /** How many rows there are, when that is known without reading them. */
  readonly rowCount?: number | null;
  /** False when no row of the arm has `_lossless` set: plain JSON extraction is then exact. */
  readonly hasLossless: boolean;
  /** null: nothing is known, every path is read from JSON text. */
  readonly paths: SegmentPaths | null;
}

/** SELECT … FROM `from` WHERE all of the conditions, which speak of no JSON column. */
export interface RowParts {
  /** What they were taken from: parts of other rows say nothing about the arm. */
  readonly rows: Sql;
  readonly from: Sql;
  /** The same rows without their JSON columns, which are read faster; under `conditions`. */
  readonly narrow: Sql;
  /** The Parquet files that these two read, and nothing besides; null when there is more to them. */
  readonly files: { readonly from: string; readonly narrow: string } | null;
  readonly conditions: readonly Sql[];
  /** `from` and `narrow` have no `_input_hash`, which is computed in `rows`. */
  readonly lacksInputHash?: boolean;
  /** Further ones for `from`, which all rows of `narrow` meet; none when absent. */
  readonly metByNarrow?: readonly Sql[];
}

export interface EventRelation {
  readonly arms: readonly EventArm[];
  /** Relations that have the same one have the same rows; null or absent: not known. */
  readonly identity?: string | null;
  /**
   * For a query on comments or audit entries: parenthesised SELECT of (object_id, id) and what was said
   * about that event, as `feedbackByEvent` makes it.
   */
  readonly feedback?: Sql;
}

/** Names of the columns that hold the values at one path; null where the arm has no value of the type. */
export interface LeafColumns {
  /** DOUBLE. */
  readonly number: string | null;
  /** VARCHAR. */
  readonly string: string | null;
  /** BOOLEAN. */
  readonly boolean: string | null;
  /** BOOLEAN: true where the row's value is in none of the others and has to be read from the JSON text. */
  readonly elsewhere: string | null;
}

/** The key paths below one JSON column, by `pathKey`; paths into arrays are not listed. */
export interface ColumnPaths {
  readonly leaves: ReadonlyMap<string, LeafColumns>;
  /** Paths that occur and have no leaf columns. */
  readonly textPaths: ReadonlySet<string>;
  /** False when there were too many paths to list: one that is not listed may occur. */
  readonly complete: boolean;
  /** The rows lack the column itself, but for `rows` of the arm, where it is NULL. */
  readonly isMissing?: true;
}

export type SegmentPaths = Readonly<Partial<Record<JsonColumn, ColumnPaths>>>;

export const pathKey = (steps: readonly string[]): string => JSON.stringify(steps);

export type PathStorage = LeafColumns | 'text' | 'absent';

/** A column that is not listed is text. */
export function pathStorage(
  paths: SegmentPaths | null,
  column: JsonColumn,
  steps: readonly (string | number)[],
): PathStorage {
  const listed = paths?.[column];
  if (listed === undefined) return 'text';
  if (listed.isMissing === true) return 'absent';
  const keys = steps.filter((step) => typeof step === 'string');
  if (keys.length < steps.length || keys.length === 0) return 'text';
  const key = pathKey(keys);
  const leaf = listed.leaves.get(key);
  if (leaf !== undefined) return leaf;
  return listed.textPaths.has(key) || !listed.complete ? 'text' : 'absent';
}
