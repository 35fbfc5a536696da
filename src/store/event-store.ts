// The interface of the store. Inserts are durable when they resolve; snapshots are consistent reads. Nothing outside of
// this folder imports any other file of it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Writer } from '../duckdb/writer.js';
import { weightOf } from './commit/backlog.js';
import type { IncomingBatch } from './commit/insert-request.js';
import type { FoundRows, PointReads } from './read/point-reads.js';
import type { Snapshot } from './read/snapshot.js';
import { takeSnapshot } from './read/take-snapshot.js';
import { storeFacts, type StoreFacts } from './store-facts.js';
import type { EventStoreOptions } from './store-options.js';
import { openParts, type StoreParts } from './store-parts.js';

export { AttachmentFiles } from './file/attachment-files.js';
export { rowBytes } from './row/event-table.js';
export { eventBytesMax } from './commit/event-size.js';
export { sealEveryMs, sealedAbove } from './commit/column-seals.js';
export { Snapshot, type LaneName, type ReadOptions } from './read/snapshot.js';
export type { XactRange } from './read/slices.js';
export type { EventStoreOptions, StoreHooks } from './store-options.js';
export type { ProjectFacts, StoreFacts } from './store-facts.js';
export { storeSteps } from './manifest/migrations.js';
export { refuseOldManifest, requireManifest } from './recovery/start-check.js';
export { inMemory, type FinishedBytes } from './read/finished-bytes.js';
export type { QueryResult } from './read/query-result.js';
export type { TextResult } from './read/text-result.js';
export type { FoundRows } from './read/point-reads.js';
export type { WantedRows } from './segment/segment-lookup.js';
export type { IncomingBatch, RequiredRow } from './commit/insert-request.js';

export interface Inserted {
  readonly xactId: bigint;
  /** Per batch, the ids of its events in their order. */
  readonly rowIds: string[][];
}

export class EventStore {
  readonly #parts: StoreParts;

  private constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** The writer stays the caller's, who closes it after the store. */
  static async open(writer: Writer, options: EventStoreOptions): Promise<EventStore> {
    return new EventStore(await openParts(writer, options));
  }

  /**
   * Stores the events of all batches under one transaction id, all or none; on disk when it resolves,
   * and in every snapshot taken after that.
   * @throws RequestError 400 for an unknown parent or a required row that is not live, 503 when the disk is full or cannot be
   * written, or too much is buffered already
   */
  async insert(batches: readonly IncomingBatch[]): Promise<Inserted> {
    await this.#parts.backlog.admit(weightOf(batches));
    const xactId = await this.#parts.committer.insert(batches);
    return { xactId, rowIds: batches.map(({ events }) => events.map(({ id }) => id)) };
  }

  /** A transaction id for a write that is stored elsewhere, in one order with those of events. */
  mint(): Promise<bigint> {
    return this.#parts.committer.mint();
  }

  /** That of a snapshot that was taken now. */
  identity(objectIds: readonly string[], version: bigint | null): string {
    const { state, changes } = this.#parts.committer;
    return changes.identity(objectIds, version ?? state.lastXactId);
  }

  /** The events as of `version`, or as of now, for reads of `client`. The caller releases it. */
  snapshot(version: bigint | null = null, client = ''): Promise<Snapshot> {
    const { changes } = this.#parts.committer;
    return takeSnapshot({ ...this.#parts, changes }, version, client);
  }

  /** As `PointReads.find`. */
  find(
    ...[objectId, wanted, client, signal]: Parameters<PointReads['find']>
  ): Promise<FoundRows | null> {
    return this.#parts.points.find(objectId, wanted, client, signal);
  }

  /**
   * Moves the rows that are buffered to segments, at most once per project and minute, and waits for that, but no
   * longer than a query may take.
   * @returns false when it was not done
   * @throws the signal's reason when it is aborted
   */
  async sealForColumns(projectIds: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { columnSeals, sealer, maintenance, queryTimeoutMs } = this.#parts;
    if (!columnSeals.take(projectIds)) return false;
    await sealer.seal();
    const waiting = new AbortController();
    try {
      const ends = { signal: AbortSignal.any([waiting.signal, signal]) };
      const late = delay(queryTimeoutMs, false, ends);
      return await Promise.race([maintenance.flushed().then(() => true), late]);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      waiting.abort();
    }
  }

  /** What is stored and what runs, at this moment. */
  facts(): StoreFacts {
    const { committer, lanes } = this.#parts;
    return storeFacts(committer.state, lanes.query);
  }

  /** Moves all buffered rows to segments, and does what else is to be done in the background. */
  async flush(): Promise<void> {
    await this.#parts.sealer.seal();
    await this.#parts.maintenance.idle();
  }

  /** Finishes the inserts that wait; snapshots that are still open keep the reader until their release. */
  async close(): Promise<void> {
    this.#parts.sealer.close();
    await this.#parts.verification.close();
    await this.#parts.committer.close();
    await this.#parts.maintenance.close();
    await this.#parts.committer.close();
    await this.#parts.feed.close();
    await this.#parts.lookup.close();
    await this.#parts.log.close();
    await this.#parts.last.close();
  }
}
