// Opens the parts of the store in their order and wires them to each other.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { NotedNumber } from '../duckdb/noted-number.js';
import type { Writer } from '../duckdb/writer.js';
import { Backlog } from './commit/backlog.js';
import { ColumnSeals } from './commit/column-seals.js';
import { Committer, type CommitTime } from './commit/committer.js';
import { Generations } from './commit/generations.js';
import { eventBytesMax } from './commit/event-size.js';
import { defaultCompaction, type CompactionSettings } from './upkeep/compaction-policy.js';
import { Lane } from './read/lane.js';
import { firstFreeSource, type MovedFile, removeUnlisted, tidyFiles } from './upkeep/leftovers.js';
import { lastTransactionFile } from './commit/last-transaction.js';
import { LookupEngine } from './segment/lookup-engine.js';
import { MaintenanceEngine } from './upkeep/maintenance-engine.js';
import type { OversizedRow } from './upkeep/flush.js';
import { Maintenance, type MaintenanceSettings, type MergeLimit } from './upkeep/maintenance.js';
import { EventLog, logDirectory } from './log/event-log.js';
import { takeOver } from './log/take-over.js';
import { ReaderFeed } from './read/reader-feed.js';
import type { ReaderSettings } from './read/reader.js';
import { RequestResolver } from './commit/request-resolver.js';
import { Retention } from './upkeep/retention.js';
import { Sealer } from './commit/sealer.js';
import { CheckedFiles, type Damage } from './segment/checked-files.js';
import { SegmentFiles } from './segment/segment-files.js';
import { SegmentLookup } from './segment/segment-lookup.js';
import { defaultSegmentSettings, type SegmentSettings } from './segment/segment-writer.js';
import { defaultScrub, Scrub, type ScrubSettings } from './upkeep/scrub.js';
import { SegmentOutputs } from './upkeep/segment-outputs.js';
import type { LaneName } from './read/snapshot.js';
import type { Reached } from './step.js';
import type { StoreState } from './store-state.js';
import { loadState, prepareTables } from './store-tables.js';
import { Supersessions } from './supersessions.js';
import { defaultSlices, type SliceSettings } from './read/slices.js';

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
  readonly calmSeconds?: number;
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
  readonly scrub?: Partial<ScrubSettings>;
  /** How long answers, and searches for their first rows, are cut. */
  readonly slices?: SliceSettings;
  readonly hooks?: StoreHooks;
  /** The last transaction id of writes that are stored elsewhere: the next ones are larger. */
  readonly lastXactId?: bigint;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface StoreHooks {
  readonly reached?: Reached;
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

export interface StoreParts {
  readonly backlog: Backlog;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly files: SegmentFiles;
  readonly last: NotedNumber;
  readonly log: EventLog;
  readonly checked: CheckedFiles;
  readonly lookup: SegmentLookup;
  readonly slices: SliceSettings;
  readonly retention: Retention;
  readonly sealer: Sealer;
  readonly maintenance: Maintenance;
  readonly scrub: Scrub;
  readonly columnSeals: ColumnSeals;
  readonly queryTimeoutMs: number;
}

const defaults = {
  flushRows: 50_000,
  flushBytes: 112 * 2 ** 20,
  backlogWaitMs: 20_000,
  flushSeconds: 300,
  calmSeconds: 20,
  writerMemoryMb: 512,
  maintenanceMemoryMb: 1024,
  maintenanceIdleMs: 5_000,
  rowCacheBytes: 16 * 2 ** 30,
};

const eventBytesMaxOf = ({
  writerMemoryMb = defaults.writerMemoryMb,
  maintenanceMemoryMb = defaults.maintenanceMemoryMb,
}: EventStoreOptions): number => eventBytesMax(writerMemoryMb, maintenanceMemoryMb);

const lookupMemoryMb = 512;
const rowCacheIdleMs = 10 * 60_000;

/** Pages and the like are short: more of them at once, and a long queue. */
const lookupConcurrency = 8;
const lookupQueueLength = 10_000;

function openLanes(options: EventStoreOptions): Readonly<Record<LaneName, Lane>> {
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

/** What an earlier process left behind; the writer's own spill directory is in use. */
async function emptyTemporaryDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const names = await readdir(directory);
  await Promise.all(
    names
      .filter((name) => name !== 'writer')
      .map((name) => rm(path.join(directory, name), { recursive: true, force: true })),
  );
}

interface Places {
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
}

const openLookup = (
  options: EventStoreOptions,
  places: Places,
  files: SegmentFiles,
  checked: CheckedFiles,
) =>
  new SegmentLookup(new LookupEngine({ memoryMb: lookupMemoryMb, ...places }), files, checked, {
    directory: path.join(places.temporaryDirectory, 'rows'),
    bytesMax: options.rowCacheBytes ?? defaults.rowCacheBytes,
    idleMs: rowCacheIdleMs,
  });

const openEngine = (options: EventStoreOptions, places: Places) =>
  new MaintenanceEngine({
    memoryMb: options.maintenanceMemoryMb ?? defaults.maintenanceMemoryMb,
    idleMs: options.maintenanceIdleMs ?? defaults.maintenanceIdleMs,
    ...places,
  });

/** What the store keeps on disk, ready to be read. */
async function openStorage(writer: Writer, options: EventStoreOptions, places: Places) {
  await emptyTemporaryDirectory(places.temporaryDirectory);
  await mkdir(places.segmentDirectory, { recursive: true });
  await prepareTables(writer);
  const files = new SegmentFiles(places.segmentDirectory);
  const log = await EventLog.open(logDirectory(options.dataDirectory), options.hooks?.reached);
  await takeOver(writer, log);
  await removeUnlisted(writer, log);
  await tidyFiles(writer, files, options.hooks?.setAside ?? (() => {}));
  let free = await firstFreeSource(writer, files, log);
  const supersessions = new Supersessions();
  const { state, index } = await loadState(writer, log, supersessions);
  const last = await NotedNumber.open(lastTransactionFile(options.dataDirectory), state.lastXactId);
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
  const retention = new Retention();
  const backlog = new Backlog(backlogLimits(options), stored.state);
  const committed = () => committer.state;
  const reading = { log, supersessions, retention, committed };
  const feed = new ReaderFeed(readerSettings(options, places), reading);
  const committer = new Committer(
    {
      ...storage,
      resolver: new RequestResolver(lookup),
      retention,
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
    retention,
  });
  const sealer = openSealer(options, storage, committer, () => maintenance.wake());
  const scrub = openScrub(writer, checked, options);
  feed.start();
  maintenance.start();
  scrub.start();
  sealer.check();
  return {
    backlog,
    committer,
    feed,
    lanes: openLanes(options),
    files,
    last,
    log,
    checked,
    lookup,
    slices: options.slices ?? defaultSlices,
    retention,
    sealer,
    maintenance,
    scrub,
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

const openScrub = (writer: Writer, checked: CheckedFiles, { scrub, hooks }: EventStoreOptions) =>
  new Scrub({ ...defaultScrub, ...scrub }, checked, writer, hooks?.failed ?? (() => {}));

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

const readerSettings = (options: EventStoreOptions, places: Places): ReaderSettings => ({
  memoryMb: options.queryMemoryMb,
  threads: options.queryThreads,
  ...places,
});

const notBefore = (state: StoreState, xactId: bigint): StoreState =>
  state.lastXactId < xactId ? { ...state, lastXactId: xactId } : state;

/** Besides the generation that takes new rows, one that is flushed and one that waits. */
const backlogGenerations = 3;

function backlogLimits({ flushBytes = defaults.flushBytes, backlogWaitMs }: EventStoreOptions) {
  const waitMs = backlogWaitMs ?? defaults.backlogWaitMs;
  return { softBytes: flushBytes, hardBytes: backlogGenerations * flushBytes, waitMs };
}

const sealLimits = (options: EventStoreOptions) => ({
  rows: options.flushRows ?? defaults.flushRows,
  bytes: options.flushBytes ?? defaults.flushBytes,
  seconds: options.flushSeconds ?? defaults.flushSeconds,
  calmSeconds: options.calmSeconds ?? defaults.calmSeconds,
});
