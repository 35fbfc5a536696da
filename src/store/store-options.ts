// The settings of the store, their defaults, and the callbacks of its owner.
import type { CommitTime } from './commit/committer.js';
import { eventBytesMax } from './commit/event-size.js';
import type { CompactionSettings } from './maintenance/compaction-policy.js';
import type { MovedFile } from './recovery/obsolete-files.js';
import type { OversizedRow } from './maintenance/flush.js';
import type { MergeLimit } from './maintenance/maintenance.js';
import type { Damage } from './segment/checked-files.js';
import type { SegmentSettings } from './segment/segment-writer.js';
import type { VerificationSettings } from './maintenance/verification.js';
import type { SyncPointHook } from './file/sync-point.js';
import type { SliceSettings } from './read/slices.js';

export interface EventStoreOptions {
  readonly dataDirectory: string;
  readonly queryMemoryMb: number;
  readonly queryThreads: number;
  readonly queryTimeoutMs: number;
  /** Queries that run at once. */
  readonly queryConcurrency: number;
  /** Queries that may wait beyond those. */
  readonly queryQueueLength: number;
  /** Rows that are buffered before they are moved to segments; 50,000 by default. */
  readonly flushRows?: number;
  /** The same limit in bytes; 112 MB by default. Inserts are slowed down when more waits to be moved. */
  readonly flushBytes?: number;
  /** Longest wait of an insert while three times as much is buffered; 20 s by default. */
  readonly backlogWaitMs?: number;
  /** Rows stay buffered for this long at most; 300 s by default. */
  readonly flushSeconds?: number;
  /** The same when no more rows come and those that came are not few; 20 s by default. */
  readonly idleSeconds?: number;
  /** Memory of the writer; 512 MB by default. It bounds the size of an event, as the next one does. */
  readonly writerMemoryMb?: number;
  /** Memory for writing segments; 1,024 MB by default. */
  readonly maintenanceMemoryMb?: number;
  /** That memory is given back after so long without a segment to write; 5 s by default. */
  readonly maintenanceIdleMs?: number;
  /** Disk space for copies of rows that were looked up several times; 16 GB by default, and a quarter of what is free. */
  readonly rowCacheBytes?: number;
  readonly compaction?: Partial<CompactionSettings>;
  readonly segments?: Partial<SegmentSettings>;
  /** How the files of segments are read in the background; 32 MB a second and once a week by default. */
  readonly verification?: Partial<VerificationSettings>;
  /** How long answers, and searches for their first rows, are cut. */
  readonly slices?: SliceSettings;
  readonly hooks?: StoreHooks;
  /** The last transaction id of writes that are stored elsewhere: the next ones are larger. */
  readonly lastXactId?: bigint;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface StoreHooks {
  readonly reached?: SyncPointHook;
  /** Called with what made a piece of background work fail; it is tried again later. */
  readonly failed?: (error: unknown) => void;
  /** Called for every group of requests that became durable together. */
  readonly timed?: (commit: CommitTime) => void;
  /** Called at the start for each file in the directory of segments that belongs to none and was set aside. */
  readonly setAside?: (moved: MovedFile) => void;
  /** Called when a merge of segments ran out of memory; it is not tried again as it was. */
  readonly limited?: (limit: MergeLimit) => void;
  /** Called once for each file of a segment that is found missing or damaged. */
  readonly damaged?: (damage: Damage) => void;
  /** Called when a buffered row needs more memory to be written to a segment than the settings allow; it gets that once. */
  readonly oversized?: (row: OversizedRow) => void;
}

export const defaults = {
  flushRows: 50_000,
  flushBytes: 112 * 2 ** 20,
  backlogWaitMs: 20_000,
  flushSeconds: 300,
  idleSeconds: 20,
  writerMemoryMb: 512,
  maintenanceMemoryMb: 1024,
  maintenanceIdleMs: 5_000,
  rowCacheBytes: 16 * 2 ** 30,
};

export const eventBytesMaxOf = ({
  writerMemoryMb = defaults.writerMemoryMb,
  maintenanceMemoryMb = defaults.maintenanceMemoryMb,
}: EventStoreOptions): number => eventBytesMax(writerMemoryMb, maintenanceMemoryMb);

/** Besides the generation that takes new rows, one that is flushed and one that waits. */
const backlogGenerations = 3;

export function backlogLimits({
  flushBytes = defaults.flushBytes,
  backlogWaitMs,
}: EventStoreOptions) {
  const waitMs = backlogWaitMs ?? defaults.backlogWaitMs;
  return { softBytes: flushBytes, hardBytes: backlogGenerations * flushBytes, waitMs };
}

export const sealLimits = (options: EventStoreOptions) => ({
  rows: options.flushRows ?? defaults.flushRows,
  bytes: options.flushBytes ?? defaults.flushBytes,
  seconds: options.flushSeconds ?? defaults.flushSeconds,
  idleSeconds: options.idleSeconds ?? defaults.idleSeconds,
});
