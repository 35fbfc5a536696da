// Lets so many reads run at once, so many wait, and each for so long; says in words which budget was over.
import type { Connection } from '../../duckdb/connection.js';
import { EngineError, isEngineError } from '../../duckdb/engine-error.js';
import { badRequest, tooManyRequests, unavailable } from '../../errors.js';
import { damagedSegment } from '../segment/damaged-segment.js';
import type { ReadSize } from './reader.js';
import { Turns, type TurnLimits } from './turns.js';

export interface LaneSettings extends TurnLimits {
  /** Which instance of the reader its reads run in. */
  readonly size: ReadSize;
  readonly timeoutMs: number;
  /** The reader's budget, for the text of the error. */
  readonly memoryMb: number;
}

const interruptEveryMs = 20;

/** Work that goes on for longer than this after it was interrupted is abandoned. */
const interruptedMsMax = 1500;

const narrowing = 'narrow it with a filter, fewer sources, fewer columns or a limit';

/** A read takes more memory than small ones have. */
export class NotSmall extends Error {}

export class Lane {
  readonly #settings: LaneSettings;
  readonly #turns: Turns;
  #abandoned = 0;

  constructor(settings: LaneSettings) {
    this.#settings = settings;
    this.#turns = new Turns(settings);
  }

  get size(): ReadSize {
    return this.#settings.size;
  }

  /**
   * Waits for a turn of the client.
   * @returns the function that ends it
   * @throws RequestError 429 when too many wait, the signal's reason when it is aborted
   */
  async turn(client: string, signal?: AbortSignal): Promise<() => void> {
    return this.#turns.take(client, () => this.#overflow(), signal);
  }

  /**
   * Runs one piece of engine work within the time budget; `signal` and the end of the budget interrupt it. The engine
   * looks for interrupts between two steps of a plan only, and one step takes long where values are huge: work that goes
   * on is abandoned, which means that it runs to its end unheeded.
   * @param abandon is called with the end of work that is abandoned
   * @throws RequestError 400 when a budget is over
   */
  async run<T>(
    connection: Pick<Connection, 'interrupt'>,
    work: () => Promise<T>,
    { deadline, abandon, signal }: RunOptions,
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
      throw this.#inWords(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
      deadline.remainingMs -= performance.now() - started;
    }
  }

  /** Abandoned work holds its turn where there is as much of it as may run at once. */
  get isFullOfAbandoned(): boolean {
    return this.#abandoned > this.#settings.concurrency;
  }

  /** How many reads run and how many wait. */
  get load(): Turns['load'] {
    return this.#turns.load;
  }

  /** A fresh time budget; only the engine's work uses it up, not a slow consumer. */
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

  #inWords(error: unknown): unknown {
    const { timeoutMs, memoryMb } = this.#settings;
    if (isEngineError(error, 'interrupted'))
      return badRequest(
        `the query exceeded its time budget of ${timeoutMs / 1000} s: ${narrowing}`,
      );
    // On a full disk a read that needs more memory cannot be spilled.
    if (isEngineError(error, 'memory', 'storage') && this.size === 'small') return new NotSmall();
    if (isEngineError(error, 'memory'))
      return badRequest(`the query exceeded the memory budget of ${memoryMb} MB: ${narrowing}`);
    if (isEngineError(error, 'complexity'))
      return badRequest('the query contains an expression that is nested too deeply');
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

export interface RunOptions {
  readonly deadline: Deadline;
  readonly abandon: (end: Promise<void>) => void;
  readonly signal?: AbortSignal | undefined;
}

const noop = () => {};

/** Interrupts work until its end. */
class Watch {
  readonly #interrupt: () => void;
  #repeated: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ignore: () => void = noop;
  isIgnored = false;

  /** Rejects when the work goes on for too long after an interrupt. */
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
    // Repeated, because an interrupt is lost on a statement that still waits for a thread.
    this.#repeated ??= setInterval(this.#interrupt, interruptEveryMs);
    this.#timer ??= setTimeout(this.#ignore, interruptedMsMax);
  }

  end(): void {
    clearInterval(this.#repeated);
    clearTimeout(this.#timer);
  }
}
