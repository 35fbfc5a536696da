// The settings of the store, their defaults, and the callbacks of its owner.
import { defaultBucketTimes, type BucketTimes } from './bucket/uploads.js';
import type { Bucket } from './bucket/objects.js';
import type { CommitTime } from './commit/committer.js';
import { measureDisk, type MeasureDisk, type ReserveChange } from './commit/disk-reserve.js';
import { requestBytesMax } from './commit/event-size.js';
import { defaultCompaction, type CompactionSettings } from './maintenance/compaction-policy.js';
import type { MovedFile } from './recovery/obsolete-files.js';
import type { TableSettings } from './iceberg/tables.js';
import type { OversizedRow } from './maintenance/flush.js';
import { wholeHistory, type HistorySettings } from './maintenance/history.js';
import type { PurgedSegment } from './maintenance/maintenance.js';
import type { MergeLimit } from './maintenance/merge-limits.js';
import type { Damage } from './segment/checked-files.js';
import { defaultSegmentSettings, type SegmentSettings } from './segment/segment-writer.js';
import { defaultVerification, type VerificationSettings } from './maintenance/verification.js';
import type { SyncPointHook } from './file/sync-point.js';
import { defaultChunks, type ChunkSettings } from './read/chunks/source-chunks.js';

export interface EventStoreOptions {
  readonly dataDirectory: string;
  readonly queryMemoryMb: number;
  readonly queryThreads: number;
  readonly queryTimeoutMs: number;
  /** The number of queries that run concurrently. */
  readonly queryConcurrency: number;
  /** The number of further queries that may wait. */
  readonly queryQueueLength: number;
  /** A generation is sealed at this number of rows; 50,000 by default. */
  readonly flushRows?: number;
  /** A generation is sealed at this size; 112 MB by default. With more buffered bytes, inserts are slowed down. */
  readonly flushBytes?: number;
  /** The longest wait of an insert while three times `flushBytes` are buffered; 20 s by default. */
  readonly backlogWaitMs?: number;
  /** A generation is sealed at this age; 300 s by default. */
  readonly flushSeconds?: number;
  /** A generation that is not small is sealed after this time without inserts; 20 s by default. */
  readonly idleSeconds?: number;
  /** The largest size of the rows of a request in the log, in bytes; almost 2 GiB by default. */
  readonly requestBytesMax?: number;
  /** The memory limit of the writer; 512 MB by default. Like the next one, it bounds the size of an event. */
  readonly writerMemoryMb?: number;
  /** The memory limit for flushes and merges; 1,024 MB by default. */
  readonly maintenanceMemoryMb?: number;
  /** The instance for flushes and merges is closed after this time without work; 5 s by default. */
  readonly maintenanceIdleMs?: number;
  /** The size of the cache of looked-up rows on disk; 16 GB by default, and at most a quarter of the free space. */
  readonly rowCacheBytes?: number;
  /** What inserts leave of the disk besides what a flush needs, at most a tenth of it; 512 MB by default, 0 for no reserve at all. */
  readonly diskReserveMb?: number;
  /** Measures the disk of the data directory; by `statfs` by default. */
  readonly measureDisk?: MeasureDisk;
  /** How long versions of events can be read; all of them for ever by default. */
  readonly history?: HistorySettings;
  readonly compaction?: Partial<CompactionSettings>;
  readonly segments?: Partial<SegmentSettings>;
  /** The rate and interval of background verification; 32 MB per second and once a week by default. */
  readonly verification?: Partial<VerificationSettings>;
  /** The size of chunks of long answers, of pages and of searches for first rows. */
  readonly chunks?: ChunkSettings;
  /** Where the segments are copied to; null by default. The store closes it. */
  readonly bucket?: Bucket | null;
  /** Files of segments above this size that are in the bucket leave the disk, in bytes; 0, the default, for none. */
  readonly cacheBytes?: number;
  /** What one query may bring back from the bucket, in bytes; 20 GB by default. */
  readonly fetchBytes?: number;
  /** Waits for the bucket; those after a failure are 5 s to 10 minutes by default. */
  readonly bucketTimes?: Partial<BucketTimes>;
  /** The Iceberg tables over the segments in the bucket; null, for none, by default. */
  readonly tables?: TableSettings | null;
  readonly hooks?: StoreHooks;
  /** The last transaction id of the catalog. Later writes get larger ids. */
  readonly lastXactId?: bigint;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface StoreHooks {
  readonly reached?: SyncPointHook;
  /** Called with the error of failed background work, which is tried again later; a merge that would fail again, only after the next start. */
  readonly failed?: (error: unknown) => void;
  /** Called for every group of requests that became durable together. */
  readonly timed?: (commit: CommitTime) => void;
  /** Called at the start for each file in the directory of segments that belongs to none and was set aside. */
  readonly setAside?: (moved: MovedFile) => void;
  /** Called when a merge ran out of memory. It is not repeated at the same size. */
  readonly limited?: (limit: MergeLimit) => void;
  /** Called for each segment that was purged. */
  readonly purged?: (segment: PurgedSegment) => void;
  /** Called once for each file of a segment that is found missing or damaged. */
  readonly damaged?: (damage: Damage) => void;
  /** Called when the flush of a row needs more memory than the settings allow. The row gets it, once. */
  readonly oversized?: (row: OversizedRow) => void;
  /** Called when inserts begin to be refused for the reserve of the disk, and when they are accepted again. */
  readonly reserve?: (change: ReserveChange) => void;
  /** Called with the first of several failures in a row to write to the bucket, and when another server took it over. */
  readonly bucketFailed?: (error: unknown) => void;
}

const nothing = (): void => {};

/** `options` with the default of each setting that they leave out. */
export const withDefaults = (options: EventStoreOptions) => ({
  flushRows: 50_000,
  flushBytes: 112 * 2 ** 20,
  backlogWaitMs: 20_000,
  flushSeconds: 300,
  idleSeconds: 20,
  requestBytesMax,
  writerMemoryMb: 512,
  maintenanceMemoryMb: 1024,
  maintenanceIdleMs: 5_000,
  rowCacheBytes: 16 * 2 ** 30,
  diskReserveMb: 512,
  measureDisk,
  chunks: defaultChunks,
  lastXactId: 0n,
  history: wholeHistory,
  bucket: null,
  tables: null,
  cacheBytes: 0,
  fetchBytes: 20e9,
  ...options,
  compaction: { ...defaultCompaction, ...options.compaction },
  segments: { ...defaultSegmentSettings, ...options.segments },
  verification: { ...defaultVerification, ...options.verification },
  bucketTimes: { ...defaultBucketTimes, ...options.bucketTimes },
  hooks: {
    reached: nothing,
    failed: nothing,
    timed: nothing,
    setAside: nothing,
    limited: nothing,
    purged: nothing,
    damaged: nothing,
    oversized: nothing,
    reserve: nothing,
    bucketFailed: nothing,
    ...options.hooks,
  },
});

export type StoreSettings = ReturnType<typeof withDefaults>;
