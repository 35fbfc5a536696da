// Opens the parts of the store in the order of their dependencies.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { HighWaterMark } from '../duckdb/high-water-mark.js';
import type { Writer } from '../duckdb/writer.js';
import { Backlog } from './commit/backlog.js';
import { ColumnSeals } from './commit/column-seals.js';
import { Committer } from './commit/committer.js';
import { Generations } from './commit/generations.js';
import { defaultCompaction } from './maintenance/compaction-policy.js';
import { Lane } from './read/lane.js';
import { NewestReads } from './read/newest-reads.js';
import { PointReads } from './read/point-reads.js';
import {
  emptyTemporaryDirectory,
  firstFreeSource,
  removeObsoleteFiles,
  removeUnlistedLogs,
} from './recovery/obsolete-files.js';
import { lastTransactionFile } from './log/last-transaction.js';
import { LookupEngine } from './segment/lookup-engine.js';
import { MaintenanceEngine } from './maintenance/maintenance-engine.js';
import { Maintenance, type MaintenanceSettings } from './maintenance/maintenance.js';
import { EventLog, logDirectory } from './log/event-log.js';
import { migrateBufferTables } from './recovery/buffer-tables.js';
import { ReaderFeed } from './read/reader-feed.js';
import type { ReaderSettings } from './read/reader.js';
import { RequestResolver } from './commit/request-resolver.js';
import { Reclamation } from './file/reclamation.js';
import { basesBytesMax } from './commit/event-size.js';
import { Sealer } from './commit/sealer.js';
import { CheckedFiles } from './segment/checked-files.js';
import { SegmentFiles } from './segment/segment-files.js';
import { SegmentLookup } from './segment/segment-lookup.js';
import { defaultSegmentSettings } from './segment/segment-writer.js';
import { Verification, defaultVerification } from './maintenance/verification.js';
import { SegmentOutputs } from './maintenance/segment-outputs.js';
import type { LaneName } from './read/snapshot.js';
import type { StoreState } from './manifest/store-state.js';
import { prepareTables } from './manifest/migrations.js';
import { loadState } from './recovery/load-state.js';
import { Supersessions } from './row/supersessions.js';
import { defaultSlices, type SliceSettings } from './read/slices.js';
import {
  backlogLimits,
  defaults,
  eventBytesMaxOf,
  sealLimits,
  type EventStoreOptions,
} from './store-options.js';

export interface StoreParts {
  readonly backlog: Backlog;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly points: PointReads;
  readonly newest: NewestReads;
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly files: SegmentFiles;
  readonly last: HighWaterMark;
  readonly log: EventLog;
  readonly checked: CheckedFiles;
  readonly lookup: SegmentLookup;
  readonly slices: SliceSettings;
  readonly reclamation: Reclamation;
  readonly sealer: Sealer;
  readonly maintenance: Maintenance;
  readonly verification: Verification;
  readonly columnSeals: ColumnSeals;
  readonly queryTimeoutMs: number;
}

/** The memory of the instance that looks up rows, in MB, unless maintenance has less. */
const lookupMemoryMbMax = 512;
const rowCacheIdleMs = 10 * 60_000;

type LaneOptions = Pick<
  EventStoreOptions,
  'queryTimeoutMs' | 'queryMemoryMb' | 'queryConcurrency' | 'queryQueueLength'
>;

/** Small reads are short, so more of them run concurrently, with a long queue. */
const lookupConcurrency = 8;
const lookupQueueLength = 10_000;

export function openLanes(options: LaneOptions): Readonly<Record<LaneName, Lane>> {
  const budget = { timeoutMs: options.queryTimeoutMs, memoryMb: options.queryMemoryMb };
  return {
    query: new Lane({
      ...budget,
      size: 'any',
      concurrency: options.queryConcurrency,
      waitingMax: options.queryQueueLength,
    }),
    lookup: new Lane({
      ...budget,
      size: 'small',
      concurrency: lookupConcurrency,
      waitingMax: lookupQueueLength,
    }),
  };
}

export interface Places {
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

export const openLookup = (
  options: Pick<EventStoreOptions, 'rowCacheBytes' | 'maintenanceMemoryMb'>,
  places: Places,
  files: SegmentFiles,
  checked: CheckedFiles,
) => {
  const maintenanceMb = options.maintenanceMemoryMb ?? defaults.maintenanceMemoryMb;
  const memoryMb = Math.min(lookupMemoryMbMax, maintenanceMb);
  return new SegmentLookup(new LookupEngine({ memoryMb, ...places }), files, checked, {
    directory: path.join(places.temporaryDirectory, 'rows'),
    bytesMax: options.rowCacheBytes ?? defaults.rowCacheBytes,
    idleMs: rowCacheIdleMs,
  });
};

const openEngine = (options: EventStoreOptions, places: Places) =>
  new MaintenanceEngine({
    memoryMb: options.maintenanceMemoryMb ?? defaults.maintenanceMemoryMb,
    idleMs: options.maintenanceIdleMs ?? defaults.maintenanceIdleMs,
    ...places,
  });

/** Opens the files of the store and completes recovery. */
async function openStorage(writer: Writer, options: EventStoreOptions, places: Places) {
  await emptyTemporaryDirectory(places.temporaryDirectory);
  await mkdir(places.segmentDirectory, { recursive: true });
  await prepareTables(writer);
  const files = new SegmentFiles(places.segmentDirectory);
  const log = await EventLog.open(logDirectory(options.dataDirectory), options.hooks?.reached);
  await migrateBufferTables(writer, log);
  await removeUnlistedLogs(writer, log);
  await removeObsoleteFiles(writer, files, options.hooks?.setAside ?? (() => {}));
  let free = await firstFreeSource(writer, files, log);
  const supersessions = new Supersessions();
  const { state, index } = await loadState(writer, log, supersessions);
  const last = await HighWaterMark.open(
    lastTransactionFile(options.dataDirectory),
    state.lastXactId,
  );
  const checked = new CheckedFiles(files, options.hooks?.damaged ?? (() => {}));
  checked.add(state.segments, 'before');
  return {
    files,
    last,
    checked,
    log,
    generations: new Generations(writer, log),
    supersessions,
    lookup: openLookup(options, places, files, checked),
    nextSource: () => free++,
    stored: { state: notBefore(state, options.lastXactId ?? 0n), index },
  };
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

const openOutputs = ({ segments }: EventStoreOptions, storage: Storage) =>
  new SegmentOutputs(storage.files, storage.lookup, storage.checked, storage.nextSource, {
    ...defaultSegmentSettings,
    ...segments,
  });

export async function openParts(writer: Writer, options: EventStoreOptions): Promise<StoreParts> {
  const places = {
    temporaryDirectory: path.resolve(options.dataDirectory, 'tmp'),
    segmentDirectory: path.resolve(options.dataDirectory, 'segments'),
  };
  const storage = await openStorage(writer, options, places);
  const { files, last, checked, log, supersessions, lookup, stored } = storage;
  const reclamation = new Reclamation();
  const backlog = new Backlog(backlogLimits(options), stored.state);
  const reading = { log, supersessions, reclamation, committed: () => committer.state };
  const feed = new ReaderFeed(readerSettings(options, places), reading);
  const committer = new Committer(
    {
      ...storage,
      resolver: new RequestResolver(lookup, basesBytesMax(eventBytesMaxOf(options))),
      reclamation,
      eventBytesMax: eventBytesMaxOf(options),
      load: () => loadState(writer, log, supersessions),
      now: options.now ?? Date.now,
      timed: options.hooks?.timed ?? (() => {}),
      committed: (change) => {
        backlog.update(change.state);
        sealer.check();
      },
      reloaded: (state) => {
        feed.forget();
        backlog.update(state);
      },
    },
    stored.state,
    stored.index,
  );
  const maintenance = new Maintenance(maintenanceSettings(options, places), {
    ...storage,
    writer,
    engine: openEngine(options, places),
    outputs: openOutputs(options, storage),
    committer,
    feed,
    reclamation,
  });
  const sealer = openSealer(options, storage, committer, () => maintenance.schedule());
  const lanes = openLanes(options);
  const direct = { log, lookup, reclamation, committer, lane: lanes.lookup };
  const verification = openVerification(writer, checked, options);
  feed.start();
  maintenance.start();
  verification.start();
  sealer.check();
  return {
    backlog,
    committer,
    feed,
    points: new PointReads(direct),
    newest: new NewestReads(direct),
    lanes,
    files,
    last,
    log,
    checked,
    lookup,
    slices: options.slices ?? defaultSlices,
    reclamation,
    sealer,
    maintenance,
    verification,
    columnSeals: new ColumnSeals(options.now ?? (() => performance.now())),
    queryTimeoutMs: options.queryTimeoutMs,
  };
}

const openSealer = (
  options: EventStoreOptions,
  { generations, nextSource }: Storage,
  committer: Committer,
  sealed: () => void,
) => new Sealer(sealLimits(options), committer, generations, nextSource, sealed);

const openVerification = (
  writer: Writer,
  checked: CheckedFiles,
  { verification, hooks }: EventStoreOptions,
) =>
  new Verification(
    { ...defaultVerification, ...verification },
    checked,
    writer,
    hooks?.failed ?? (() => {}),
  );

const maintenanceSettings = (
  options: EventStoreOptions,
  { temporaryDirectory }: Places,
): MaintenanceSettings => ({
  temporaryDirectory,
  partBytesMax: eventBytesMaxOf(options),
  compaction: { ...defaultCompaction, ...options.compaction },
  reached: options.hooks?.reached ?? (() => {}),
  failed: options.hooks?.failed ?? (() => {}),
  limited: options.hooks?.limited ?? (() => {}),
  oversized: options.hooks?.oversized ?? (() => {}),
});

export const readerSettings = (
  options: Pick<EventStoreOptions, 'queryMemoryMb' | 'queryThreads'>,
  places: Places,
): ReaderSettings => ({
  memoryMb: options.queryMemoryMb,
  threads: options.queryThreads,
  ...places,
});

export const notBefore = (state: StoreState, xactId: bigint): StoreState =>
  state.lastXactId < xactId ? { ...state, lastXactId: xactId } : state;
