// Copies the files of published segments to the bucket, and removes the objects of dropped ones, in the background: nothing else waits
// for the bucket.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestError, unavailable } from '../../errors.js';
import type { AfterPublication } from '../maintenance/publisher.js';
import type { StoreState } from '../manifest/store-state.js';
import { readUploaded, setUploaded } from '../manifest/uploads.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { Segment } from '../segment/segment.js';
import type { Publication } from '../maintenance/publish.js';
import type { SegmentName } from '../segment/segment-files.js';
import type { Tables } from '../iceberg/tables.js';
import { ManifestCopies, type CopyDeps } from './copies.js';
import { DroppedObjects, type DroppedDeps } from './dropped-objects.js';
import { objectKey } from './objects.js';
import { NotOwner, requireOwner, takeOver } from './owner.js';

export interface BucketTimes {
  /** After a failure; it doubles with each further one. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** How long a start waits for the bucket. */
  readonly startMs: number;
  /** See `CopyDeps`. */
  readonly copyMs: number;
  /** The least time between two snapshots of a table, and between two that queries ask for. */
  readonly tableMs: number;
}

export const defaultBucketTimes: BucketTimes = {
  retryMs: 5_000,
  retryMsMax: 600_000,
  startMs: 10_000,
  copyMs: 60_000,
  tableMs: 5_000,
};

/** A segment whose files are all in the bucket. */
export interface UploadedSegment {
  readonly segment: Segment;
  /** The key of the row file, without the prefix of the bucket. */
  readonly key: string;
}

export interface UploadState {
  /** The address of the bucket. */
  readonly name: string;
  readonly uploaded: number;
  readonly pending: { readonly segments: number; readonly bytes: number };
  /** Dropped segments whose objects are still there. */
  readonly removing: number;
  /** Since the start. */
  readonly failures: number;
  /** Of the last attempt; null if it succeeded. */
  readonly failure: string | null;
  /** The end of the last upload in milliseconds since 1970; null if there was none since the start. */
  readonly uploadedAt: number | null;
  /** The last copy of the manifest since the start, in milliseconds since 1970. */
  readonly copiedAt: number | null;
}

export interface UploadDeps extends DroppedDeps, CopyDeps {
  readonly checked: CheckedFiles;
  /** See `takeOver`. */
  readonly passNumber: (source: number) => boolean;
  readonly committed: () => StoreState;
  /** Called with the first failure of several in a row, and once if this process may not write to the bucket. */
  readonly failed: (error: unknown) => void;
  readonly times: BucketTimes;
}

const bytesOf = ({ checksums }: Segment): number =>
  Object.values(checksums).reduce((sum, { bytes }) => sum + bytes, 0);

export class Uploads implements AfterPublication {
  readonly #parts: UploadDeps;
  readonly #instance = randomUUID();
  /** The numbers of the segments that the manifest has as uploaded. */
  readonly #uploaded = new Set<number>();
  readonly #dropped: DroppedObjects;
  readonly #copies: ManifestCopies;
  readonly #listeners: (() => void)[] = [];
  #isOpen = false;
  #isOwner = false;
  /** Whether objects that are there may be those of another process. */
  #verifies = false;
  #refusal: NotOwner | null = null;
  #failures = 0;
  #failuresInRow = 0;
  #failure: string | null = null;
  #uploadedAt: number | null = null;
  #running: Promise<void> | undefined;
  #isAgain = false;
  #timer: NodeJS.Timeout | undefined;
  #tablesTimer: NodeJS.Timeout | undefined;
  readonly #copyTimer: NodeJS.Timeout;
  #closed = false;

  private constructor(parts: UploadDeps) {
    this.#parts = parts;
    this.#copies = new ManifestCopies(parts);
    this.#dropped = new DroppedObjects(parts, this.#copies);
    this.#copyTimer = setInterval(() => {
      if (this.#copies.isDue) this.schedule();
    }, parts.times.copyMs).unref();
  }

  /**
   * Takes over the bucket and begins to upload. If the bucket does not answer in time, that is tried again later.
   * @throws NotOwner
   */
  static async open(parts: UploadDeps): Promise<Uploads> {
    const uploads = new Uploads(parts);
    await uploads.#dropped.load();
    for (const source of await readUploaded(parts.writer)) uploads.#uploaded.add(source);
    uploads.schedule();
    const late = delay(parts.times.startMs, undefined, { ref: false });
    await Promise.race([uploads.#running, late]);
    if (uploads.#refusal === null) {
      uploads.#isOpen = true;
      return uploads;
    }
    await uploads.close();
    throw uploads.#refusal;
  }

  /** Begins a round, unless the bucket failed a moment ago. */
  schedule(): void {
    if (this.#closed || this.#refusal !== null || this.#timer !== undefined) return;
    this.#isAgain = this.#running !== undefined;
    this.#running ??= this.#attempt().finally(() => {
      this.#running = undefined;
      if (this.#isAgain) this.schedule();
    });
  }

  published(publication: Publication): void {
    this.#parts.tables?.published(publication);
    this.schedule();
  }

  dropped(segments: readonly SegmentName[]): Promise<void> {
    this.#dropped.add(segments);
    this.schedule();
    return Promise.resolve();
  }

  removed(): Promise<void> {
    const removed = this.#dropped.removed();
    this.schedule();
    return removed;
  }

  /** Resolves when nothing is left to do, or the bucket fails. */
  async idle(): Promise<void> {
    this.#parts.tables?.hurry();
    this.#copies.hurry();
    this.schedule();
    while (this.#running !== undefined) await this.#running;
  }

  /** The round that runs. */
  get round(): Promise<void> | undefined {
    return this.#running;
  }

  /** Calls `listener` after each segment that was uploaded. */
  onUploaded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get tables(): Tables | null {
    return this.#parts.tables;
  }

  isUploaded(source: number): boolean {
    return this.#uploaded.has(source);
  }

  /** The segments of the current state that are in the bucket, in its order. */
  get uploaded(): readonly UploadedSegment[] {
    const { files, committed } = this.#parts;
    return committed()
      .segments.filter(({ source }) => this.#uploaded.has(source))
      .map((segment) => ({ segment, key: objectKey(segment, files.rows(segment)) }));
  }

  get state(): UploadState {
    const pending = this.#pending();
    return {
      name: this.#parts.bucket.name,
      uploaded: this.uploaded.length,
      pending: {
        segments: pending.length,
        bytes: pending.reduce((sum, segment) => sum + bytesOf(segment), 0),
      },
      removing: this.#dropped.count,
      failures: this.#failures,
      failure: this.#failure,
      uploadedAt: this.#uploadedAt,
      copiedAt: this.#copies.copiedAt,
    };
  }

  /** @throws RequestError 503 if another server took over the bucket */
  requireOwner(): void {
    if (this.#refusal !== null) throw unavailable(this.#refusal.message);
  }

  /** Ends the upload that runs. The next start repeats it. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#tablesTimer);
    clearInterval(this.#copyTimer);
    this.#parts.bucket.close();
    await this.#running;
  }

  async #attempt(): Promise<void> {
    try {
      await this.#round();
      this.#failuresInRow = 0;
      this.#failure = null;
    } catch (error) {
      if (!this.#closed) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { failed, times } = this.#parts;
    this.#failures += 1;
    this.#failure = (error as Error).message;
    this.#failuresInRow += 1;
    if (error instanceof NotOwner) {
      this.#refusal = error;
      // Before that, the start is refused.
      if (this.#isOpen) failed(error);
      return;
    }
    if (this.#failuresInRow === 1) failed(error);
    const waitMs = Math.min(times.retryMsMax, times.retryMs * 2 ** (this.#failuresInRow - 1));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.schedule();
    }, waitMs).unref();
  }

  async #round(): Promise<void> {
    await this.#own();
    let damage: unknown;
    const skipped = new Set<number>();
    for (;;) {
      const segment = this.#pending().find(({ source }) => !skipped.has(source));
      if (segment === undefined || this.#closed) break;
      await this.#upload(segment).catch((error: unknown) => {
        const isDropped = !this.#pending().includes(segment);
        // Of a damaged file. The others can be uploaded.
        if (!isDropped && !(error instanceof RequestError)) throw error;
        skipped.add(segment.source);
        if (!isDropped) damage = error;
      });
    }
    await this.#publishTables().catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      damage ??= error;
    });
    if (this.#closed) return;
    if (this.#dropped.isAwaited) this.#copies.hurry();
    if (this.#copies.isDue) await this.#copies.copy((source) => this.#uploaded.has(source));
    await this.#dropped.remove((source) => this.#uploaded.delete(source));
    if (damage !== undefined) throw damage;
  }

  async #own(): Promise<void> {
    const { bucket, writer, passNumber, reached, tables } = this.#parts;
    if (this.#isOwner) {
      await requireOwner(bucket, this.#instance);
      return;
    }
    if (!(await takeOver(bucket, writer, this.#instance, passNumber))) {
      this.#verifies = true;
      this.#uploaded.clear();
      await this.#dropped.load();
      tables?.distrust();
    }
    this.#isOwner = true;
    await reached('owner-known');
  }

  #pending(): readonly Segment[] {
    return this.#parts.committed().segments.filter(({ source }) => !this.#uploaded.has(source));
  }

  /** The row file is last, and by far the largest. */
  async #upload(segment: Segment): Promise<void> {
    const { files, writer, reached } = this.#parts;
    for (const { kind, file } of files.of(segment)) {
      await this.#copy(segment, kind, file);
      await reached('object-stored');
    }
    await reached('objects-stored');
    await setUploaded(writer, segment);
    this.#uploaded.add(segment.source);
    this.#uploadedAt = Date.now();
    await reached('segment-uploaded');
    for (const listener of this.#listeners) listener();
  }

  /** @throws RequestError 503 for a damaged file, BucketError */
  async #copy(segment: Segment, kind: keyof Segment['checksums'], file: string): Promise<void> {
    const { bucket, checked } = this.#parts;
    const expected = segment.checksums[kind]!;
    const key = objectKey(segment, file);
    if (this.#verifies) {
      const there = await bucket.head(key);
      if (there?.bytes === expected.bytes && there.crc32 === expected.crc32) return;
    }
    await checked.checkFiles([file]);
    await bucket.put(key, { ...expected, open: () => createReadStream(file) });
  }

  async #publishTables(): Promise<void> {
    const { tables } = this.#parts;
    if (tables === null || this.#closed) return;
    const waitMs = await tables.publish(() => this.uploaded);
    clearTimeout(this.#tablesTimer);
    if (waitMs !== null) this.#tablesTimer = setTimeout(() => this.schedule(), waitMs).unref();
  }
}
