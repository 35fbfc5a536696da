// The face of the store: events go in durably, snapshots come out; everything else in this folder is behind it.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Writer } from '../duckdb/writer.js';
import { Committer } from './committer.js';
import type { IncomingBatch } from './insert-request.js';
import { Lane } from './lane.js';
import { ReaderFeed } from './reader-feed.js';
import { Snapshot, type LaneName } from './snapshot.js';
import { WriteBuffer } from './write-buffer.js';

export { Snapshot, type LaneName, type ReadOptions } from './snapshot.js';
export type { ExportedFile, QueryResult } from './query-result.js';
export type { IncomingBatch } from './insert-request.js';

export interface EventStoreOptions {
  readonly dataDirectory: string;
  readonly queryMemoryMb: number;
  readonly queryThreads: number;
  readonly queryTimeoutMs: number;
  /** Queries that run at once. */
  readonly queryConcurrency: number;
  /** Queries that may wait beyond those. */
  readonly queryQueueLength: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Inserted {
  readonly xactId: bigint;
  /** Per batch, the ids of its events in their order. */
  readonly rowIds: string[][];
}

/** Pages and the like are short: more of them at once, and a long queue. */
const lookupConcurrency = 8;
const lookupQueueLength = 10_000;

function openLanes(options: EventStoreOptions): Readonly<Record<LaneName, Lane>> {
  const budget = { timeoutMs: options.queryTimeoutMs, memoryMb: options.queryMemoryMb };
  return {
    query: new Lane({
      ...budget,
      concurrency: options.queryConcurrency,
      waitingMax: options.queryQueueLength,
    }),
    lookup: new Lane({
      ...budget,
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

export class EventStore {
  readonly #committer: Committer;
  readonly #feed: ReaderFeed;
  readonly #lanes: Readonly<Record<LaneName, Lane>>;

  private constructor(
    committer: Committer,
    feed: ReaderFeed,
    lanes: Readonly<Record<LaneName, Lane>>,
  ) {
    this.#committer = committer;
    this.#feed = feed;
    this.#lanes = lanes;
  }

  /** The writer stays the caller's, who closes it after the store. */
  static async open(writer: Writer, options: EventStoreOptions): Promise<EventStore> {
    const temporaryDirectory = path.resolve(options.dataDirectory, 'tmp');
    await emptyTemporaryDirectory(temporaryDirectory);
    const buffer = await WriteBuffer.open(writer);
    const { state, index } = await buffer.load();
    const reader = {
      memoryMb: options.queryMemoryMb,
      threads: options.queryThreads,
      temporaryDirectory,
    };
    const feed = await ReaderFeed.open(reader, buffer, state);
    const hooks = {
      buffer,
      now: options.now ?? Date.now,
      committed: feed.push.bind(feed),
      reloaded: feed.forget.bind(feed),
    };
    return new EventStore(new Committer(hooks, state, index), feed, openLanes(options));
  }

  /**
   * Stores the events of all batches under one transaction id, all or none; on disk when it resolves,
   * and in every snapshot taken after that.
   * @throws RequestError 400 for an unknown parent, 503 when the disk is full or cannot be written
   */
  async insert(batches: readonly IncomingBatch[]): Promise<Inserted> {
    const xactId = await this.#committer.insert(batches);
    return { xactId, rowIds: batches.map(({ events }) => events.map(({ id }) => id)) };
  }

  /** The events as of `version`, or as of now. The caller releases it. */
  async snapshot(version?: bigint): Promise<Snapshot> {
    return new Snapshot(await this.#feed.current(), this.#lanes, version);
  }

  /** Finishes the inserts that wait; snapshots that are still open keep the reader until their release. */
  async close(): Promise<void> {
    await this.#committer.close();
    await this.#feed.close();
  }
}
