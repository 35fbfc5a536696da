// Background work: flushes, compactions and purges; then rewrites `superseded.parquet`, and removes the sources that they replaced when no
// snapshot reads these.
import path from 'node:path';
import PQueue from 'p-queue';
import type { Writer } from '../../duckdb/writer.js';
import { RequestError, UnknownOutcomeError } from '../../errors.js';
import type { Committer } from '../commit/committer.js';
import type { DiskReserve } from '../commit/disk-reserve.js';
import { IdleSegments } from './idle-segments.js';
import { mergeSegments } from './compaction.js';
import { mergeDelay, planCompaction, type CompactionSettings } from './compaction-policy.js';
import { MergeLimits, type MergeLimit } from './merge-limits.js';
import { flushGeneration, type OversizedRow } from './flush.js';
import type { MaintenanceEngine } from './maintenance-engine.js';
import { forgetDroppedSegments } from '../manifest/segments.js';
import type { Generation, StoreState } from '../manifest/store-state.js';
import { StaleSupersededFiles } from './superseded-file.js';
import { obsoleteSources, publish, type Publication } from './publish.js';
import { BackgroundJob } from './background-job.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { ReaderFeed } from '../read/snapshot/reader-feed.js';
import type { Reclamation } from '../file/reclamation.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { SegmentOutputs } from './segment-outputs.js';
import type { SyncPointHook } from '../file/sync-point.js';
import type { EventLog } from '../log/event-log.js';
import { WorkTimes, type MaintenanceTask } from './work-times.js';
import type { Supersessions } from '../row/supersessions.js';

export interface MaintenanceSettings {
  readonly temporaryDirectory: string;
  readonly compaction: CompactionSettings;
  /** The limit on the total size of heavy rows that are written to a segment together. */
  readonly partBytesMax: number;
  readonly reached: SyncPointHook;
  /**
   * Called with the error of failed background work. The work is tried again later; a merge that would fail again, only after the
   * next start.
   */
  readonly failed: (error: unknown) => void;
  readonly limited: (limit: MergeLimit) => void;
  /** Called for each segment that was purged. */
  readonly purged: (segment: PurgedSegment) => void;
  readonly oversized: (row: OversizedRow) => void;
}

export type PurgedSegment = Pick<Segment, 'projectId' | 'source' | 'rows' | 'bytes'>;

export interface MaintenanceDeps {
  readonly engine: MaintenanceEngine;
  readonly writer: Writer;
  readonly log: EventLog;
  readonly supersessions: Supersessions;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly reclamation: Reclamation;
  readonly reserve: DiskReserve;
  readonly files: SegmentFiles;
  readonly checked: CheckedFiles;
  readonly outputs: SegmentOutputs;
}

/** Merges for which the disk has no room wait this long before they are planned again. */
const roomMs = 5_000;

export class Maintenance {
  readonly #settings: MaintenanceSettings;
  readonly #parts: MaintenanceDeps;
  /** Flushes and compactions run concurrently: inserts wait for flushes, and a large compaction takes minutes. */
  readonly #flushes: BackgroundJob;
  readonly #compactions: BackgroundJob;
  readonly #supersededFiles: BackgroundJob;
  readonly #stale: StaleSupersededFiles;
  /** Clean-up after publications, in their order. */
  readonly #cleanUp = new PQueue({ concurrency: 1 });
  readonly #idleSegments: IdleSegments;
  readonly #limits: MergeLimits;
  readonly times = new WorkTimes();
  /** The projects whose segments are to be purged. */
  readonly #projectsToPurge = new Set<string>();
  /** When the last flush ended, by `performance.now()`. */
  #flushedAt = -Infinity;
  #closed = false;
  /** Set before the engine instances are closed. Nothing is removed then. */
  #isShuttingDown = false;

  constructor(settings: MaintenanceSettings, parts: MaintenanceDeps) {
    this.#settings = settings;
    this.#parts = parts;
    this.#limits = new MergeLimits(settings);
    this.#idleSegments = new IdleSegments(settings.compaction.idleMs);
    this.#flushes = new BackgroundJob(() => this.#flushOldest(), settings.failed);
    this.#compactions = new BackgroundJob(() => this.#compact(), settings.failed);
    this.#stale = new StaleSupersededFiles(parts, () => parts.committer.state);
    const writeNext = () => this.#stale.writeNext();
    this.#supersededFiles = new BackgroundJob(
      async () => (await this.#cleanUp.add(writeNext)) === true,
      settings.failed,
    );
  }

  /** Completes what a crash interrupted, and starts the background jobs. */
  start(): void {
    this.#supersededFiles.schedule();
    this.schedule();
  }

  /** Runs the background jobs until nothing is left to do. */
  schedule(): void {
    this.#flushes.schedule();
    this.#compactions.schedule();
  }

  /** Removes the segments of these projects for good. Their rows must not be needed at any version. */
  purge(projectIds: Iterable<string>): void {
    for (const projectId of projectIds) this.#projectsToPurge.add(projectId);
    this.#compactions.schedule();
  }

  /** Does all background work at once, merges too. Retries after failures are not waited for. */
  async idle(): Promise<void> {
    await this.flushed();
    this.#flushedAt = -Infinity;
    this.#compactions.schedule();
    await this.#compactions.idle();
    this.#supersededFiles.schedule();
    await this.#supersededFiles.idle();
    await this.#cleanUp.onIdle();
  }

  /** Waits until all sealed generations are flushed, except for one whose flush failed. */
  async flushed(): Promise<void> {
    await this.#flushes.idle();
  }

  /** Interrupts running work and removes its unfinished files. No insert may run any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#flushes.close();
    this.#compactions.close();
    this.#supersededFiles.close();
    const { checked, engine, committer } = this.#parts;
    checked.close();
    await engine.interruptUntil(this.idle());
    this.#isShuttingDown = true;
    await engine.close();
    // For the rows that were superseded since the last publication.
    const { segments, superseded } = committer.state;
    const touched = segments.filter(({ source }) => superseded.has(source));
    this.#stale.add(touched.map(({ projectId }) => projectId));
    await this.#stale.writeAll().catch(this.#settings.failed);
  }

  #measured<T>(task: MaintenanceTask, work: () => Promise<T>): Promise<T> {
    return this.times.measure(task, work, () => this.#closed);
  }

  /** Returns false if there was nothing to flush. */
  async #flushOldest(): Promise<boolean> {
    const { state } = this.#parts.committer;
    const [generation] = state.sealed;
    if (generation === undefined) return false;
    await this.#measured('flush', () => this.#flush(generation, state));
    this.#flushedAt = performance.now();
    this.#compactions.schedule();
    return true;
  }

  async #flush(generation: Generation, state: StoreState): Promise<void> {
    const { engine, log, supersessions, outputs } = this.#parts;
    const { temporaryDirectory: parent, oversized, partBytesMax } = this.#settings;
    const written = await flushGeneration(generation, state, {
      engine,
      log,
      supersessions,
      outputs,
      temporaryDirectory: path.join(parent, `flush-${generation.source}`),
      partBytesMax,
      oversized,
    });
    await this.#settings.reached('segment-written');
    await this.#publish({
      flushed: [generation.source],
      replaced: [],
      outputs: written,
      upTo: state.lastXactId,
    });
  }

  /** Returns false if there is nothing to purge or merge now. */
  async #compact(): Promise<boolean> {
    if (await this.#purge()) return true;
    const { engine, committer, supersessions, files, checked, outputs, reserve } = this.#parts;
    const { sealed, segments, superseded, lastXactId } = committer.state;
    const { compaction } = this.#settings;
    const sinceFlush = sealed.length > 0 ? 0 : performance.now() - this.#flushedAt;
    const delayMs = Math.max(mergeDelay(sinceFlush, segments, compaction), this.#limits.delayMs);
    if (delayMs > 0) {
      this.#compactions.scheduleIn(delayMs);
      return false;
    }
    const { idle, waitMs } = this.#idleSegments.update(superseded);
    await reserve.refresh();
    const room = reserve.mergeRoom;
    const limits = this.#limits.current(checked.damagedSources, room);
    const chosen = planCompaction(segments, idle, compaction, limits);
    const againMs = room < compaction.bytesMax ? roomMs : waitMs;
    if (chosen === null && againMs !== null) this.#compactions.scheduleIn(againMs);
    if (chosen === null || this.#closed) return false;
    if (!(await this.#areSound(chosen))) return true;
    const { temporaryDirectory: parent, failed } = this.#settings;
    const temporaryDirectory = path.join(parent, `merge-${chosen[0]!.source}`);
    const parts = { files, outputs, temporaryDirectory, failed };
    const sources = chosen.map(({ source }) => source);
    const recorded = supersessions.all(sources).filter(({ byXactId }) => byXactId <= lastXactId);
    const merge = () =>
      engine.use((connection) => mergeSegments(connection, chosen, recorded, parts));
    const mergedBytes = chosen.reduce((sum, { bytes }) => sum + bytes, 0);
    const mergeInRoom = () => reserve.merging(mergedBytes, merge);
    const merged = await this.#measured('merge', mergeInRoom).catch((error: unknown) => {
      if (this.#closed) throw error;
      this.#limits.failed(chosen, error);
      return null;
    });
    if (merged === null) return true;
    await this.#settings.reached('compaction-middle');
    await this.#publish({ flushed: [], replaced: chosen, outputs: [merged], upTo: lastXactId });
    this.#limits.succeeded();
    return true;
  }

  // Not beside a merge, whose inputs it could remove.
  async #purge(): Promise<boolean> {
    const { segments, lastXactId: upTo } = this.#parts.committer.state;
    const projectIds = [...this.#projectsToPurge];
    const purged = segments.filter(({ projectId }) => this.#projectsToPurge.has(projectId));
    const publication = { flushed: [], replaced: [], purged, outputs: [], upTo };
    const publishOnce = () => this.#publish(publication);
    if (purged.length > 0 && !(await this.#measured('purge', publishOnce))) return true;
    for (const { projectId, source, rows, bytes } of purged)
      this.#settings.purged({ projectId, source, rows, bytes });
    for (const projectId of projectIds) this.#projectsToPurge.delete(projectId);
    return purged.length > 0;
  }

  /** Verifies the inputs of a merge. Its output gets new checksums, which would hide damage in the inputs. */
  async #areSound(segments: readonly Segment[]): Promise<boolean> {
    const { files, checked } = this.#parts;
    try {
      await checked.checkFiles(segments.map((segment) => files.rows(segment)));
      return true;
    } catch (error) {
      if (error instanceof RequestError) return false;
      throw error;
    }
  }

  /** Returns false if a source to be removed is no longer in the manifest. Nothing is stored then. */
  async #publish(publication: Publication): Promise<boolean> {
    const { committer, writer, supersessions, outputs } = this.#parts;
    const written = publication.outputs.map(({ segment }) => segment);
    let stored = false;
    try {
      await outputs.moveToProjects(written);
      await this.#settings.reached('segment-placed');
      await committer.change(async (state) => {
        const change = await publish(writer, supersessions, state, publication);
        stored = change !== null;
        return change;
      });
    } catch (error) {
      // It may be in the manifest by now; if it is not, the next start removes its files.
      stored ||= error instanceof UnknownOutcomeError;
      throw error;
    } finally {
      if (!stored) await outputs.remove(written);
    }
    if (stored) await this.#settings.reached('published');
    this.#removeWhenUnused(publication);
    this.#stale.add(written.map(({ projectId }) => projectId));
    this.#supersededFiles.schedule();
    if (stored) await outputs.published(written);
    return stored;
  }

  #removeWhenUnused(publication: Publication): void {
    const { flushed, segments } = obsoleteSources(this.#parts.committer.state, publication);
    this.#parts.reclamation.retire(() => {
      if (!this.#isShuttingDown) void this.#cleanUp.add(() => this.#discard(flushed, segments));
    });
  }

  // If this fails, the next start removes the rest.
  async #discard(flushed: readonly number[], removed: readonly Segment[]): Promise<void> {
    const { writer, log, feed, files, outputs, committer } = this.#parts;
    const sources = removed.map(({ source }) => source);
    const report = (error: unknown) => {
      if (!this.#closed) this.#settings.failed(error);
    };
    await feed.discard(flushed, sources).catch(report);
    try {
      await log.discard(flushed);
      await outputs.remove(removed);
      await files.removeEmptyProjects(removed, committer.state.segments);
      await forgetDroppedSegments(writer, removed);
    } catch (error) {
      report(error);
    }
  }
}
