// Background work beside inserts and queries: flushes sealed generations, removes what nobody reads any more.
import path from 'node:path';
import PQueue from 'p-queue';
import { Database } from '../duckdb/database.js';
import { UnknownOutcomeError, type Writer } from '../duckdb/writer.js';
import type { Committer } from './committer.js';
import { flushGeneration } from './flush.js';
import { jsonFunctions } from './json-functions.js';
import { publish, type Publication } from './publish.js';
import type { ReaderFeed } from './reader-feed.js';
import type { Retention } from './retention.js';
import type { SegmentOutputs } from './segment-outputs.js';
import type { Reached } from './step.js';
import type { WriteBuffer } from './write-buffer.js';

export interface MaintenanceSettings {
  readonly memoryMb: number;
  readonly temporaryDirectory: string;
  readonly segmentDirectory: string;
  readonly reached: Reached;
  /** Called with what made a piece of background work fail; it is tried again later. */
  readonly failed: (error: unknown) => void;
}

export interface MaintenanceParts {
  readonly writer: Writer;
  readonly buffer: WriteBuffer;
  readonly committer: Committer;
  readonly feed: ReaderFeed;
  readonly retention: Retention;
  readonly outputs: SegmentOutputs;
}

const retryMs = 5_000;

export class Maintenance {
  readonly #settings: MaintenanceSettings;
  readonly #parts: MaintenanceParts;
  readonly #queue = new PQueue({ concurrency: 1 });
  #database: Promise<Database> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: MaintenanceSettings, parts: MaintenanceParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Asks for everything that is to be done by now. */
  wake(): void {
    if (!this.#closed && this.#queue.size === 0) void this.#queue.add(() => this.#attempt());
  }

  /** Waits until nothing is left to do; what failed is not tried again before its time. */
  async idle(): Promise<void> {
    await this.#queue.onIdle();
  }

  /** Breaks off what runs: its unfinished files are removed. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    await (await this.#database?.catch(() => undefined))?.close();
    await this.#queue.onIdle();
  }

  async #attempt(): Promise<void> {
    clearTimeout(this.#retryTimer);
    try {
      while (!this.#closed && (await this.#flushOldest()));
    } catch (error) {
      if (this.#closed) return;
      this.#settings.failed(error);
      this.#retryTimer = setTimeout(() => this.wake(), retryMs);
    }
  }

  /** False when there was nothing to flush. */
  async #flushOldest(): Promise<boolean> {
    const { committer, buffer, outputs } = this.#parts;
    const { sealed, lastXactId } = committer.state;
    const [generation] = sealed;
    if (generation === undefined) return false;
    const temporaryFile = path.join(
      this.#settings.temporaryDirectory,
      `flush-${generation.source}.parquet`,
    );
    const written = await (
      await this.#opened()
    ).use((connection) =>
      flushGeneration(connection, generation, lastXactId, { buffer, outputs, temporaryFile }),
    );
    await this.#settings.reached('segment-written');
    await this.#publish({
      flushed: [generation.source],
      replaced: [],
      outputs: written,
      upTo: lastXactId,
    });
    return true;
  }

  async #publish(publication: Publication): Promise<void> {
    const { committer, writer, outputs } = this.#parts;
    const written = publication.outputs.map(({ segment }) => segment);
    let stored = false;
    try {
      await committer.change(async (state) => {
        const change = await publish(writer, state, publication);
        stored = change !== null;
        return change;
      });
    } catch (error) {
      // It may be in the manifest by now; if it is not, the next start removes it.
      stored = error instanceof UnknownOutcomeError;
      throw error;
    } finally {
      if (!stored) await outputs.remove(written);
    }
    await this.#settings.reached('published');
    this.#retire(publication);
  }

  #retire({ flushed, replaced }: Publication): void {
    const { feed, retention } = this.#parts;
    const discard = () => {
      if (!this.#closed) void this.#queue.add(() => this.#discard(flushed, replaced));
    };
    feed.afterwards(() => retention.retire(discard));
  }

  // What is left over when this fails is removed at the next start.
  async #discard(flushed: readonly number[], replaced: Publication['replaced']): Promise<void> {
    const { buffer, feed, outputs } = this.#parts;
    const segments = replaced.map(({ source }) => source);
    try {
      await buffer.discard(flushed, segments);
      await feed.discard(flushed, segments);
      await outputs.remove(replaced);
    } catch (error) {
      if (!this.#closed) this.#settings.failed(error);
    }
  }

  #opened(): Promise<Database> {
    const { memoryMb, temporaryDirectory, segmentDirectory } = this.#settings;
    this.#database ??= Database.open(
      ':memory:',
      {
        memoryMb,
        threads: 1,
        temporaryDirectory: path.join(temporaryDirectory, 'maintenance'),
        allowedDirectories: [temporaryDirectory, segmentDirectory],
      },
      jsonFunctions(),
    );
    return this.#database;
  }
}
