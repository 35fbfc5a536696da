// A background job that runs until it has nothing left to do. After a failure it runs again later.
import PQueue from 'p-queue';

const retryMs = 5_000;

export class BackgroundJob {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #round: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `round` does one step and returns whether there may be another one. */
  constructor(round: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#round = round;
    this.#failed = failed;
  }

  /** Runs the job until nothing is left to do. */
  schedule(): void {
    if (!this.#closed && this.#queue.size === 0) void this.#queue.add(() => this.#attempt());
  }

  scheduleIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.schedule(), milliseconds).unref();
  }

  /** Waits until the job is idle. A retry after a failure is not waited for. */
  async idle(): Promise<void> {
    await this.#queue.onIdle();
  }

  /** Starts no further step. */
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
      this.scheduleIn(retryMs);
    }
  }
}
