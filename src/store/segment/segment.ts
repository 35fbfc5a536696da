// A segment as the manifest lists it: which row versions its file holds, and what a read may leave out.
import type { SegmentPaths } from '../../schema/event-relation.js';
import { maxBigint, minBigint } from '../../schema/xact-id.js';
import type { FileChecksum } from './file-checksum.js';

/** The kinds of segment files, by their extensions. */
export type FileKind = 'parquet' | 'narrow' | 'ended' | 'idx' | 'ids';

/** Statistics of the rows of one object in a segment. These rows are consecutive. */
export interface ObjectStats {
  readonly objectId: string;
  readonly rows: number;
  readonly tombstones: number;
  /** Row versions that were superseded when the segment was written. */
  readonly superseded: number;
  readonly minXactId: bigint;
  readonly maxXactId: bigint;
  /** Microseconds since 1970. */
  readonly minCreated: bigint;
  readonly maxCreated: bigint;
  readonly firstRow: number;
  readonly lastRow: number;
}

export interface SegmentStats {
  readonly rows: number;
  /** Size of the Parquet file. */
  readonly bytes: number;
  /** In the order of their rows. */
  readonly objects: readonly ObjectStats[];
  readonly paths: SegmentPaths;
  readonly hasLossless: boolean;
  /** Whether the segment has a narrow file. */
  readonly hasNarrow: boolean;
  /** Whether superseded rows have a narrow file of their own. */
  readonly hasSuperseded: boolean;
}

/** The sizes and checksums of the files of a segment. */
export type SegmentChecksums = Readonly<Partial<Record<FileKind, FileChecksum>>>;

export interface Segment {
  /** The number of the segment. Sources have different numbers. */
  readonly source: number;
  readonly projectId: string;
  /**
   * The ranges of the segments of a project follow one another. Neighbours can share one transaction: a flush in parts divides it
   * if it is large.
   */
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
  readonly rows: number;
  /** Size of the row file. */
  readonly bytes: number;
  readonly objects: ReadonlyMap<string, ObjectStats>;
  readonly hasLossless: boolean;
  /** Whether the segment has a narrow file. */
  readonly hasNarrow: boolean;
  /** Whether rows that were superseded when the segment was written have a narrow file of their own. */
  readonly hasSuperseded: boolean;
  readonly paths: SegmentPaths;
  readonly checksums: SegmentChecksums;
}

/**
 * The order of segments: those of a project by their transactions. Of two that begin with parts of one transaction, the one with
 * later transactions is the later one.
 */
export function byTransactions(
  a: Pick<Segment, 'source' | 'firstXactId' | 'lastXactId'>,
  b: Pick<Segment, 'source' | 'firstXactId' | 'lastXactId'>,
): number {
  if (a.firstXactId !== b.firstXactId) return a.firstXactId < b.firstXactId ? -1 : 1;
  if (a.lastXactId !== b.lastXactId) return a.lastXactId < b.lastXactId ? -1 : 1;
  return a.source - b.source;
}

export function toSegment(
  source: number,
  projectId: string,
  stats: SegmentStats,
  checksums: SegmentChecksums,
): Segment {
  const { objects } = stats;
  return {
    ...stats,
    source,
    projectId,
    firstXactId: objects.map(({ minXactId }) => minXactId).reduce(minBigint),
    lastXactId: objects.map(({ maxXactId }) => maxXactId).reduce(maxBigint),
    objects: new Map(objects.map((object) => [object.objectId, object])),
    checksums,
  };
}

/** The statistics of those objects that have rows in the segment. */
export const statsOf = (segment: Segment, objectIds: readonly string[]): readonly ObjectStats[] =>
  objectIds.flatMap((id) => segment.objects.get(id) ?? []);
