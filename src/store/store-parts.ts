// Opens the parts of the store in the order of their dependencies.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { HighWaterMark } from '../duckdb/high-water-mark.js';
import type { Writer } from '../duckdb/writer.js';
import { FreshTables } from './bucket/fresh-tables.js';
import { openUploads, withoutBucket, type BucketParts } from './bucket/open-uploads.js';
import { Backlog, type BacklogLimits } from './commit/backlog.js';
import { ColumnSeals } from './commit/column-seals.js';
import { Committer } from './commit/committer.js';
import { DiskReserve } from './commit/disk-reserve.js';
import { openReadQueues, type ReadQueues } from './read/engine/read-queues.js';
import { NewestReads } from './read/direct/newest-reads.js';
import { PointReads } from './read/direct/point-reads.js';
import {
  emptyTemporaryDirectory,
  firstFreeSource,
  removeObsoleteFiles,
  removeUnlistedLogs,
} from './recovery/obsolete-files.js';
import { lastTransactionFile } from './log/last-transaction.js';
import { LookupEngine } from './segment/lookup-engine.js';
import { openTables } from './iceberg/open-tables.js';
import { History } from './maintenance/history.js';
import { MaintenanceEngine } from './maintenance/maintenance-engine.js';
import { Maintenance, type MaintenanceDeps } from './maintenance/maintenance.js';
import { EventLog, logDirectory } from './log/event-log.js';
import { ensureGeneration } from './recovery/first-generation.js';
import { ReaderFeed } from './read/snapshot/reader-feed.js';
import type { ReaderSettings } from './read/engine/reader.js';
import { RequestResolver } from './commit/request-resolver.js';
import { Reclamation } from './file/reclamation.js';
import { basesBytesMax, eventBytesMax } from './commit/event-size.js';
import { Sealer, type SealLimits } from './commit/sealer.js';
import { CheckedFiles } from './segment/checked-files.js';
import { SegmentFiles } from './segment/segment-files.js';
import { SegmentLookup } from './segment/segment-lookup.js';
import { Verification } from './maintenance/verification.js';
import { SegmentOutputs } from './maintenance/segment-outputs.js';
import type { StoreState } from './manifest/store-state.js';
import { prepareTables } from './manifest/migrations.js';
import { forgetDroppedSegments } from './manifest/segments.js';
import { loadState } from './recovery/load-state.js';
import { Supersessions } from './row/supersessions.js';
import type { ChunkSettings } from './read/chunks/source-chunks.js';
import { withDefaults, type EventStoreOptions, type StoreSettings } from './store-options.js';

export interface StoreParts {
  readonly reserve: DiskReserve;
  readonly backlog: Backlog;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly points: PointReads;
  readonly newest: NewestReads;
  readonly queues: ReadQueues;
  readonly files: SegmentFiles;
  readonly last: HighWaterMark;
  readonly log: EventLog;
  readonly checked: CheckedFiles;
  readonly lookup: SegmentLookup;
  readonly chunks: ChunkSettings;
  readonly reclamation: Reclamation;
  readonly sealer: Sealer;
  readonly maintenance: Maintenance;
  readonly history: History;
  readonly verification: Verification;
  /** Null without a bucket. */
  readonly bucket: BucketParts | null;
  /** Null without a bucket. */
  readonly tables: FreshTables | null;
  readonly columnSeals: ColumnSeals;
  readonly queryTimeoutMs: number;
}

/** The memory of the instance that looks up rows, in MB, unless maintenance has less. */
const lookupMemoryMbMax = 512;
const rowCacheIdleMs = 10 * 60_000;

interface StoreDirectories {
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
  /** Files that long work needs again after a crash. */
  readonly jobDirectory: string;
}

/** Where the files of long work are. */
export const jobsDirectory = (dataDirectory: string): string => path.resolve(dataDirectory, 'jobs');

const directoriesIn = (dataDirectory: string): StoreDirectories => ({
  temporaryDirectory: path.resolve(dataDirectory, 'tmp'),
  segmentDirectory: path.resolve(dataDirectory, 'segments'),
  jobDirectory: jobsDirectory(dataDirectory),
});

function openLookup(
  settings: Pick<StoreSettings, 'rowCacheBytes' | 'maintenanceMemoryMb'>,
  directories: StoreDirectories,
  files: SegmentFiles,
  checked: CheckedFiles,
  reserve: DiskReserve,
): SegmentLookup {
  const memoryMb = Math.min(lookupMemoryMbMax, settings.maintenanceMemoryMb);
  return new SegmentLookup(new LookupEngine({ memoryMb, ...directories }), files, checked, {
    directory: path.join(directories.temporaryDirectory, 'rows'),
    bytesMax: settings.rowCacheBytes,
    reserved: () => reserve.bytes,
    idleMs: rowCacheIdleMs,
  });
}

/** Opens the files of the store and completes recovery. */
async function openStorage(
  writer: Writer,
  settings: StoreSettings,
  directories: StoreDirectories,
  reserve: DiskReserve,
) {
  const { dataDirectory, hooks } = settings;
  await emptyTemporaryDirectory(directories.temporaryDirectory);
  await mkdir(directories.segmentDirectory, { recursive: true });
  await mkdir(directories.jobDirectory, { recursive: true, mode: 0o700 });
  await prepareTables(writer);
  const files = new SegmentFiles(directories.segmentDirectory);
  const log = await EventLog.open(logDirectory(dataDirectory), hooks.reached);
  await ensureGeneration(writer, log);
  await removeUnlistedLogs(writer, log);
  const dropped = await removeObsoleteFiles(writer, files, hooks.setAside);
  if (settings.bucket === null) await forgetDroppedSegments(writer, dropped);
  const first = await firstFreeSource(writer, files, log);
  let free = first;
  const supersessions = new Supersessions();
  const { state, index } = await loadState(writer, log, supersessions);
  const last = await HighWaterMark.open(lastTransactionFile(dataDirectory), state.lastXactId);
  const checked = new CheckedFiles(files, hooks.damaged);
  checked.add(state.segments, 'before');
  return {
    files,
    last,
    checked,
    log,
    supersessions,
    reserve,
    lookup: openLookup(settings, directories, files, checked, reserve),
    nextSource: () => free++,
    /** False for a number that this process took. Of others, it takes only later ones. */
    passNumber: (source: number) => {
      const isTaken = source >= first && source < free;
      if (!isTaken) free = Math.max(free, source + 1);
      return !isTaken;
    },
    stored: { state: notBefore(state, settings.lastXactId), index },
  };
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

const largestEventOf = ({ writerMemoryMb, maintenanceMemoryMb }: StoreSettings): number =>
  eventBytesMax(writerMemoryMb, maintenanceMemoryMb);

const openMaintenance = (
  settings: StoreSettings,
  directories: StoreDirectories,
  storage: Storage,
  parts: Pick<
    MaintenanceDeps,
    'writer' | 'committer' | 'feed' | 'reclamation' | 'history' | 'after' | 'engine'
  >,
): Maintenance =>
  new Maintenance(
    {
      temporaryDirectory: directories.temporaryDirectory,
      partBytesMax: largestEventOf(settings),
      compaction: settings.compaction,
      ...settings.hooks,
    },
    {
      ...storage,
      ...parts,
      background: openEngine(settings, directories, true),
      outputs: new SegmentOutputs(
        storage.files,
        storage.lookup,
        storage.checked,
        storage.nextSource,
        settings.segments,
      ),
    },
  );

/** The number of buffered generations at which all inserts wait: the active one, one that is being flushed, and one that waits. */
const backlogGenerations = 3;

const backlogLimits = ({ flushBytes, backlogWaitMs }: StoreSettings): BacklogLimits => ({
  softBytes: flushBytes,
  hardBytes: backlogGenerations * flushBytes,
  waitMs: backlogWaitMs,
});

const sealLimits = (settings: StoreSettings): SealLimits => ({
  rows: settings.flushRows,
  bytes: settings.flushBytes,
  seconds: settings.flushSeconds,
  idleSeconds: settings.idleSeconds,
});

const openReserve = (
  { dataDirectory, diskReserveMb, measureDisk, hooks }: StoreSettings,
  parts: () => Pick<StoreParts, 'committer' | 'sealer'>,
): Promise<DiskReserve> =>
  DiskReserve.open({
    directory: dataDirectory,
    reserveBytes: diskReserveMb * 2 ** 20,
    measure: measureDisk,
    state: () => parts().committer.state,
    changed: (change) => {
      hooks.reserve(change);
      // The buffered rows take less space as segments.
      if (change.isRefusing) parts().sealer.seal().catch(hooks.failed);
    },
  });

const openHistory = (
  { history, now = Date.now }: StoreSettings,
  { files, lookup }: Storage,
  committer: Committer,
): History => new History(history, { files, lookup, committer, now });

function sizesOf(settings: StoreSettings, lookup: SegmentLookup) {
  const largestEvent = largestEventOf(settings);
  return {
    resolver: new RequestResolver(lookup, basesBytesMax(largestEvent)),
    sizeLimits: { eventBytesMax: largestEvent, requestBytesMax: settings.requestBytesMax },
  };
}

const openEngine = (
  { maintenanceMemoryMb: memoryMb, maintenanceIdleMs: idleMs }: StoreSettings,
  directories: StoreDirectories,
  isBackground = false,
): MaintenanceEngine => new MaintenanceEngine({ memoryMb, idleMs, isBackground, ...directories });

async function openBucket(
  settings: StoreSettings,
  parts: Storage & Parameters<typeof openTables>[1] & Pick<StoreParts, 'committer'>,
): Promise<BucketParts | null> {
  try {
    const { bucketTimes: times, hooks } = settings;
    const { reached, bucketFailed: failed } = hooks;
    const tables = await openTables(settings, parts);
    return await openUploads({ ...settings, ...parts, tables, reached, failed, times });
  } catch (error) {
    await parts.log.close();
    await parts.last.close();
    throw error;
  }
}

export async function openParts(writer: Writer, options: EventStoreOptions): Promise<StoreParts> {
  const settings = withDefaults(options);
  const { hooks } = settings;
  const directories = directoriesIn(settings.dataDirectory);
  const reserve = await openReserve(settings, () => ({ committer, sealer }));
  const storage = await openStorage(writer, settings, directories, reserve);
  const { checked, log, supersessions, lookup, stored } = storage;
  const reclamation = new Reclamation();
  const backlog = new Backlog(backlogLimits(settings), stored.state);
  const reading = { log, supersessions, reclamation, committed: () => committer.state };
  const feed = new ReaderFeed(readerSettings(settings, directories, reserve), reading);
  const committer = new Committer(
    {
      ...storage,
      ...sizesOf(settings, lookup),
      reclamation,
      load: () => loadState(writer, log, supersessions),
      now: settings.now ?? Date.now,
      timed: hooks.timed,
      committed: (change) => {
        backlog.update(change.state);
        sealer.check();
      },
      reloaded: (state) => {
        feed.forget();
        backlog.update(state);
        // It may have another generation that is sealed, or full.
        maintenance.schedule();
        sealer.check();
      },
    },
    stored.state,
    stored.index,
  );
  const engine = openEngine(settings, directories);
  const parts = { ...storage, ...directories, ...reading, writer, engine, committer };
  const bucket = await openBucket(settings, parts);
  const history = openHistory(settings, storage, committer);
  const after = bucket?.uploads ?? withoutBucket(writer);
  const work = { writer, committer, feed, reclamation, history, after, engine };
  const maintenance = openMaintenance(settings, directories, storage, work);
  const sealer = new Sealer(sealLimits(settings), {
    ...storage,
    ...work,
    sealed: () => maintenance.schedule(),
    failed: hooks.failed,
  });
  const queues = openReadQueues(settings);
  const direct = { ...work, log, lookup, queue: queues.small };
  const verification = new Verification(settings.verification, checked, hooks.failed);
  for (const each of [feed, maintenance, verification]) each.start();
  sealer.check();
  return {
    ...storage,
    ...work,
    reserve,
    backlog,
    points: new PointReads(direct),
    newest: new NewestReads(direct),
    queues,
    chunks: settings.chunks,
    sealer,
    maintenance,
    verification,
    bucket,
    tables: bucket && new FreshTables({ ...settings, ...work, ...bucket, sealer, maintenance }),
    columnSeals: new ColumnSeals(settings.now ?? (() => performance.now())),
    queryTimeoutMs: settings.queryTimeoutMs,
  };
}

const readerSettings = (
  options: Pick<EventStoreOptions, 'queryMemoryMb' | 'queryThreads'>,
  directories: StoreDirectories,
  reserve: DiskReserve,
): ReaderSettings => ({
  memoryMb: options.queryMemoryMb,
  threads: options.queryThreads,
  spillRoom: async () => {
    await reserve.refresh();
    return reserve.temporaryRoom;
  },
  ...directories,
});

const notBefore = (state: StoreState, xactId: bigint): StoreState =>
  state.lastXactId < xactId ? { ...state, lastXactId: xactId } : state;
