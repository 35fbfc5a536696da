// A worker thread for long computations, one after the other; clients take turns. It starts when it is needed and ends when it has been
// idle.
import { once } from 'node:events';
import { Worker, type ResourceLimits, type TransferListItem } from 'node:worker_threads';
import { FairQueue } from './fair-queue.js';

/** The time without work after which the thread ends, which frees its memory; by default. */
const idleMsDefault = 5000;

export interface Work {
  /** The client whose turn it takes. */
  readonly client: string;
  readonly argument: unknown;
  /** The buffers of the argument to move to the thread, and not to copy. */
  readonly moved?: readonly TransferListItem[];
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** The time without work after which a thread that did this one ends, unless it did other work with a shorter one. */
  readonly idleMs?: number;
}

const neverFull = (): Error => new Error('the queue has no limit');

export class WorkThread {
  readonly #entry: URL;
  readonly #limits: ResourceLimits;
  readonly #turns = new FairQueue({ concurrency: 1, waitingMax: Infinity });
  #idleMs = Infinity;
  #worker: Worker | null = null;
  #ending: NodeJS.Timeout | undefined;

  /** @param entry a module that posts one message for each message to it */
  constructor(entry: URL, limits: ResourceLimits = {}) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /**
   * Posts the argument to the thread and resolves with its answer. Nothing is moved before the work begins, so a thread that dies
   * fails only the work that it does; the next work starts another one.
   * @throws Error if the thread fails, AbortError
   */
  async run(work: Work): Promise<unknown> {
    const end = await this.#turns.take(work.client, neverFull, work.signal);
    try {
      return await this.#run(work);
    } finally {
      end();
    }
  }

  async #run(work: Work): Promise<unknown> {
    clearTimeout(this.#ending);
    const worker = (this.#worker ??= this.#start());
    this.#idleMs = Math.min(this.#idleMs, work.idleMs ?? idleMsDefault);
    worker.ref();
    try {
      return await answerOf(worker, work);
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      worker.unref();
      this.#ending = setTimeout(() => void this.#end(), this.#idleMs).unref();
    }
  }

  #start(): Worker {
    this.#idleMs = Infinity;
    const worker = new Worker(this.#entry, { resourceLimits: this.#limits });
    // The work that it does fails. An idle thread has nothing to lose.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

async function answerOf(worker: Worker, { argument, moved = [], signal }: Work): Promise<unknown> {
  const answered = new AbortController();
  const until = { signal: AbortSignal.any([signal, answered.signal]) };
  try {
    const answer = once(worker, 'message', until).then(([message]) => message as unknown);
    const end = once(worker, 'exit', until).then(([code]) => {
      throw new Error(`the thread ended with code ${code}`);
    });
    worker.postMessage(argument, moved);
    return await Promise.race([answer, end]);
  } finally {
    answered.abort();
  }
}
