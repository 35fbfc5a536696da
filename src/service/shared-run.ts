// Work for whose result several requests wait. It runs once, and is aborted when none of them waits any longer.

interface Run<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export class SharedRun<T> {
  #run: Run<T> | null = null;

  /** Whether the work runs or has succeeded. */
  get hasRun(): boolean {
    return this.#run !== null;
  }

  /**
   * The result of the work, which begins unless it runs or has succeeded.
   * @param signal of the request that waits
   * @throws what `work` throws, to all who wait; the next request begins it again
   */
  async get(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const run = (this.#run ??= this.#begin(work));
    const leave = () => this.#leave(run);
    run.waiting += 1;
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await run.result;
    } finally {
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) run.waiting -= 1;
    }
  }

  #begin(work: (signal: AbortSignal) => Promise<T>): Run<T> {
    const controller = new AbortController();
    const result = work(controller.signal);
    const run = { result, controller, waiting: 0 };
    result.catch(() => this.#forget(run));
    return run;
  }

  #leave(run: Run<T>): void {
    run.waiting -= 1;
    if (run.waiting > 0) return;
    run.controller.abort();
    this.#forget(run);
  }

  #forget(run: Run<T>): void {
    if (this.#run === run) this.#run = null;
  }
}
