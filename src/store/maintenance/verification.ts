// Verifies the checksums of all segment files in the background, so that damage is found before a request needs the file.
// Records checksums for files that have none.
import { setTimeout as delay } from 'node:timers/promises';
import type { Writer } from '../../duckdb/writer.js';
import { groupBy } from '../row/group-by.js';
import type { CheckedFile, CheckedFiles } from '../segment/checked-files.js';
import type { FileChecksum } from '../segment/file-checksum.js';
import type { FileKind } from '../segment/segment.js';
import type { SegmentChecksums } from '../segment/segment.js';
import { recordChecksums } from '../manifest/segments.js';

export interface VerificationSettings {
  /** The limit on reads. */
  readonly bytesPerSecond: number;
  /** Milliseconds between two rounds. A round reads all files once. */
  readonly everyMs: number;
}

/** Takes 3 % of a processor; 10 GB take 5 minutes. */
export const defaultVerification: VerificationSettings = {
  bytesPerSecond: 32 * 2 ** 20,
  everyMs: 7 * 24 * 60 * 60_000,
};

export class Verification {
  readonly #settings: VerificationSettings;
  readonly #checked: CheckedFiles;
  readonly #writer: Writer;
  readonly #failed: (error: unknown) => void;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    settings: VerificationSettings,
    checked: CheckedFiles,
    writer: Writer,
    failed: (error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#checked = checked;
    this.#writer = writer;
    this.#failed = failed;
  }

  /** Starts the rounds. The first one skips files that were verified already. */
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
      if (this.#checked.isGoneOrResized(file))
        await this.#checked.recheck(file).catch((error: unknown) => this.#report(error));
  }

  async #round(isWanted: (file: CheckedFile) => boolean): Promise<void> {
    for (const files of bySegment(this.#checked.all().filter(isWanted)))
      await this.#verify(files).catch((error: unknown) => this.#report(error));
  }

  /** Verifies the files of a segment. */
  async #verify(files: readonly CheckedFile[]): Promise<void> {
    const checksums: Partial<Record<FileKind, FileChecksum>> = {};
    for (const file of files) {
      const checksum = await this.#checked.recheck(file, (bytes) => this.#pause(bytes));
      if (checksum !== null) checksums[file.kind] = checksum;
    }
    if (files.every((file) => file.kind in checksums && !this.#checked.isRecorded(file)))
      await this.#record(files, checksums);
  }

  /** The next round tries again. */
  #report(error: unknown): void {
    if (this.#closing.signal.aborted) throw error;
    this.#failed(error);
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

const bySegment = (files: readonly CheckedFile[]): Iterable<readonly CheckedFile[]> =>
  groupBy(files, ({ segment }) => segment.source).values();
