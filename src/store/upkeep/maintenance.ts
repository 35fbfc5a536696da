// Background work beside inserts and queries: flushes, merges segments, removes what nobody reads any more.
import path from 'node:path';
import PQueue from 'p-queue';
import { toEngineError } from '../../duckdb/engine-error.js';
import { UnknownOutcomeError, type Writer } from '../../duckdb/writer.js';
import { RequestError } from '../../errors.js';
import type { Committer } from '../commit/committer.js';
import { CalmSources } from './calm-sources.js';
import { mergeSegments } from './compaction.js';
import { isFlushing, planCompaction, type CompactionSettings } from './compaction-policy.js';
import { flushGeneration, type OversizedRow } from './flush.js';
import type { MaintenanceEngine } from './maintenance-engine.js';
import { forgetDroppedSegments } from './manifest.js';
import { MergeLimits } from './merge-limits.js';
import { Misordered } from './misordered.js';
import { projectsWithStaleFile, writeNotebookFile } from './notebook-file.js';
import { publish, type Publication } from './publish.js';
import { RepeatedWork } from './repeated-work.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { ReaderFeed } from '../read/reader-feed.js';
import type { Retention } from './retention.js';
import type { Segment } from '../segment/segment.js';
import { orderProblems } from '../segment/segment-order.js';
import { shrinkDatabase } from './shrink.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { SegmentOutputs } from './segment-outputs.js';
import type { Reached } from '../step.js';
import type { WriteBuffer } from '../commit/write-buffer.js';

export interface MaintenanceSettings {
  readonly temporaryDirectory: string;
  readonly compaction: CompactionSettings;
  readonly reached: Reached;
  /**
   * Called with what made a piece of background work fail. It is tried again later; a merge that would fail again, not before
   * the next start.
   */
  readonly failed: (error: unknown) => void;
  readonly limited: (limit: MergeLimit) => void;
  readonly oversized: (row: OversizedRow) => void;
}

/** A merge ran out of memory; until the next start the project's are smaller. */
export interface MergeLimit {
  readonly projectId: string;
  readonly bytesMax: number;
  readonly error: unknown;
}

export interface MaintenanceParts {
  readonly engine: MaintenanceEngine;
  readonly writer: Writer;
  readonly buffer: WriteBuffer;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly retention: Retention;
  readonly files: SegmentFiles;
  readonly checked: CheckedFiles;
  readonly outputs: SegmentOutputs;
}

/** Of buffered rows: so few have hardly reached the database file yet. */
const calmBytes = 8 * 2 ** 20;

export class Maintenance {
  readonly #settings: MaintenanceSettings;
  readonly #parts: MaintenanceParts;
  /** Beside each other: inserts wait for flushes, and a large compaction takes minutes. */
  readonly #flushes: RepeatedWork;
  readonly #compactions: RepeatedWork;
  /** What follows publications, in their order. */
  readonly #tidying = new PQueue({ concurrency: 1 });
  readonly #calmSources: CalmSources;
  readonly #limits = new MergeLimits();
  readonly #misordered: Misordered;
  #closed = false;
  /** Nothing more is removed: the engine instances are about to be closed. */
  #ended = false;

  constructor(settings: MaintenanceSettings, parts: MaintenanceParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#calmSources = new CalmSources(settings.compaction.calmMs);
    this.#misordered = new Misordered((segment) => this.#isOrdered(segment));
    this.#flushes = new RepeatedWork(() => this.#flushOldest(), settings.failed);
    this.#compactions = new RepeatedWork(() => this.#compact(), settings.failed);
  }

  /** Makes good what a crash left undone, and asks for everything that is to be done by now. */
  start(): void {
    void this.#tidying.add(() => this.#refreshNotebooks().catch(this.#settings.failed));
    this.wake();
  }

  /** Asks for everything that is to be done by now. */
  wake(): void {
    this.#flushes.wake();
    this.#compactions.wake();
  }

  /** Waits until nothing is left to do; what failed is not tried again before its time. */
  async idle(): Promise<void> {
    await this.flushed();
    // Each flush may have made another compaction worth it.
    await this.#compactions.idle();
    await this.#tidying.onIdle();
  }

  /** Waits until all sealed generations are in segments, but for one whose flush failed. */
  async flushed(): Promise<void> {
    await this.#flushes.idle();
  }

  /** Breaks off what runs: its unfinished files are removed. No inserts must come any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#flushes.close();
    this.#compactions.close();
    const { checked, engine, committer } = this.#parts;
    checked.close();
    await engine.interruptUntil(this.idle());
    this.#ended = true;
    await engine.close();
    // What ended since the last publication.
    const { segments, superseded } = committer.state;
    const touched = segments.filter(({ source }) => superseded.has(source));
    await this.#writeNotebooks(touched.map(({ projectId }) => projectId)).catch(
      this.#settings.failed,
    );
  }

  /** False when there was nothing to flush. */
  async #flushOldest(): Promise<boolean> {
    const { engine, committer, buffer, outputs } = this.#parts;
    const { state } = committer;
    const [generation] = state.sealed;
    if (generation === undefined) return false;
    const { temporaryDirectory, oversized } = this.#settings;
    const temporaryFile = path.join(temporaryDirectory, `flush-${generation.source}.parquet`);
    const parts = { engine, buffer, outputs, temporaryFile, oversized };
    const written = await flushGeneration(generation, state, parts);
    await this.#settings.reached('segment-written');
    await this.#publish({
      flushed: [generation.source],
      replaced: [],
      outputs: written,
      upTo: state.lastXactId,
    });
    this.#compactions.wake();
    return true;
  }

  /** False when no segments are to be merged. */
  async #compact(): Promise<boolean> {
    const { engine, committer, buffer, files, checked, outputs } = this.#parts;
    const { sealed, segments, superseded, lastXactId } = committer.state;
    const { compaction } = this.#settings;
    if (isFlushing(sealed.length, segments.length, compaction)) return false;
    const { calm, waitMs } = this.#calmSources.update(superseded);
    const setAside = new Set([...this.#limits.setAside, ...checked.damagedSources]);
    const limits = { bytesMax: this.#limits.bytesMax, setAside };
    const chosen =
      planCompaction(segments, calm, compaction, limits) ?? (await this.#toPutInOrder());
    if (chosen === null && waitMs !== null) this.#compactions.wakeIn(waitMs);
    if (chosen === null || this.#closed) return false;
    if (!(await this.#areSound(chosen))) return true;
    const { temporaryDirectory: parent, failed } = this.#settings;
    const temporaryDirectory = path.join(parent, `merge-${chosen[0]!.source}`);
    const parts = { buffer, files, outputs, temporaryDirectory, failed };
    const merged = await engine
      .use((connection) => mergeSegments(connection, chosen, lastXactId, parts))
      .catch((error: unknown) => this.#limit(chosen, error));
    if (merged === null) return true;
    await this.#settings.reached('compaction-middle');
    await this.#publish({ flushed: [], replaced: chosen, outputs: [merged], upTo: lastXactId });
    return true;
  }

  /** A segment of an older version that is to be written anew alone. */
  async #toPutInOrder(): Promise<readonly Segment[] | null> {
    const { committer, checked } = this.#parts;
    const damaged = checked.damagedSources;
    const found = await this.#misordered.next(
      committer.state.segments.filter(
        (segment) => this.#limits.allows(segment) && !damaged.has(segment.source),
      ),
    );
    return found && [found];
  }

  /** A merged segment has checksums of its own, so that nothing that is damaged may get into it. */
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

  async #isOrdered(segment: Segment): Promise<boolean> {
    const { engine, files } = this.#parts;
    const problems = await engine.use((connection) =>
      orderProblems(connection, files.ordered(segment)),
    );
    return problems.length === 0;
  }

  /** Null when other merges may succeed; throws what may be different next time. */
  #limit(merge: readonly Segment[], error: unknown): null {
    const { kind } = toEngineError(error);
    if (this.#closed || kind === 'storage' || kind === 'interrupted' || kind === 'fatal')
      throw error;
    const { projectId } = merge[0]!;
    if (kind === 'memory') {
      const bytesMax = this.#limits.lower(merge);
      this.#settings.limited({ projectId, bytesMax, error });
    } else {
      this.#limits.leaveOut(merge);
      const sources = merge.map(({ source }) => source).join(', ');
      const sentence = `segments ${sources} of project ${projectId} cannot be merged, they stay as they are until the next start`;
      this.#settings.failed(new Error(sentence, { cause: error }));
    }
    return null;
  }

  async #publish(publication: Publication): Promise<void> {
    const { committer, writer, outputs } = this.#parts;
    const written = publication.outputs.map(({ segment }) => segment);
    let stored = false;
    try {
      await outputs.place(written);
      await this.#settings.reached('segment-placed');
      await committer.change(async (state) => {
        const change = await publish(writer, state, publication);
        stored = change !== null;
        return change;
      });
    } catch (error) {
      // It may be in the manifest by now; if it is not, the next start sets its files aside.
      stored = error instanceof UnknownOutcomeError;
      throw error;
    } finally {
      if (!stored) await outputs.remove(written);
    }
    await this.#settings.reached('published');
    this.#retire(publication);
    await this.#tellNotebooks(written.map(({ projectId }) => projectId));
  }

  async #refreshNotebooks(): Promise<void> {
    const { writer, files, committer } = this.#parts;
    if (!this.#closed)
      await this.#writeNotebooks(await projectsWithStaleFile(writer, files, committer.state));
  }

  async #tellNotebooks(projectIds: Iterable<string>): Promise<void> {
    await this.#tidying.add(() => this.#writeNotebooks(projectIds));
  }

  async #writeNotebooks(projectIds: Iterable<string>): Promise<void> {
    const { writer, files, committer } = this.#parts;
    for (const projectId of new Set(projectIds))
      await writeNotebookFile(writer, files, committer.state, projectId);
  }

  #retire({ flushed, replaced }: Publication): void {
    const { feed, retention } = this.#parts;
    const discard = () => {
      if (!this.#ended) void this.#tidying.add(() => this.#discard(flushed, replaced));
    };
    feed.afterwards(() => retention.retire(discard));
  }

  /** Hardly any rows are in the write buffer. */
  get #isCalm(): boolean {
    const { sealed, active } = this.#parts.committer.state;
    return sealed.length === 0 && active.bytes < calmBytes;
  }

  // What is left over when this fails is removed at the next start.
  async #discard(flushed: readonly number[], replaced: Publication['replaced']): Promise<void> {
    const { writer, buffer, feed, outputs } = this.#parts;
    const segments = replaced.map(({ source }) => source);
    try {
      await buffer.discard(flushed, segments);
      await feed.discard(flushed, segments);
      await outputs.remove(replaced);
      await forgetDroppedSegments(writer, replaced);
      if (this.#isCalm) await shrinkDatabase(writer);
    } catch (error) {
      if (!this.#closed) this.#settings.failed(error);
    }
  }
}
