// Sources of row versions, generations and segments, with the stats that the manifest has about the rows of some objects.
import { join, sql, type Sql } from '../../../duckdb/sql.js';
import { jsonColumns } from '../../../schema/event-columns.js';
import type {
  ColumnPaths,
  EventBranch,
  BranchScan,
  SegmentPaths,
} from '../../../schema/event-relation.js';
import { maxBigint, minBigint } from '../../../schema/xact-id.js';
import { eventColumnList, noEvents } from '../../row/event-table.js';
import type { RowsBetween } from '../../row/row-range.js';
import { inputHash } from '../../segment/input-hash.js';
import type { ObjectStats } from '../../segment/segment.js';
import { statsOf, type Segment } from '../../segment/segment.js';
import type { SegmentFiles } from '../../segment/segment-files.js';
import { readSegment } from '../../segment/segment-table.js';
import type { Generation } from '../../manifest/store-state.js';

/** A generation or a segment, and stats about its rows of some objects. */
export interface Source {
  readonly branch: Omit<EventBranch, 'rows' | 'parts'>;
  readonly number: number;
  /** SELECT list of all columns. */
  readonly columns: Sql;
  /** Whether `columns` computes `_input_hash`, which `from` lacks. */
  readonly lacksInputHash: boolean;
  /** For a FROM clause: all rows. */
  readonly from: Sql;
  /** The narrow files of the same rows, or `from` if there are none. */
  readonly narrow: Sql;
  /** The narrow file of the rows that were live when the segment was written; null if it is not a separate file. */
  readonly narrowLive: Sql | null;
  /** The row file of a segment and its narrow file of live rows; null for a generation. */
  readonly files: BranchScan['files'];
  readonly firstXactId: bigint;
  /** Null if unbounded. */
  readonly lastXactId: bigint | null;
  /** The number of rows of the objects that were live when the source was written; null if unknown. */
  readonly rowsExactly: number | null;
  /** Whether the rows of the objects are in page order, as those of one object in a segment are. */
  readonly isInOrder: boolean;
  /** Microseconds since 1970; null if unknown. */
  readonly created: { readonly min: bigint; readonly max: bigint } | null;
  readonly hasTombstones: boolean;
  /** Whether `_superseded_by` is set for rows that were superseded before the source was written. */
  readonly hasSuperseded: boolean;
  /** The condition that selects the rows of the objects; null if all rows are theirs. */
  readonly ofObjects: Sql | null;
}

/** The paths of a source without rows. */
const noPaths: SegmentPaths = Object.fromEntries(
  jsonColumns.map((column) => [
    column,
    { leaves: new Map(), textPaths: new Set(), complete: true } satisfies ColumnPaths,
  ]),
);

/** @param rows for a FROM clause; null if the generation has no rows */
export const bufferSource = (
  generation: Generation,
  rows: Sql | null,
  objectIds: readonly string[],
  lastXactId: bigint | null,
): Source => ({
  branch: {
    name: `buffer ${generation.source}`,
    hasLossless: generation.lossless > 0,
    paths: generation.rowCount === 0 ? noPaths : null,
  },
  number: generation.source,
  columns: sql`${eventColumnList}, ${inputHash} AS _input_hash`,
  lacksInputHash: true,
  from: rows ?? noEvents,
  narrow: rows ?? noEvents,
  narrowLive: null,
  files: null,
  firstXactId: generation.afterXactId + 1n,
  lastXactId,
  rowsExactly: null,
  isInOrder: false,
  created: null,
  hasTombstones: generation.tombstones > 0,
  hasSuperseded: false,
  ofObjects: among(objectIds),
});

export function segmentSource(
  segment: Segment,
  objectIds: readonly string[],
  files: SegmentFiles,
): Source {
  const stats = statsOf(segment, objectIds);
  const wide = files.rows(segment);
  const narrow = segment.hasNarrow ? files.narrow(segment) : wide;
  const all = segment.hasSuperseded ? [narrow, files.supersededNarrow(segment)] : narrow;
  return {
    branch: {
      name: `segment ${segment.source}`,
      hasLossless: segment.hasLossless,
      paths: segment.paths,
    },
    number: segment.source,
    columns: sql`*`,
    lacksInputHash: false,
    from: readSegment(wide),
    narrow: readSegment(all),
    narrowLive: segment.hasSuperseded ? readSegment(narrow) : null,
    files: { from: wide, narrow },
    firstXactId: stats.map(({ minXactId }) => minXactId).reduce(minBigint),
    lastXactId: stats.map(({ maxXactId }) => maxXactId).reduce(maxBigint),
    rowsExactly: stats.every(({ superseded }) => superseded === 0)
      ? stats.reduce((sum, of) => sum + of.rows - of.tombstones, 0)
      : null,
    isInOrder: stats.length === 1,
    created: {
      min: stats.map(({ minCreated }) => minCreated).reduce(minBigint),
      max: stats.map(({ maxCreated }) => maxCreated).reduce(maxBigint),
    },
    hasTombstones: stats.some(({ tombstones }) => tombstones > 0),
    hasSuperseded: stats.some(({ superseded }) => superseded > 0),
    ofObjects: rowsOf(segment, stats),
  };
}

/** The rows of one object are contiguous, so a range of row numbers usually suffices; it is cheaper to test than ids. */
function rowsOf(segment: Segment, stats: readonly ObjectStats[]): Sql | null {
  const { firstRow, lastRow } = rowRange(stats);
  const inRange = sql`_row BETWEEN ${BigInt(firstRow)} AND ${BigInt(lastRow)}`;
  const rows = stats.reduce((sum, of) => sum + of.rows, 0);
  if (rows === segment.rows) return null;
  if (rows === lastRow - firstRow + 1) return inRange;
  return sql`${inRange} AND ${among(stats.map(({ objectId }) => objectId))}`;
}

const rowRange = (stats: readonly ObjectStats[]): RowsBetween => ({
  firstRow: Math.min(...stats.map(({ firstRow }) => firstRow)),
  lastRow: Math.max(...stats.map(({ lastRow }) => lastRow)),
});

export function among(objectIds: readonly string[]): Sql {
  if (objectIds.length === 0) return sql`FALSE`;
  return sql`object_id IN (${join(objectIds.map((id) => sql`${id}`))})`;
}
