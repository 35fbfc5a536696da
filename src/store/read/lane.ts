// Lets so many reads run at once, so many wait, and each for so long; says in words which budget was over.
import PQueue from 'p-queue';
import type { Connection } from '../../duckdb/connection.js';
import { isEngineError } from '../../duckdb/engine-error.js';
import { badRequest, tooManyRequests, unavailable } from '../../errors.js';
import { damagedSegment } from '../segment/damaged-segment.js';

export interface LaneSettings {
  readonly concurrency: number;
  /** Reads that may wait for their turn; the next one is refused. */
  readonly waitingMax: number;
  readonly timeoutMs: number;
  /** The reader's budget, for the text of the error. */
  readonly memoryMb: number;
}

const interruptEveryMs = 20;

const narrowing = 'narrow it with a filter, fewer sources, fewer columns or a limit';

export class Lane {
  readonly #settings: LaneSettings;
  readonly #queue: PQueue;
  #waiting = 0;

  constructor(settings: LaneSettings) {
    this.#settings = settings;
    this.#queue = new PQueue({ concurrency: settings.concurrency });
  }

  /**
   * Waits for a turn.
   * @returns the function that ends it
   * @throws RequestError 429 when too many wait already, the signal's reason when it is aborted
   */
  async turn(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#waiting >= this.#settings.waitingMax && this.#busy) throw this.#overflow();
    this.#waiting += 1;
    try {
      return await new Promise<() => void>((resolve, reject) => {
        const abort = () => reject(signal?.reason as Error);
        signal?.addEventListener('abort', abort, { once: true });
        void this.#queue.add(async () => {
          signal?.removeEventListener('abort', abort);
          if (!signal?.aborted) await new Promise<void>(resolve);
        });
      });
    } finally {
      this.#waiting -= 1;
    }
  }

  /**
   * Runs one piece of engine work within the time budget; `signal` and the end of the budget interrupt it.
   * @throws RequestError 400 when a budget is over
   */
  async run<T>(
    connection: Pick<Connection, 'interrupt'>,
    work: () => Promise<T>,
    deadline: Deadline,
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    // Repeated, because an interrupt is lost on a statement that still waits for a thread.
    let repeated: NodeJS.Timeout | undefined;
    const interrupt = () => {
      connection.interrupt();
      repeated ??= setInterval(interrupt, interruptEveryMs);
    };
    const timer = setTimeout(interrupt, deadline.remainingMs);
    signal?.addEventListener('abort', interrupt, { once: true });
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#inWords(error);
    } finally {
      clearTimeout(timer);
      clearInterval(repeated);
      signal?.removeEventListener('abort', interrupt);
      deadline.remainingMs -= performance.now() - started;
    }
  }

  /** A fresh time budget; only the engine's work uses it up, not a slow consumer. */
  deadline(): Deadline {
    return { remainingMs: this.#settings.timeoutMs };
  }

  get #busy(): boolean {
    return this.#queue.pending >= this.#settings.concurrency;
  }

  #overflow(): Error {
    const { waitingMax, timeoutMs } = this.#settings;
    return tooManyRequests(
      `${waitingMax} queries are waiting already, try again later`,
      Math.min(5, Math.ceil(timeoutMs / 1000)),
    );
  }

  #inWords(error: unknown): unknown {
    const { timeoutMs, memoryMb } = this.#settings;
    if (isEngineError(error, 'interrupted'))
      return badRequest(
        `the query exceeded its time budget of ${timeoutMs / 1000} s: ${narrowing}`,
      );
    if (isEngineError(error, 'memory'))
      return badRequest(`the query exceeded the memory budget of ${memoryMb} MB: ${narrowing}`);
    if (isEngineError(error, 'complexity'))
      return badRequest(
        'the query holds an expression that is nested too deeply or a pattern that is too long',
      );
    const damaged = damagedSegment(error);
    if (damaged !== null) return damaged;
    if (isEngineError(error, 'storage'))
      return unavailable('the storage for temporary data is full or cannot be written');
    return error;
  }
}

export interface Deadline {
  remainingMs: number;
}
