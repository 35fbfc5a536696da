// Reads the files of all segments in the background and compares them with their checksums, so that damage is found before
// a request reads the file. Files without a checksum get the one that they have now.
import { setTimeout as delay } from 'node:timers/promises';
import type { Writer } from '../../duckdb/writer.js';
import type { CheckedFile, CheckedFiles } from '../segment/checked-files.js';
import type { FileChecksum } from '../segment/file-checksum.js';
import type { FileKind } from '../segment/segment-files.js';
import type { SegmentChecksums } from '../segment/segment.js';
import { recordChecksums } from './manifest.js';

export interface ScrubSettings {
  /** No more is read. */
  readonly bytesPerSecond: number;
  /** Milliseconds from the end of one round, which reads all files once, to the next. */
  readonly everyMs: number;
}

/** A processor is busy for 3 % of the time: 10 GB take 5 minutes. */
export const defaultScrub: ScrubSettings = {
  bytesPerSecond: 32 * 2 ** 20,
  everyMs: 7 * 24 * 60 * 60_000,
};

export class Scrub {
  readonly #settings: ScrubSettings;
  readonly #checked: CheckedFiles;
  readonly #writer: Writer;
  readonly #failed: (error: unknown) => void;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    settings: ScrubSettings,
    checked: CheckedFiles,
    writer: Writer,
    failed: (error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#checked = checked;
    this.#writer = writer;
    this.#failed = failed;
  }

  /** The first round leaves out what was read already. */
  start(): void {
    this.#running = this.#repeat().catch((error: unknown) => {
      if (!this.#closing.signal.aborted) this.#failed(error);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #repeat(): Promise<void> {
    await this.#compareSizes();
    await this.#round((file) => !this.#checked.isChecked(file) || !this.#checked.isRecorded(file));
    for (;;) {
      await this.#wait(this.#settings.everyMs);
      await this.#round(() => true);
    }
  }

  async #compareSizes(): Promise<void> {
    for (const file of this.#checked.all())
      if (this.#checked.isGoneOrResized(file)) await this.#checked.recheck(file);
  }

  async #round(isWanted: (file: CheckedFile) => boolean): Promise<void> {
    for (const files of bySegment(this.#checked.all().filter(isWanted))) {
      const checksums: Partial<Record<FileKind, FileChecksum>> = {};
      for (const file of files) {
        const checksum = await this.#checked.recheck(file, (bytes) => this.#pause(bytes));
        if (checksum !== null) checksums[file.kind] = checksum;
      }
      if (files.every((file) => file.kind in checksums && !this.#checked.isRecorded(file)))
        await this.#record(files, checksums);
    }
  }

  async #record(files: readonly CheckedFile[], checksums: SegmentChecksums): Promise<void> {
    const { segment } = files[0]!;
    await this.#writer.transaction((connection) => recordChecksums(connection, segment, checksums));
    this.#checked.expect(files, checksums);
  }

  #pause(bytes: number): Promise<void> {
    return this.#wait((1000 * bytes) / this.#settings.bytesPerSecond);
  }

  #wait(milliseconds: number): Promise<void> {
    return delay(milliseconds, undefined, { ref: false, signal: this.#closing.signal });
  }
}

function bySegment(files: readonly CheckedFile[]): Iterable<readonly CheckedFile[]> {
  const segments = new Map<number, CheckedFile[]>();
  for (const file of files) {
    const own = segments.get(file.segment.source);
    if (own === undefined) segments.set(file.segment.source, [file]);
    else own.push(file);
  }
  return segments.values();
}
