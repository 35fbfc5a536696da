// The interface of the store. Inserts are durable when they resolve; snapshots are consistent reads. Of this folder, others import
// only this file.
import { setTimeout as delay } from 'node:timers/promises';
import type { Writer } from '../duckdb/writer.js';
import { unavailable } from '../errors.js';
import { unlessAborted } from '../unless-aborted.js';
import { jsonBytes } from './commit/backlog.js';
import type { CommitCheck } from './commit/committer.js';
import type { IncomingBatch } from './commit/insert-request.js';
import type { Removed } from '../schema/removal.js';
import type { Generation, StoreState } from './manifest/store-state.js';
import type { PublishedTable } from './iceberg/tables.js';
import type { FoundPage, NewestReads } from './read/direct/newest-reads.js';
import type { FoundRows, PointReads } from './read/direct/point-reads.js';
import type { Snapshot } from './read/snapshot/snapshot.js';
import { takeSnapshot } from './read/snapshot/take-snapshot.js';
import type { UploadedSegment } from './bucket/uploads.js';
import type { TableSnapshot } from './bucket/fresh-tables.js';
import { storeStats, type StoreStats } from './store-stats.js';
import { pinDirectory, type PinnedDirectory } from './pin-directory.js';
import type { EventStoreOptions } from './store-options.js';
import { openParts, type StoreParts } from './store-parts.js';

export { AttachmentFiles } from './file/attachment-files.js';
export { KeptFiles, type KeptFile } from './file/kept-files.js';
export { rowBytes } from './row/event-table.js';
export { eventBytesMax } from './commit/event-size.js';
export { sealedAbove } from './commit/column-seals.js';
export type { ReadSize } from './read/engine/reader.js';
export { Snapshot } from './read/snapshot/snapshot.js';
export { hasFewRows } from './read/chunks/row-weights.js';
export type { ChunkOrder } from './read/chunks/chunks.js';
export type { Chunk, XactRange } from './read/chunks/source-chunks.js';
export type { EventStoreOptions, StoreHooks } from './store-options.js';
export { jobsDirectory } from './store-parts.js';
export type { PinnedDirectory } from './pin-directory.js';
export type { ProjectStats, StoreStats } from './store-stats.js';
export { storeSteps } from './manifest/migrations.js';
export { refuseOldManifest, requireManifest } from './recovery/start-check.js';
export { inMemory, type FinishedBytes } from './read/answer/finished-bytes.js';
export type { QueryResult } from './read/answer/query-result.js';
export type { WrittenParts } from './read/answer/written-parts.js';
export type { TextResult } from './read/answer/text-result.js';
export type { FoundPage } from './read/direct/newest-reads.js';
export type { FoundRows } from './read/direct/point-reads.js';
export type { WantedRows } from './segment/wanted-rows.js';
export type { TableSnapshot } from './bucket/fresh-tables.js';
export type { GivenRows, GivenType } from './read/answer/given-rows.js';
export type { CommitCheck } from './commit/committer.js';
export type { IncomingBatch, RequiredRow } from './commit/insert-request.js';

/** Whether all generations before this one are flushed. */
const isFlushed = ({ sealed }: StoreState, { source: first }: Generation): boolean =>
  sealed.every(({ source }) => source >= first);

export interface Inserted {
  readonly xactId: bigint;
  /** The ids of the events of each batch, in input order. */
  readonly rowIds: string[][];
}

export interface InsertOptions {
  /** Called right before the events are applied. It refuses the request by throwing. */
  readonly checkBeforeCommit?: CommitCheck;
  /** Whether the caller has called `waitForSpace`. */
  readonly hasWaited?: boolean;
}

export class EventStore {
  readonly #parts: StoreParts;
  readonly #writer: Writer;

  private constructor(parts: StoreParts, writer: Writer) {
    this.#parts = parts;
    this.#writer = writer;
  }

  /** Opens the store. The caller closes the writer, after the store. */
  static async open(writer: Writer, options: EventStoreOptions): Promise<EventStore> {
    return new EventStore(await openParts(writer, options), writer);
  }

  /**
   * Resolves when the buffer has space for the events; undefined if it has space now.
   * @throws RequestError 503 if it stays full, or if the free space of the disk is in the reserve
   */
  waitForSpace(batches: readonly IncomingBatch[]): Promise<void> | undefined {
    const { backlog, reserve } = this.#parts;
    const areDeletions = batches.every(({ events }) => events.every(({ isDelete }) => isDelete));
    const admitted = () => {
      reserve.check(0, areDeletions);
      return backlog.admit(() => jsonBytes(batches));
    };
    const measuring = reserve.refresh();
    return measuring === undefined ? admitted() : measuring.then(admitted);
  }

  /**
   * For files of clients that are no events.
   * @throws RequestError 503 if the free space of the disk is in the reserve
   */
  async requireDisk(): Promise<void> {
    await this.#parts.reserve.refresh();
    this.#parts.reserve.check(0, false);
  }

  /** The segments that are in the bucket; empty without one. */
  get uploaded(): readonly UploadedSegment[] {
    return this.#parts.bucket?.uploads.uploaded ?? [];
  }

  /** The Iceberg table of a project; null if there is none. */
  async table(projectId: string): Promise<PublishedTable | null> {
    return (await this.#parts.bucket?.uploads.tables?.read(projectId)) ?? null;
  }

  /** See `FreshTables.current`; null without a bucket. The caller releases the snapshot. */
  async currentTable(
    projectId: string,
    objectIds: readonly string[],
  ): Promise<TableSnapshot | null> {
    return (await this.#parts.tables?.current(projectId, objectIds)) ?? null;
  }

  /** See `FreshTables.fresh`; null without a bucket. The caller releases the snapshot. */
  async freshTable(
    projectId: string,
    objectIds: readonly string[],
    signal: AbortSignal,
  ): Promise<TableSnapshot | null> {
    return (await this.#parts.tables?.fresh(projectId, objectIds, signal)) ?? null;
  }

  /** @throws RequestError 503 if another server with a copy of the data took over the bucket */
  requireOwner(): void {
    this.#parts.bucket?.uploads.requireOwner();
  }

  /** Whether the disk has room for temporary files besides the reserve. */
  async hasTemporaryRoom(): Promise<boolean> {
    await this.#parts.reserve.refresh();
    return this.#parts.reserve.temporaryRoom > 0;
  }

  /**
   * Stores the events of all batches in one transaction. When it resolves, they are on disk, and all later snapshots have them.
   * @throws RequestError 400 for an unknown parent or a required row that is not live, 503 if the disk is almost full or cannot be
   * written, or if the buffer stays full; what `checkBeforeCommit` throws
   */
  async insert(
    batches: readonly IncomingBatch[],
    { checkBeforeCommit = () => {}, hasWaited = false }: InsertOptions = {},
  ): Promise<Inserted> {
    const waiting = hasWaited ? undefined : this.waitForSpace(batches);
    if (waiting !== undefined) await waiting;
    const xactId = await this.#parts.committer.insert(batches, checkBeforeCommit);
    return { xactId, rowIds: batches.map(({ events }) => events.map(({ id }) => id)) };
  }

  /** Issues a transaction id for a write of the catalog. It is later than the ids of all earlier writes. */
  issueXactId(): Promise<bigint> {
    return this.#parts.committer.issueXactId();
  }

  /** The version and the `identity` of a snapshot that is taken now. */
  identity(objectIds: readonly string[], version: bigint | null) {
    const { lastWrites, state } = this.#parts.committer;
    const { lastXactId } = state;
    const at = version !== null && version < lastXactId ? version : lastXactId;
    return { version: at, identity: lastWrites.identity(objectIds, at, state) };
  }

  /** Takes a snapshot at `version`, or at the latest version if it is null, for reads of `client`. The caller releases it. */
  snapshot(version: bigint | null = null, client = ''): Promise<Snapshot> {
    const { lastWrites } = this.#parts.committer;
    return takeSnapshot({ ...this.#parts, lastWrites }, version, client);
  }

  /** See `PointReads.find`. */
  find(
    ...[objectId, wanted, client, signal]: Parameters<PointReads['find']>
  ): Promise<FoundRows | null> {
    return this.#parts.points.find(objectId, wanted, client, signal);
  }

  /** See `NewestReads.find`. */
  newest(
    ...[objectId, wanted, client, signal]: Parameters<NewestReads['find']>
  ): Promise<FoundPage | null> {
    return this.#parts.newest.find(objectId, wanted, client, signal);
  }

  /**
   * Flushes the buffered rows, at most once per project and minute. Waits for the flush for at most the time budget of a query.
   * @returns whether the rows are flushed; false if the storage fails, since they can be read where they are
   * @throws the signal's reason if it is aborted
   */
  async sealForColumns(projectIds: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { columnSeals, sealer, committer, maintenance, queryTimeoutMs } = this.#parts;
    if (!columnSeals.take(projectIds)) return false;
    try {
      await sealer.seal();
    } catch {
      return false;
    }
    const { active } = committer.state;
    const areFlushed = () => isFlushed(committer.state, active);
    const waiting = new AbortController();
    try {
      const ends = { signal: AbortSignal.any([waiting.signal, signal]) };
      const late = delay(queryTimeoutMs, false, ends);
      return await Promise.race([maintenance.flushed().then(areFlushed), late]);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      waiting.abort();
    }
  }

  /** The oldest version of the object that can be read; 0 for all. Older ones may lack rows. */
  historyFrom(objectId: string): bigint {
    return this.#parts.history.from(objectId);
  }

  /** See `Maintenance.expire`. */
  expire(days: ReadonlyMap<string, number>): void {
    this.#parts.maintenance.expire(days);
  }

  /** Removes the segments of these projects for good, in the background. Nobody may read or write their events any more. */
  purge(projectIds: readonly string[]): void {
    this.#parts.maintenance.purge(projectIds);
  }

  /**
   * Removes all versions of these events for good, and those that arrive meanwhile. `events` is a Parquet file in `jobsDirectory` with
   * the columns object_id and id, both VARCHAR. When it resolves, they are in no file of the store any more. After a crash, it can be
   * run again with the same file.
   * @throws RequestError 503 for a damaged segment, or if buffered rows cannot be flushed; EngineError; the signal's reason
   */
  async remove(projectId: string, events: string, signal: AbortSignal): Promise<Removed> {
    const { maintenance } = this.#parts;
    const searched = new Set<number>();
    let [rows, bytes] = [0, 0];
    for (let last = 1; last > 0;) {
      await this.#flushBuffered();
      const removed = await maintenance.remove({ projectId, events, signal, searched });
      last = removed.rows;
      rows += removed.rows;
      bytes += removed.bytes;
    }
    await unlessAborted(maintenance.unusedRemoved(), signal);
    return { rows, bytes };
  }

  /** Estimates what `remove` would take from the disk, and flushes the buffered rows for that. */
  async removable(projectId: string, events: string, signal: AbortSignal): Promise<Removed> {
    await this.#flushBuffered();
    return this.#parts.maintenance.removable({ projectId, events, signal });
  }

  /** See `pinDirectory`. */
  pin(target: string): Promise<PinnedDirectory> {
    return pinDirectory(this.#parts, this.#writer, target);
  }

  /** @throws RequestError 503 if the flush fails */
  async #flushBuffered(): Promise<void> {
    const { sealer, committer, maintenance } = this.#parts;
    await sealer.seal();
    const { active } = committer.state;
    await maintenance.flushed();
    if (!isFlushed(committer.state, active))
      throw unavailable(
        'the buffered rows cannot be written to segments, see the log of the server',
      );
  }

  /** The current sizes and counts. */
  stats(): StoreStats {
    const { committer, log, queues, maintenance, reserve, bucket } = this.#parts;
    const { times } = maintenance;
    const uploads = bucket?.uploads ?? null;
    return storeStats({ committer, log, queue: queues.heavy, times, reserve, uploads });
  }

  /** Flushes all buffered rows and completes the other background work, as far as the bucket takes it. */
  async flush(): Promise<void> {
    await this.#parts.sealer.seal();
    await this.#parts.maintenance.idle();
    await this.evict();
  }

  /** Completes the uploads, as far as the bucket takes them, and the evictions, but for files that are read. */
  async evict(): Promise<void> {
    await this.#parts.bucket?.uploads.idle();
    await this.#parts.bucket?.eviction.idle();
  }

  /** Completes waiting inserts and closes the store. Open snapshots keep the reader until they are released. */
  async close(): Promise<void> {
    this.#parts.sealer.close();
    this.#parts.reserve.close();
    await this.#parts.verification.close();
    await this.#parts.bucket?.eviction.close();
    await this.#parts.bucket?.uploads.close();
    await this.#parts.committer.close();
    await this.#parts.maintenance.close();
    await this.#parts.committer.close();
    await this.#parts.feed.close();
    await this.#parts.lookup.close();
    await this.#parts.log.close();
    await this.#parts.last.close();
  }
}
