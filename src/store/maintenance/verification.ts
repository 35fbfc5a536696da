// Verifies the checksums of all segment files in the background, so that damage is found before a request needs the file.
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckedFile, CheckedFiles } from '../segment/checked-files.js';

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
  readonly #failed: (error: unknown) => void;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    settings: VerificationSettings,
    checked: CheckedFiles,
    failed: (error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#checked = checked;
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
    await this.#round((file) => !this.#checked.isChecked(file));
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
    for (const file of this.#checked.all().filter(isWanted))
      await this.#checked
        .recheck(file, (bytes) => this.#pause(bytes))
        .catch((error: unknown) => this.#report(error));
  }

  /** The next round tries again. */
  #report(error: unknown): void {
    if (this.#closing.signal.aborted) throw error;
    this.#failed(error);
  }

  #pause(bytes: number): Promise<void> {
    return this.#wait((1000 * bytes) / this.#settings.bytesPerSecond);
  }

  #wait(milliseconds: number): Promise<void> {
    return delay(milliseconds, undefined, { ref: false, signal: this.#closing.signal });
  }
}
