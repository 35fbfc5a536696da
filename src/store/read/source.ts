// Where row versions are: a generation of buffered rows, or a segment, and what is known of those of some objects.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import { jsonColumns } from '../../schema/event-columns.js';
import type { ColumnPaths, EventArm, RowParts, SegmentPaths } from '../../schema/event-relation.js';
import { eventColumnList, noEvents } from '../row/event-table.js';
import { inputHash } from '../segment/input-hash.js';
import type { ObjectFacts } from '../segment/segment-facts.js';
import { factsOf, type Segment } from '../segment/segment.js';
import { missingColumns } from '../segment/segment-format.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';
import type { Generation } from '../manifest/store-state.js';
import type { RowRange } from './slices.js';

/** A table or file of row versions, and what is known of those of some objects. */
export interface Source {
  readonly arm: Omit<EventArm, 'rows' | 'parts'>;
  readonly number: number;
  readonly columns: Sql;
  /** `columns` has `_input_hash`, and `from` has not. */
  readonly lacksInputHash: boolean;
  readonly from: Sql;
  /** `from` or files of the same rows without their JSON text. */
  readonly narrow: Sql;
  /** Such a file of those rows alone that were live when it was written; null when there is none apart. */
  readonly narrowLive: Sql | null;
  /** Of a segment: what these two read. */
  readonly files: RowParts['files'];
  readonly firstXactId: bigint;
  /** null: not known, may be greater than any transaction id. */
  readonly lastXactId: bigint | null;
  /** It has at least so many rows of the objects that were live when it was written. */
  readonly rowsMin: number;
  /** How many rows of the objects were live when it was written; null: not known, or not for all of them. */
  readonly rowsExactly: number | null;
  /** Where the rows of the objects are; null: not known, or there are several objects. */
  readonly together: RowRange | null;
  /** Microseconds since 1970; null: not known. */
  readonly created: { readonly min: bigint; readonly max: bigint } | null;
  readonly hasTombstones: boolean;
  /** `_superseded_by` says which rows were superseded before they were written here. */
  readonly hasSuperseded: boolean;
  /** The condition that keeps the rows of the objects; null when there are no others. */
  readonly ofObjects: Sql | null;
}

/** Of a source without rows. */
const noPaths: SegmentPaths = Object.fromEntries(
  jsonColumns.map((column) => [
    column,
    { leaves: new Map(), textPaths: new Set(), complete: true } satisfies ColumnPaths,
  ]),
);

/** `rows` is null when it has none. */
export const bufferSource = (
  generation: Generation,
  rows: Sql | null,
  objectIds: readonly string[],
  lastXactId: bigint | null,
): Source => ({
  arm: {
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
  rowsMin: 0,
  rowsExactly: null,
  together: null,
  created: null,
  hasTombstones: generation.tombstones > 0,
  hasSuperseded: false,
  ofObjects: among(objectIds),
});

const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));
const greatest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b));

export function segmentSource(
  segment: Segment,
  objectIds: readonly string[],
  files: SegmentFiles,
): Source {
  const facts = factsOf(segment, objectIds);
  const wide = files.rows(segment);
  const narrow = segment.hasNarrow ? files.narrow(segment) : wide;
  const all = segment.hasSuperseded ? [narrow, files.supersededNarrow(segment)] : narrow;
  return {
    arm: {
      name: `segment ${segment.source}`,
      hasLossless: segment.hasLossless,
      paths: segment.paths,
    },
    number: segment.source,
    columns: allColumns(segment),
    lacksInputHash: false,
    from: readSegment(wide),
    narrow: readSegment(all),
    narrowLive: segment.hasSuperseded ? readSegment(narrow) : null,
    files: { from: wide, narrow },
    firstXactId: least(facts.map(({ minXactId }) => minXactId)),
    lastXactId: greatest(facts.map(({ maxXactId }) => maxXactId)),
    rowsMin: facts.reduce((sum, of) => sum + of.rows - of.tombstones - of.superseded, 0),
    rowsExactly: facts.every(({ superseded }) => superseded === 0)
      ? facts.reduce((sum, of) => sum + of.rows - of.tombstones, 0)
      : null,
    together: facts.length === 1 ? rowRange(facts) : null,
    created: {
      min: least(facts.map(({ minCreated }) => minCreated)),
      max: greatest(facts.map(({ maxCreated }) => maxCreated)),
    },
    hasTombstones: facts.some(({ tombstones }) => tombstones > 0),
    hasSuperseded: facts.some(({ superseded }) => superseded > 0),
    ofObjects: rowsOf(segment, facts),
  };
}

function allColumns({ format }: Segment): Sql {
  const missing = missingColumns(format);
  if (missing.length === 0) return sql`*`;
  return sql`*, ${join(missing.map((name) => sql`CAST(NULL AS VARCHAR) AS ${identifier(name)}`))}`;
}

/** The rows of an object lie together: most often they are one range, which is cheaper to test than ids. */
function rowsOf(segment: Segment, facts: readonly ObjectFacts[]): Sql | null {
  const { firstRow, lastRow } = rowRange(facts);
  const inRange = sql`_row BETWEEN ${BigInt(firstRow)} AND ${BigInt(lastRow)}`;
  const rows = facts.reduce((sum, of) => sum + of.rows, 0);
  if (rows === segment.rows) return null;
  if (rows === lastRow - firstRow + 1) return inRange;
  return sql`${inRange} AND ${among(facts.map(({ objectId }) => objectId))}`;
}

export const rowRange = (facts: readonly ObjectFacts[]): RowRange => ({
  firstRow: Math.min(...facts.map(({ firstRow }) => firstRow)),
  lastRow: Math.max(...facts.map(({ lastRow }) => lastRow)),
});

export function among(objectIds: readonly string[]): Sql {
  if (objectIds.length === 0) return sql`FALSE`;
  return sql`object_id IN (${join(objectIds.map((id) => sql`${id}`))})`;
}
