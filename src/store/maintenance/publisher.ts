// Stores publications, and what follows: rewrites `superseded.parquet`, and removes the sources that were replaced when no snapshot
// reads them any more.
import PQueue from 'p-queue';
import type { Writer } from '../../duckdb/writer.js';
import { UnknownOutcomeError } from '../../errors.js';
import type { Committer } from '../commit/committer.js';
import type { Reclamation } from '../file/reclamation.js';
import type { SyncPointHook } from '../file/sync-point.js';
import type { EventLog } from '../log/event-log.js';
import type { ReaderFeed } from '../read/snapshot/reader-feed.js';
import type { Supersessions } from '../row/supersessions.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import { BackgroundJob } from './background-job.js';
import { obsoleteSources, publish, type Publication } from './publish.js';
import type { SegmentOutputs } from './segment-outputs.js';
import { StaleSupersededFiles } from './superseded-file.js';

export interface PublisherSettings {
  readonly reached: SyncPointHook;
  /** Called with the error of failed background work. */
  readonly failed: (error: unknown) => void;
}

/** What follows a publication outside of the data directory, and the record of dropped segments. */
export interface AfterPublication {
  /** Called after each publication. */
  published(publication: Publication): void;
  /** Called after the local files of dropped segments were removed. */
  dropped(segments: readonly SegmentName[]): Promise<void>;
  /** Resolves when nothing is left of the segments that were dropped until now. */
  removed(): Promise<void>;
}

export interface PublisherDeps {
  readonly after: AfterPublication;
  readonly writer: Writer;
  readonly log: EventLog;
  readonly supersessions: Supersessions;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly reclamation: Reclamation;
  readonly files: SegmentFiles;
  readonly outputs: SegmentOutputs;
}

export class Publisher {
  readonly #settings: PublisherSettings;
  readonly #parts: PublisherDeps;
  readonly #stale: StaleSupersededFiles;
  readonly #supersededFiles: BackgroundJob;
  /** Clean-up after publications, in their order. */
  readonly #cleanUp = new PQueue({ concurrency: 1 });
  #closed = false;
  /** Set before the engine instances are closed. Nothing is removed then. */
  #isShuttingDown = false;

  constructor(settings: PublisherSettings, parts: PublisherDeps) {
    this.#settings = settings;
    this.#parts = parts;
    this.#stale = new StaleSupersededFiles(parts, () => parts.committer.state);
    const writeNext = () => this.#stale.writeNext();
    this.#supersededFiles = new BackgroundJob(
      async () => (await this.#cleanUp.add(writeNext)) === true,
      settings.failed,
    );
  }

  /** Completes what a crash interrupted. */
  start(): void {
    this.#supersededFiles.schedule();
  }

  /** Returns false if a source to be replaced is no longer in the manifest. Nothing is stored then. */
  async publish(publication: Publication): Promise<boolean> {
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
    if (stored) this.#parts.after.published(publication);
    return stored;
  }

  /** Resolves when no file is left of the sources that were replaced until now; not if the store is closed before. */
  unusedRemoved(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#parts.reclamation.retire(() => void this.#cleanUp.add(() => resolve()));
    }).then(() => this.#parts.after.removed());
  }

  /** Completes the work that was begun. */
  async idle(): Promise<void> {
    this.#supersededFiles.schedule();
    await this.#supersededFiles.idle();
    await this.#cleanUp.onIdle();
  }

  /** Starts no further work. */
  close(): void {
    this.#closed = true;
    this.#supersededFiles.close();
  }

  /** Removes no file from now on: the engine instances that read them are about to be closed. */
  keepFiles(): void {
    this.#isShuttingDown = true;
  }

  /** Writes the files `superseded.parquet`, for the rows that were superseded since the last publication. */
  async finish(): Promise<void> {
    const { segments, superseded } = this.#parts.committer.state;
    const touched = segments.filter(({ source }) => superseded.has(source));
    this.#stale.add(touched.map(({ projectId }) => projectId));
    await this.#stale.writeAll().catch(this.#settings.failed);
  }

  #removeWhenUnused(publication: Publication): void {
    const { flushed, segments } = obsoleteSources(this.#parts.committer.state, publication);
    this.#parts.reclamation.retire(() => {
      if (!this.#isShuttingDown) void this.#cleanUp.add(() => this.#discard(flushed, segments));
    });
  }

  // If this fails, the next start removes the rest.
  async #discard(flushed: readonly number[], removed: readonly Segment[]): Promise<void> {
    const { log, feed, files, outputs, committer, after } = this.#parts;
    const sources = removed.map(({ source }) => source);
    const report = (error: unknown) => {
      if (!this.#closed) this.#settings.failed(error);
    };
    await feed.discard(flushed, sources).catch(report);
    try {
      await log.discard(flushed);
      await outputs.remove(removed);
      await files.removeEmptyProjects(removed, committer.state.segments);
      await after.dropped(removed);
    } catch (error) {
      report(error);
    }
  }
}
