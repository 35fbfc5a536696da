// Copies of `meta.duckdb` in the bucket, so that a restore finds what the segments there are. A copy lists only segments that are there.
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isEngineError } from '../../duckdb/engine-error.js';
import type { Writer } from '../../duckdb/writer.js';
import { xactMs } from '../../schema/xact-id.js';
import type { Committer } from '../commit/committer.js';
import type { SyncPointHook } from '../file/sync-point.js';
import { flushedUpTo, type StoreState } from '../manifest/store-state.js';
import { readOwner } from '../manifest/uploads.js';
import { checksumOf } from '../segment/file-checksum.js';
import { latestCopyOf, latestKey, manifestCopies } from './latest-copy.js';
import type { Bucket } from './objects.js';
import { writeJson } from './owner.js';

/** So many copies stay. */
const keptMax = 3;

/** No checkpoint can be made while others read an older state of the database, which takes milliseconds. */
const attempts = 20;
const pauseMs = 100;

export interface CopyDeps {
  readonly bucket: Bucket;
  readonly writer: Writer;
  readonly committer: Pick<Committer, 'change' | 'state'>;
  readonly temporaryDirectory: string;
  readonly reached: SyncPointHook;
  readonly times: {
    /** The least time between two copies, unless a removal of events waits. */
    readonly copyMs: number;
  };
}

/** Of the newest copy. */
interface Copied {
  /** Of the database. */
  readonly transactions: bigint;
  /** The numbers of its segments. */
  readonly sources: ReadonlySet<number>;
  /** By `performance.now`. */
  readonly at: number;
}

/** What was acknowledged until then is in segments; in milliseconds since 1970. */
function completeUntil(state: StoreState): number {
  const hasBuffered = [...state.sealed, state.active].some(({ rowCount }) => rowCount > 0);
  return hasBuffered ? xactMs(flushedUpTo(state)) : Date.now();
}

const transactionsOf = (key: string): number => Number(/(\d+)-\w+\.duckdb$/.exec(key)?.[1] ?? 0);

export class ManifestCopies {
  readonly #parts: CopyDeps;
  #newest: Copied | null = null;
  #isHurried = false;
  /** The keys of the copies that are there, the oldest first; null before the first one of this process. */
  #kept: string[] | null = null;
  /** The time of the last copy since the start, in milliseconds since 1970. */
  copiedAt: number | null = null;

  constructor(parts: CopyDeps) {
    this.#parts = parts;
  }

  /** The next copy does not wait for its time. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Whether the database was written to since the newest copy, and it is time for another one. */
  get isDue(): boolean {
    const { writer, times } = this.#parts;
    if (this.#newest === null) return true;
    if (writer.transactions === this.#newest.transactions) return false;
    return this.#isHurried || performance.now() - this.#newest.at >= times.copyMs;
  }

  /** Whether the newest copy may list the segment. */
  lists(source: number): boolean {
    return this.#newest?.sources.has(source) ?? true;
  }

  /**
   * Does nothing unless all segments of the committed state are there.
   * @throws BucketError
   */
  async copy(isThere: (source: number) => boolean): Promise<void> {
    const { bucket, writer, temporaryDirectory, reached } = this.#parts;
    const file = path.join(temporaryDirectory, 'manifest-copy.duckdb');
    try {
      await rm(file, { force: true });
      const copied = await this.#tryCopy(file, isThere);
      if (copied === null) return;
      const { state, time, transactions } = copied;
      const content = await checksumOf(file);
      // A restored store counts again from what it was restored from.
      const key = `${manifestCopies}${transactions}-${content.crc32.toString(16).padStart(8, '0')}.duckdb`;
      this.#kept ??= await this.#found();
      await bucket.put(key, { ...content, open: () => createReadStream(file) });
      await reached('manifest-copied');
      const latest = latestCopyOf({
        store: (await readOwner(writer)).storeId,
        key,
        ...content,
        transaction: String(flushedUpTo(state)),
        time: new Date(time).toISOString(),
      });
      // Until that is known to have succeeded, any segment may be listed.
      this.#newest = null;
      await writeJson(bucket, latestKey, latest);
      await reached('latest-written');
      this.#kept = [...this.#kept.filter((each) => each !== key), key];
      const sources = new Set(state.segments.map(({ source }) => source));
      this.#newest = { transactions, sources, at: performance.now() };
      this.#isHurried = false;
      this.copiedAt = Date.now();
      await this.#keep(keptMax);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Removes the copies but the newest: objects that they list are about to go. */
  removeOlder(): Promise<void> {
    return this.#keep(1);
  }

  async #tryCopy(file: string, isThere: (source: number) => boolean) {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#copyTo(file, isThere);
      } catch (error) {
        if (attempt === attempts || !isEngineError(error, 'other')) throw error;
        await delay(pauseMs);
      }
  }

  async #copyTo(file: string, isThere: (source: number) => boolean) {
    const { committer, writer } = this.#parts;
    const isComplete = ({ segments }: StoreState) =>
      segments.every(({ source }) => isThere(source));
    if (!isComplete(committer.state)) return null;
    // Most of the work of the next one, for which inserts wait.
    await writer.checkpoint();
    const copies: { state: StoreState; time: number; transactions: bigint }[] = [];
    await committer.change(async (state) => {
      if (!isComplete(state)) return null;
      const time = completeUntil(state);
      copies.push({ state, time, transactions: await writer.copyTo(file) });
      return null;
    });
    return copies[0] ?? null;
  }

  /** Those of earlier processes. */
  async #found(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.#parts.bucket.list(manifestCopies))
      if (key !== latestKey) keys.push(key);
    return keys.sort((a, b) => transactionsOf(a) - transactionsOf(b));
  }

  async #keep(count: number): Promise<void> {
    const kept = this.#kept ?? [];
    while (kept.length > count) {
      await this.#parts.bucket.delete(kept[0]!);
      kept.shift();
    }
  }
}
