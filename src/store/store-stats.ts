// The sizes and counts that the store reports, computed from its state in memory.
import { xactMs } from '../schema/xact-id.js';
import type { Uploads, UploadState } from './bucket/uploads.js';
import type { Committer } from './commit/committer.js';
import type { DiskReserve } from './commit/disk-reserve.js';
import type { InsertedTotals } from './commit/inserted-totals.js';
import type { EventLog } from './log/event-log.js';
import type { ReadQueue } from './read/engine/read-queue.js';
import type { Segment } from './segment/segment.js';
import type { WorkTimes } from './maintenance/work-times.js';
import type { StoreState } from './manifest/store-state.js';

/** The sizes and counts of the segments of a project. */
export interface ProjectStats {
  readonly segments: number;
  /** Row versions. */
  readonly rows: number;
  readonly supersededRows: number;
  /** The size of the files of its segments. */
  readonly bytes: number;
}

export interface StoreStats {
  readonly lastXactId: bigint;
  readonly buffered: { readonly rows: number; readonly bytes: number };
  readonly queries: { readonly running: number; readonly waiting: number };
  /** When the oldest buffered row was inserted, in milliseconds since 1970; null without buffered rows. */
  readonly oldestBuffered: number | null;
  /** Since the start: queries that were refused because too many waited. */
  readonly refusedQueries: number;
  readonly disk: {
    /** What inserts leave free, in bytes. */
    readonly reserve: number;
    readonly isRefusing: boolean;
    /** Since the start. */
    readonly refused: number;
  };
  /** Since the start, by project id. */
  readonly inserted: InsertedTotals['all'];
  /** Since the start. */
  readonly maintenance: WorkTimes['current'];
  /** Null without a bucket. */
  readonly bucket: UploadState | null;
  /** By project id. Projects without segments have no entry. */
  readonly projects: ReadonlyMap<string, ProjectStats>;
}

/** Row versions that were superseded when the segment was written. */
const supersededBefore = ({ objects }: Segment): number =>
  [...objects.values()].reduce((sum, { superseded }) => sum + superseded, 0);

const bytesOf = ({ checksums }: Segment): number =>
  Object.values(checksums).reduce((sum, file) => sum + file.bytes, 0);

const nothing: ProjectStats = { segments: 0, rows: 0, supersededRows: 0, bytes: 0 };

function ofProjects({ segments, superseded }: StoreState): ReadonlyMap<string, ProjectStats> {
  const projects = new Map<string, ProjectStats>();
  for (const segment of segments) {
    const { projectId, source, rows } = segment;
    const before = projects.get(projectId) ?? nothing;
    projects.set(projectId, {
      segments: before.segments + 1,
      rows: before.rows + rows,
      supersededRows:
        before.supersededRows + supersededBefore(segment) + (superseded.get(source) ?? 0),
      bytes: before.bytes + bytesOf(segment),
    });
  }
  return projects;
}

/** What the store reports of. */
export interface Reported {
  readonly committer: Pick<Committer, 'state' | 'inserted'>;
  readonly log: Pick<EventLog, 'xactIdAt'>;
  readonly queue: ReadQueue;
  readonly times: WorkTimes;
  readonly reserve: DiskReserve;
  readonly uploads: Uploads | null;
}

export function storeStats({
  committer,
  log,
  queue,
  times,
  reserve,
  uploads,
}: Reported): StoreStats {
  const { state, inserted } = committer;
  const generations = [...state.sealed, state.active];
  const oldest = generations.find(({ rowCount }) => rowCount > 0);
  return {
    lastXactId: state.lastXactId,
    buffered: {
      rows: generations.reduce((sum, { rowCount }) => sum + rowCount, 0),
      bytes: generations.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    oldestBuffered: oldest === undefined ? null : xactMs(log.xactIdAt(oldest.source, 0)),
    queries: queue.load,
    refusedQueries: queue.refused,
    disk: { reserve: reserve.bytes, isRefusing: reserve.isRefusing, refused: reserve.refused },
    inserted: inserted.all,
    maintenance: times.current,
    bucket: uploads?.state ?? null,
    projects: ofProjects(state),
  };
}
