// Background work: flushes, compactions, removals of events, and purges.
import path from 'node:path';
import { RequestError } from '../../errors.js';
import type { DiskReserve } from '../commit/disk-reserve.js';
import { IdleSegments } from './idle-segments.js';
import { mergeSegments, type Leaving } from './compaction.js';
import {
  mergeDelay,
  planCompaction,
  type CompactionLimits,
  type CompactionSettings,
} from './compaction-policy.js';
import type { History } from './history.js';
import { MergeLimits, type MergeLimit } from './merge-limits.js';
import { flushGeneration, type OversizedRow } from './flush.js';
import type { MaintenanceEngine } from './maintenance-engine.js';
import { flushedUpTo, type Generation } from '../manifest/store-state.js';
import { withoutSegments, type Publication } from './publish.js';
import { Publisher, type PublisherDeps } from './publisher.js';
import type { Removed } from '../../schema/removal.js';
import { estimate, removeEvents, WaitingRemovals } from './removals.js';
import type { Removal, RemovalRequest } from './removals.js';
import { BackgroundJob } from './background-job.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { Segment } from '../segment/segment.js';
import type { SyncPointHook } from '../file/sync-point.js';
import { WorkTimes, type MaintenanceTask } from './work-times.js';

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

export interface MaintenanceDeps extends PublisherDeps {
  readonly engine: MaintenanceEngine;
  /** For removals, which leave the processors to everything else. */
  readonly background: MaintenanceEngine;
  readonly reserve: DiskReserve;
  readonly checked: CheckedFiles;
  readonly history: History;
}

const dayMicros = 86_400_000_000;
/** Rows that expire after some days are merged within this part of that time. */
const expiringSpans = 8;

/** Merges for which the disk has no room wait this long before they are planned again. */
const roomMs = 5_000;

/** Merges of files that are only in the bucket wait this long if it cannot be read. */
const bucketMs = 60_000;

export class Maintenance {
  readonly #settings: MaintenanceSettings;
  readonly #parts: MaintenanceDeps;
  /** Flushes and compactions run concurrently: inserts wait for flushes, and a large compaction takes minutes. */
  readonly #flushes: BackgroundJob;
  readonly #compactions: BackgroundJob;
  readonly #publisher: Publisher;
  readonly #idleSegments: IdleSegments;
  readonly #limits: MergeLimits;
  readonly times = new WorkTimes();
  /** The projects whose segments are to be purged. */
  readonly #projectsToPurge = new Set<string>();
  /** When the last flush ended, by `performance.now()`. */
  #flushedAt = -Infinity;
  readonly #removals = new WaitingRemovals();
  #spans: CompactionLimits['spans'] = new Map();
  #closed = false;

  constructor(settings: MaintenanceSettings, parts: MaintenanceDeps) {
    this.#settings = settings;
    this.#parts = parts;
    this.#limits = new MergeLimits(settings);
    this.#idleSegments = new IdleSegments(settings.compaction.idleMs);
    this.#flushes = new BackgroundJob(() => this.#flushOldest(), settings.failed);
    this.#compactions = new BackgroundJob(() => this.#compact(), settings.failed);
    this.#publisher = new Publisher(settings, parts);
  }

  /** Completes what a crash interrupted, and starts the background jobs. */
  start(): void {
    this.#publisher.start();
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

  /**
   * Merges rows of these projects only with rows of about the same time, so that whole segments expire.
   * @param days by project, after how many days its rows leave
   */
  expire(days: ReadonlyMap<string, number>): void {
    this.#spans = new Map(
      Array.from(days, ([id, count]) => [
        id,
        BigInt(Math.round((count * dayMicros) / expiringSpans)),
      ]),
    );
  }

  /** Removes the rows of the events from the segments that are listed by then and were not searched. */
  remove(removal: Removal): Promise<Removed> {
    const removed = this.#removals.add(removal);
    this.#compactions.schedule();
    return removed;
  }

  /** Estimates what `remove` would take from the segments. */
  removable(request: RemovalRequest): Promise<Removed> {
    return estimate(this.#parts, request);
  }

  /** See `Publisher.unusedRemoved`. */
  unusedRemoved(): Promise<void> {
    return this.#publisher.unusedRemoved();
  }

  /** Does all background work at once, merges too. Retries after failures are not waited for. */
  async idle(): Promise<void> {
    await this.flushed();
    this.#flushedAt = -Infinity;
    this.#compactions.schedule();
    await this.#compactions.idle();
    await this.#publisher.idle();
  }

  /** Waits until all sealed generations are flushed, except for one whose flush failed. */
  async flushed(): Promise<void> {
    await this.#flushes.idle();
  }

  /** Interrupts running work and removes its unfinished files. No insert may run any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#removals.close();
    this.#flushes.close();
    this.#compactions.close();
    this.#publisher.close();
    const { checked, engine, background } = this.#parts;
    checked.close();
    await background.interruptUntil(engine.interruptUntil(this.idle()));
    this.#publisher.keepFiles();
    await Promise.all([engine.close(), background.close()]);
    await this.#publisher.finish();
  }

  #measured<T>(task: MaintenanceTask, work: () => Promise<T>): Promise<T> {
    return this.times.measure(task, work, () => this.#closed);
  }

  /** Returns false if there was nothing to flush. */
  async #flushOldest(): Promise<boolean> {
    const { state } = this.#parts.committer;
    const [generation] = state.sealed;
    if (generation === undefined) return false;
    const { afterXactId: upTo } = state.sealed[1] ?? state.active;
    await this.#measured('flush', () => this.#flush(generation, upTo));
    this.#flushedAt = performance.now();
    this.#compactions.schedule();
    return true;
  }

  async #flush(generation: Generation, upTo: bigint): Promise<void> {
    const { engine, log, supersessions, outputs } = this.#parts;
    const { temporaryDirectory: parent, oversized, partBytesMax } = this.#settings;
    const written = await flushGeneration(generation, upTo, {
      engine,
      log,
      supersessions,
      outputs,
      temporaryDirectory: path.join(parent, `flush-${generation.source}`),
      partBytesMax,
      oversized,
    });
    await this.#settings.reached('segment-written');
    await this.#publisher.publish({
      flushed: [generation.source],
      replaced: [],
      outputs: written,
      upTo,
    });
  }

  /** Returns false if there is nothing to purge, remove or merge now. */
  async #compact(): Promise<boolean> {
    if (await this.#purge()) return true;
    if (await this.#removeNext()) return true;
    const { committer, checked, reserve, history } = this.#parts;
    const { sealed, segments, superseded } = committer.state;
    const { compaction } = this.#settings;
    const sinceFlush = sealed.length > 0 ? 0 : performance.now() - this.#flushedAt;
    const delayMs = Math.max(mergeDelay(sinceFlush, segments, compaction), this.#limits.delayMs);
    if (delayMs > 0) {
      this.#compactions.scheduleIn(delayMs);
      return false;
    }
    if (await this.#forgetNext()) return true;
    const { idle, waitMs } = this.#idleSegments.update(superseded);
    await reserve.refresh();
    const room = reserve.mergeRoom;
    const limits = { ...this.#limits.current(checked.damagedSources, room), spans: this.#spans };
    const chosen = planCompaction(segments, idle, compaction, limits);
    const againMs = room < compaction.bytesMax ? roomMs : (waitMs ?? history.recountMs);
    if (chosen === null && againMs !== null) this.#compactions.scheduleIn(againMs);
    if (chosen === null || this.#closed) return false;
    if (!(await this.#areSound(chosen))) return this.#isDamaged(chosen);
    await this.#mergeAndPublish(chosen, history.leaving(chosen));
    return true;
  }

  /** A merge that fails is limited, so that others can run. */
  async #mergeAndPublish(chosen: readonly Segment[], leaving?: Leaving): Promise<void> {
    const merged = await this.#measured('merge', () => this.#merge(chosen, leaving)).catch(
      (error: unknown) => {
        if (this.#closed) throw error;
        this.#limits.failed(chosen, error);
        return null;
      },
    );
    if (merged === null) return;
    await this.#publisher.publish(merged);
    this.#limits.succeeded();
  }

  /** Merges the segments and keeps what that needs of the disk. Returns null if too few rows would be left out. */
  async #merge(
    chosen: readonly Segment[],
    leaving?: Leaving,
    engine = this.#parts.engine,
  ): Promise<Publication | null> {
    const { committer, supersessions, files, checked, outputs: to, reserve } = this.#parts;
    const { temporaryDirectory: parent, failed, reached } = this.#settings;
    // A copy of the manifest without the logs has no later versions.
    const upTo = flushedUpTo(committer.state);
    const temporaryDirectory = path.join(parent, `merge-${chosen[0]!.source}`);
    const parts = { files, outputs: to, temporaryDirectory, failed };
    const sources = chosen.map(({ source }) => source);
    const recorded = supersessions.all(sources).filter(({ byXactId }) => byXactId <= upTo);
    const bytes = chosen.reduce((sum, segment) => sum + segment.bytes, 0);
    const read = chosen.flatMap((each) => [
      files.rows(each),
      ...(leaving ? files.narrowest(each) : []),
    ]);
    const merged = await reserve.merging(bytes, () =>
      checked.holding(read, () =>
        engine.use((connection) => mergeSegments(connection, chosen, recorded, parts, leaving)),
      ),
    );
    if (merged === null) return null;
    await reached('compaction-middle');
    const outputs = merged.output === null ? [] : [merged.output];
    const removed = merged.removed > 0 ? leaving?.removed : undefined;
    return { flushed: [], replaced: chosen, outputs, removed, upTo };
  }

  /** Rewrites a segment of which many rows have left the history. Returns false if there is none. */
  async #forgetNext(): Promise<boolean> {
    const { history, checked } = this.#parts;
    const limits = this.#limits.current(checked.damagedSources, Infinity);
    const next = history.next((source) => !limits.excluded.has(source));
    if (next === null || this.#closed) return false;
    const segments = [next.segment];
    if (!(await this.#areSound(segments))) return this.#isDamaged(segments);
    const leaving = history.leaving(segments, next.rowsMin);
    await this.#mergeAndPublish(segments, leaving);
    return true;
  }

  /** Whether other segments are merged next. If files cannot be brought back, that waits. */
  #isDamaged(chosen: readonly Segment[]): boolean {
    const { damagedSources } = this.#parts.checked;
    const isDamaged = chosen.some(({ source }) => damagedSources.has(source));
    if (!isDamaged) this.#compactions.scheduleIn(bucketMs);
    return isDamaged;
  }

  // In the job of merges, whose inputs it rewrites.
  async #removeNext(): Promise<boolean> {
    const { files, checked, committer, background: engine } = this.#parts;
    const parts = {
      files,
      engine,
      committer,
      checked,
      publisher: this.#publisher,
      merge: (segment: Segment, leaving: Leaving) => this.#merge([segment], leaving, engine),
    };
    return this.#removals.next((removal) =>
      this.#measured('removal', () => removeEvents(parts, removal)),
    );
  }

  // Not beside a merge, whose inputs it could remove.
  async #purge(): Promise<boolean> {
    const { state } = this.#parts.committer;
    const projectIds = [...this.#projectsToPurge];
    const purged = state.segments.filter(({ projectId }) => this.#projectsToPurge.has(projectId));
    const publishOnce = () => this.#publisher.publish(withoutSegments(purged, state));
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
}
