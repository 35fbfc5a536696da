// A queue of reads with limits on concurrency, waiting reads, and engine time per read. It maps engine errors to the
// budget that was exceeded.
import type { Connection } from '../../../duckdb/connection.js';
import { EngineError, isEngineError } from '../../../duckdb/engine-error.js';
import {
  badRequest,
  narrowing,
  shortageIn,
  temporaryFull,
  timeExceeded,
  tooManyRequests,
} from '../../../errors.js';
import type { ReadSize } from './reader.js';
import { FairQueue, type QueueLimits } from '../../../fair-queue.js';

export interface ReadQueueSettings extends QueueLimits {
  /** The reader's instance for its reads. */
  readonly size: ReadSize;
  readonly timeoutMs: number;
  /** The memory limit of the reader, for error messages. */
  readonly memoryMb: number;
}

const interruptEveryMs = 20;

/** Work that still runs this long after its first interrupt is abandoned. */
const interruptedMsMax = 1500;

/** Thrown when a read exceeds the memory for small reads; the caller runs it again in another queue. */
export class TooBigForSmallReads extends Error {}

export interface ReadOptions {
  /**
   * `heavy`: within the budgets for queries. `small`: in the instance for small reads; a read that exceeds its memory runs again
   * as a heavy one.
   */
  readonly queue: ReadSize;
  readonly signal?: AbortSignal | undefined;
}

export class ReadQueue {
  readonly #settings: ReadQueueSettings;
  readonly #turns: FairQueue;
  #abandoned = 0;

  constructor(settings: ReadQueueSettings) {
    this.#settings = settings;
    this.#turns = new FairQueue(settings);
  }

  get size(): ReadSize {
    return this.#settings.size;
  }

  /**
   * Waits for a turn of the client.
   * @returns a function that ends the turn
   * @throws RequestError 429 if too many reads wait; the signal's reason if it is aborted
   */
  async turn(client: string, signal?: AbortSignal): Promise<() => void> {
    return this.#turns.take(client, () => this.#overflow(), signal);
  }

  /**
   * Runs engine work within the time budget; `signal` and the end of the budget interrupt it. The engine checks for interrupts
   * only between the steps of a plan, and one step over huge values can take minutes. Work that ignores its interrupts is
   * abandoned: `run` rejects, and the work runs to its end.
   * @param abandon called with a promise that resolves when the abandoned work ends
   * @throws RequestError 400 if a budget is exceeded, 503 for a full disk; the signal's reason if it is aborted; TooBigForSmallReads; other
   * errors of the work
   */
  async run<T>(
    connection: Pick<Connection, 'interrupt'>,
    work: () => Promise<T>,
    { deadline, abandon, signal, isBegun = false }: RunOptions,
  ): Promise<T> {
    signal?.throwIfAborted();
    const watch = new Watch(() => connection.interrupt());
    const interrupt = () => watch.interrupt();
    const timer = setTimeout(interrupt, deadline.remainingMs);
    signal?.addEventListener('abort', interrupt, { once: true });
    const started = performance.now();
    const running = work();
    const end = running.then(noop, noop).finally(() => watch.end());
    try {
      return await Promise.race([running, watch.ignored]);
    } catch (error) {
      if (watch.isIgnored) {
        this.#abandoned += 1;
        abandon(end.finally(() => (this.#abandoned -= 1)));
      }
      signal?.throwIfAborted();
      throw this.#explained(error, isBegun);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
      deadline.remainingMs -= performance.now() - started;
    }
  }

  /** Whether abandoned work has used up the concurrency of the queue. Further abandoned work then keeps its turn. */
  get isFullOfAbandoned(): boolean {
    return this.#abandoned > this.#settings.concurrency;
  }

  /** The numbers of running and of waiting reads. */
  get load(): FairQueue['load'] {
    return this.#turns.load;
  }

  /** The number of reads that were refused because too many waited. */
  get refused(): number {
    return this.#turns.refused;
  }

  /** Returns a new time budget. Only engine work uses it up, not a slow consumer. */
  deadline(): Deadline {
    return { remainingMs: this.#settings.timeoutMs };
  }

  #overflow(): Error {
    const { waitingMax, timeoutMs } = this.#settings;
    return tooManyRequests(
      `${waitingMax} queries are waiting already, try again later`,
      Math.min(5, Math.ceil(timeoutMs / 1000)),
    );
  }

  #explained(error: unknown, isBegun: boolean): unknown {
    const { timeoutMs, memoryMb } = this.#settings;
    if (isEngineError(error, 'interrupted')) return timeExceeded(timeoutMs);
    if (isEngineError(error, 'storage') && shortageIn(error) !== null) return error;
    // A read that exceeds the memory spills, which fails on a full disk.
    const isSmall = this.size === 'small' && !isBegun;
    if (isSmall && isEngineError(error, 'memory', 'storage')) return new TooBigForSmallReads();
    if (isEngineError(error, 'memory'))
      return badRequest(`the query exceeded the memory budget of ${memoryMb} MB: ${narrowing}`);
    if (isEngineError(error, 'complexity'))
      return badRequest('the query contains an expression that is nested too deeply');
    if (isEngineError(error, 'storage')) return temporaryFull();
    return error;
  }
}

export interface Deadline {
  remainingMs: number;
}

export interface RunOptions {
  readonly deadline: Deadline;
  readonly abandon: (end: Promise<void>) => void;
  readonly signal?: AbortSignal | undefined;
  /** Whether the caller has passed on rows of the read, so that it must not run again. */
  readonly isBegun?: boolean;
}

const noop = () => {};

/** Interrupts work repeatedly until it ends. */
class Watch {
  readonly #interrupt: () => void;
  #repeated: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ignore: () => void = noop;
  isIgnored = false;

  /** Rejects if the work still runs `interruptedMsMax` after the first interrupt. */
  readonly ignored = new Promise<never>((_resolve, reject) => {
    this.#ignore = () => {
      this.isIgnored = true;
      reject(new EngineError('interrupted', 'the statement does not end'));
    };
  });

  constructor(interrupt: () => void) {
    this.#interrupt = interrupt;
    this.ignored.catch(noop);
  }

  interrupt(): void {
    this.#interrupt();
    // A statement that waits for a thread loses an interrupt, so repeat it.
    this.#repeated ??= setInterval(this.#interrupt, interruptEveryMs);
    this.#timer ??= setTimeout(this.#ignore, interruptedMsMax);
  }

  end(): void {
    clearInterval(this.#repeated);
    clearTimeout(this.#timer);
  }
}
