// Keeps the files of segments on the disk below a size: removes those that are in the bucket, row files first, then narrow files, the
// least recently used first. A file stays while a snapshot that was taken before its removal was decided reads it, and if a
// statement has needed it since.
import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Reclamation } from '../file/reclamation.js';
import type { SyncPointHook } from '../file/sync-point.js';
import type { CheckedFile, CheckedFiles } from '../segment/checked-files.js';
import { writeGroupSums } from '../segment/group-sums.js';
import type { SegmentFiles } from '../segment/segment-files.js';

export interface EvictionDeps {
  /** In bytes; 0 for no limit. */
  readonly cacheBytes: number;
  readonly files: SegmentFiles;
  readonly checked: CheckedFiles;
  readonly reclamation: Reclamation;
  /** Whether all files of the segment are in the bucket, by its number. */
  readonly isUploaded: (source: number) => boolean;
  readonly reached: SyncPointHook;
  readonly failed: (error: unknown) => void;
}

interface LocalFile {
  readonly file: CheckedFile;
  readonly bytes: number;
}

/** The index stays: inserts and look-ups need it, and it is small. */
const evicted: ReadonlySet<string> = new Set(['parquet', 'narrow', 'ended']);

const rankOf = ({ kind }: CheckedFile): number => (kind === 'parquet' ? 0 : 1);

export class Eviction {
  readonly #parts: EvictionDeps;
  #running: Promise<void> | undefined;
  #isAgain = false;
  #closed = false;

  constructor(parts: EvictionDeps) {
    this.#parts = parts;
  }

  /** Called when files were added. */
  schedule(): void {
    if (this.#parts.cacheBytes === 0 || this.#closed) return;
    this.#isAgain = this.#running !== undefined;
    this.#running ??= this.#evict()
      .catch((error: unknown) => {
        if (!this.#closed) this.#parts.failed(error);
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#isAgain) this.schedule();
      });
  }

  /** Does not wait for files that are read. */
  async idle(): Promise<void> {
    this.schedule();
    while (this.#running !== undefined) await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #evict(): Promise<void> {
    const { cacheBytes, checked, isUploaded } = this.#parts;
    const local = await this.#local();
    let over = local.reduce((sum, { bytes }) => sum + bytes, 0) - cacheBytes;
    if (over <= 0) return;
    const usedAt = new Map(local.map(({ file }) => [file, checked.usedAt(file)]));
    const removable = local
      .filter(({ file }) => evicted.has(file.kind) && isUploaded(file.segment.source))
      .filter(({ file }) => usedAt.get(file) !== Infinity)
      .sort((a, b) => rankOf(a.file) - rankOf(b.file) || usedAt.get(a.file)! - usedAt.get(b.file)!);
    for (const { file, bytes } of removable) {
      if (over <= 0 || this.#closed) return;
      await this.#remove(file, usedAt.get(file)!);
      over -= bytes;
    }
  }

  async #local(): Promise<readonly LocalFile[]> {
    const found: LocalFile[] = [];
    for (const file of this.#parts.checked.all()) {
      const state = await stat(file.path).catch(() => null);
      if (state !== null) found.push({ file, bytes: state.size });
    }
    return found;
  }

  /** In one turn of the event loop with the last look at who needs it. */
  async #remove(file: CheckedFile, used: number): Promise<void> {
    const { files, checked, reclamation, isUploaded, reached, failed } = this.#parts;
    const { segment, kind } = file;
    if (kind === 'parquet') await writeGroupSums(file.path, files.groupSums(segment));
    // The segment may have been removed meanwhile.
    if (!checked.isKnown(file)) rmSync(files.groupSums(segment), { force: true });
    await reached('eviction-begun');
    reclamation.retire(() => {
      if (this.#closed || checked.usedAt(file) !== used || !isUploaded(segment.source)) return;
      try {
        rmSync(file.path, { force: true });
      } catch (error) {
        failed(error);
      }
    });
    await reached('file-evicted');
  }
}
