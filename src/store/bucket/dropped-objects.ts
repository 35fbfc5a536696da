// The objects of segments that the manifest dropped: they leave the bucket when no copy of the manifest lists them, and no table shows
// them.
import type { Writer } from '../../duckdb/writer.js';
import type { SyncPointHook } from '../file/sync-point.js';
import type { Tables } from '../iceberg/tables.js';
import { forgetDroppedSegments, readDroppedSegments } from '../manifest/segments.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import type { ManifestCopies } from './copies.js';
import { objectKey, type Bucket } from './objects.js';

export interface DroppedDeps {
  readonly bucket: Bucket;
  readonly writer: Writer;
  readonly files: SegmentFiles;
  /** They follow the segments; null for none. */
  readonly tables: Tables | null;
  readonly reached: SyncPointHook;
}

export class DroppedObjects {
  readonly #parts: DroppedDeps;
  readonly #copies: Pick<ManifestCopies, 'lists' | 'removeOlder'>;
  #dropped: SegmentName[] = [];
  #waiting: (() => void)[] = [];

  constructor(parts: DroppedDeps, copies: Pick<ManifestCopies, 'lists' | 'removeOlder'>) {
    this.#parts = parts;
    this.#copies = copies;
  }

  get count(): number {
    return this.#dropped.length;
  }

  /** Reads them from the manifest. */
  async load(): Promise<void> {
    this.#dropped = [...(await readDroppedSegments(this.#parts.writer))];
  }

  add(segments: readonly SegmentName[]): void {
    this.#dropped.push(...segments);
  }

  /** Resolves when those that were added until now are removed. */
  removed(): Promise<void> {
    if (this.#dropped.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Whether a removal of events waits for a segment that the newest copy of the manifest lists. */
  get isAwaited(): boolean {
    return (
      this.#waiting.length > 0 && this.#dropped.some(({ source }) => this.#copies.lists(source))
    );
  }

  /** @param left called with the number of each segment whose objects were removed */
  async remove(left: (source: number) => void): Promise<void> {
    const { bucket, files, writer, reached, tables } = this.#parts;
    const dropped = this.#dropped.filter(
      (segment) => !this.#copies.lists(segment.source) && tables?.holds(segment) !== true,
    );
    if (dropped.length > 0) await this.#copies.removeOlder();
    for (const segment of dropped) {
      for (const file of files.every(segment)) {
        await bucket.delete(objectKey(segment, file));
        await reached('object-removed');
      }
      left(segment.source);
    }
    await reached('objects-removed');
    await forgetDroppedSegments(writer, dropped);
    this.#dropped = this.#dropped.filter((each) => !dropped.includes(each));
    if (this.#dropped.every((segment) => this.#isHeld(segment)))
      for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Whether a snapshot of a table needs the segment, and will need it for a while. */
  #isHeld(segment: SegmentName): boolean {
    const { tables } = this.#parts;
    return (
      tables?.holds(segment) === true &&
      !tables.isForgetting(segment.projectId) &&
      !this.#copies.lists(segment.source)
    );
  }
}
