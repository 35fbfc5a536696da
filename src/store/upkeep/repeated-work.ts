// A piece of background work that is done again and again until nothing is left; after a failure, again later.
import PQueue from 'p-queue';

const retryMs = 5_000;

export class RepeatedWork {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #round: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `round` does one step and says whether there may be another one. */
  constructor(round: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#round = round;
    this.#failed = failed;
  }

  /** Asks for everything that is to be done by now. */
  wake(): void {
    if (!this.#closed && this.#queue.size === 0) void this.#queue.add(() => this.#attempt());
  }

  wakeIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), milliseconds).unref();
  }

  /** Waits until nothing is left to do; what failed is not tried again before its time. */
  async idle(): Promise<void> {
    await this.#queue.onIdle();
  }

  /** Begins nothing more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #attempt(): Promise<void> {
    try {
      while (!this.#closed && (await this.#round()));
    } catch (error) {
      if (this.#closed) return;
      this.#failed(error);
      this.wakeIn(retryMs);
    }
  }
}
