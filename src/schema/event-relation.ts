// The relation that the store passes to the query compiler: the source of rows, and the storage of their paths.
import type { Sql } from '../duckdb/sql.js';
import type { JsonColumn } from './event-columns.js';

/** A branch: rows with the same storage, one branch of the UNION ALL that a query reads. */
export interface EventBranch {
  /** The name in explanations, such as `buffer 3` or `segment 0192…`. */
  readonly name: string;
  /**
   * A parenthesised SELECT of the row versions with every event column, every leaf column and `_input_hash`, a UUID for roots
   * of experiments that is equal for inputs that are equal as JSON. The engine prunes columns and pushes filters down.
   */
  readonly rows: Sql;
  /** The parts of `rows`, since the engine takes milliseconds to plan all of its columns. */
  readonly parts?: BranchScan;
  /** The number of rows, if known without reading them. */
  readonly rowCount?: number | null;
  /** Whether some row may have `_lossless` set. If not, plain JSON extraction is exact. */
  readonly hasLossless: boolean;
  /** The storage of paths; null if unknown: every path is then read from JSON text. */
  readonly paths: SegmentPaths | null;
}

/** The branch is SELECT … FROM `from` WHERE all of the conditions, which use no JSON column. */
export interface BranchScan {
  /** The `rows` of these parts, which are valid only for them. */
  readonly rows: Sql;
  readonly from: Sql;
  /** The same rows without JSON columns, which are faster to read; `conditions` apply. */
  readonly narrow: Sql;
  /** The Parquet files that `from` and `narrow` read; null if they read anything else. */
  readonly files: { readonly from: string; readonly narrow: string } | null;
  readonly conditions: readonly Sql[];
  /** Whether only `rows` computes `_input_hash`. */
  readonly lacksInputHash?: boolean;
  /** Further conditions for `from`, which all rows of `narrow` meet. */
  readonly metByNarrow?: readonly Sql[];
}

export interface EventRelation {
  readonly branches: readonly EventBranch[];
  /** Relations with the same identity have the same rows; null or absent if unknown. */
  readonly identity?: string | null;
  /**
   * For a query on comments or audit entries: a parenthesised SELECT of (object_id, id) and the feedback on that event, from
   * `feedbackByEvent`.
   */
  readonly feedback?: Sql;
}

/** The leaf columns of a path; null if the branch has no value of the type. */
export interface LeafColumns {
  /** DOUBLE. */
  readonly number: string | null;
  /** VARCHAR. */
  readonly string: string | null;
  /** BOOLEAN. */
  readonly boolean: string | null;
  /** BOOLEAN: true if the value is in none of the other columns and has to be read from the JSON text. */
  readonly elsewhere: string | null;
}

/** The paths below a JSON column, by `pathKey`, without paths into arrays. */
export interface ColumnPaths {
  readonly leaves: ReadonlyMap<string, LeafColumns>;
  /** Paths without leaf columns. */
  readonly textPaths: ReadonlySet<string>;
  /** Whether all paths are listed; otherwise an unlisted path may occur. */
  readonly complete: boolean;
}

export type SegmentPaths = Readonly<Partial<Record<JsonColumn, ColumnPaths>>>;

export const pathKey = (steps: readonly string[]): string => JSON.stringify(steps);

export type PathStorage = LeafColumns | 'text' | 'absent';

/** Unlisted columns are text. */
export function pathStorage(
  paths: SegmentPaths | null,
  column: JsonColumn,
  steps: readonly (string | number)[],
): PathStorage {
  const listed = paths?.[column];
  if (listed === undefined) return 'text';
  const keys = steps.filter((step) => typeof step === 'string');
  if (keys.length < steps.length || keys.length === 0) return 'text';
  const key = pathKey(keys);
  const leaf = listed.leaves.get(key);
  if (leaf !== undefined) return leaf;
  return listed.textPaths.has(key) || !listed.complete ? 'text' : 'absent';
}
