// A segment as the manifest lists it: which row versions its file holds, and what a read may leave out.
import type { SegmentPaths } from '../../schema/event-relation.js';
import type { FileChecksum } from './file-checksum.js';
import type { ObjectFacts, SegmentFacts } from './segment-facts.js';
import { segmentFormatVersion } from './segment-format.js';
import type { FileKind } from './segment-files.js';

/** What each file of a segment was when it was written; nothing of files whose checksum is not known. */
export type SegmentChecksums = Readonly<Partial<Record<FileKind, FileChecksum>>>;

export interface Segment {
  /** Its number among all sources of rows. */
  readonly source: number;
  readonly projectId: string;
  /** Version of its files, up to `segmentFormatVersion`. */
  readonly format: number;
  /** Ranges of the segments of a project do not overlap. */
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
  readonly rows: number;
  /** Size of the row file. */
  readonly bytes: number;
  readonly objects: ReadonlyMap<string, ObjectFacts>;
  readonly hasLossless: boolean;
  /** Its rows without their JSON text are in a file of their own, too. */
  readonly hasNarrow: boolean;
  /** That file has live rows alone, and the rows that were superseded when it was written are in another one. */
  readonly hasEnded: boolean;
  readonly paths: SegmentPaths;
  readonly checksums: SegmentChecksums;
}

export function toSegment(
  source: number,
  projectId: string,
  facts: SegmentFacts,
  checksums: SegmentChecksums,
): Segment {
  const { objects } = facts;
  return {
    source,
    projectId,
    format: segmentFormatVersion,
    firstXactId: objects.map(({ minXactId }) => minXactId).reduce((a, b) => (a < b ? a : b)),
    lastXactId: objects.map(({ maxXactId }) => maxXactId).reduce((a, b) => (a > b ? a : b)),
    rows: facts.rows,
    bytes: facts.bytes,
    objects: new Map(objects.map((object) => [object.objectId, object])),
    hasLossless: facts.hasLossless,
    hasNarrow: facts.hasNarrow,
    hasEnded: facts.hasEnded,
    paths: facts.paths,
    checksums,
  };
}

/** Its rows were found in order when it was written. */
export const isOrderVerified = ({ format }: Pick<Segment, 'format'>): boolean => format > 2;

/** What the segment knows of those of the objects that it has rows of. */
export const factsOf = (segment: Segment, objectIds: readonly string[]): readonly ObjectFacts[] =>
  objectIds.flatMap((id) => segment.objects.get(id) ?? []);
