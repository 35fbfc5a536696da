// Back-pressure: slows down large inserts while flushes are behind, and blocks all inserts while too much is buffered.
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../errors.js';
import { jsonBytesOf } from '../../event/incoming.js';
import type { StoreState } from '../manifest/store-state.js';
import type { IncomingBatch } from './insert-request.js';

export interface BacklogLimits {
  /** The number of buffered bytes above which large inserts are slowed down. */
  readonly softBytes: number;
  /** The number of buffered bytes above which all inserts wait. */
  readonly hardBytes: number;
  /** The longest wait of an insert, in milliseconds. */
  readonly waitMs: number;
}

/** Single events and small batches are below this size; slowing them down would gain nothing. */
const smallBytes = 64 * 2 ** 10;
/** The insert rate half-way between the two limits. It falls to zero at the hard limit. */
const middleBytesPerMs = (30 * 2 ** 20) / 1000;

type Clock = () => number;

export class Backlog {
  readonly #limits: BacklogLimits;
  readonly #now: Clock;
  #bytes: number;
  /** The time until which earlier inserts use up the current rate, in milliseconds of the clock. */
  #paidUntil = 0;
  /** The waiting inserts: the controller that ends the wait, and the function that resumes the insert. */
  readonly #waiting = new Map<AbortController, () => void>();

  constructor(limits: BacklogLimits, state: StoreState, now: Clock = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#bytes = bufferedBytes(state);
  }

  /** Call it after every change. */
  update(state: StoreState): void {
    this.#bytes = bufferedBytes(state);
    if (this.#isFull) return;
    for (const resume of this.#waiting.values()) resume();
  }

  /**
   * Resolves when an insert of this many bytes may go on; undefined if it may at once.
   * @throws RequestError 503 if that takes longer than `waitMs`
   */
  admit(bytes: () => number): Promise<void> | undefined {
    return this.#bytes <= this.#limits.softBytes ? undefined : this.#admitted(bytes());
  }

  async #admitted(bytes: number): Promise<void> {
    const deadline = this.#now() + this.#limits.waitMs;
    while (this.#isFull) await this.#untilChanged(deadline);
    const delayMs = Math.min(this.delayMs(bytes), deadline - this.#now());
    if (delayMs > 0) await sleep(delayMs);
    while (this.#isFull) await this.#untilChanged(deadline);
  }

  /** The delay for an insert of `bytes` that arrives now. It includes the delays of the inserts before it. */
  delayMs(bytes: number): number {
    const { softBytes, hardBytes } = this.#limits;
    const fullness = Math.min(1, (this.#bytes - softBytes) / (hardBytes - softBytes));
    if (fullness <= 0 || bytes < smallBytes) return 0;
    const now = this.#now();
    const longestMs = this.#limits.waitMs;
    const ownMs = (bytes / middleBytesPerMs) * (fullness / (1 - fullness));
    this.#paidUntil = Math.min(Math.max(now, this.#paidUntil) + ownMs, now + longestMs);
    return this.#paidUntil - now;
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#limits.hardBytes;
  }

  async #untilChanged(deadline: number): Promise<void> {
    const done = new AbortController();
    const changed = new Promise<boolean>((resolve) => this.#waiting.set(done, () => resolve(true)));
    const late = sleep(Math.max(0, deadline - this.#now()), false, { signal: done.signal });
    try {
      if (!(await Promise.race([changed, late])))
        throw unavailable('earlier events are still being written to segments, try again later');
    } finally {
      this.#waiting.delete(done);
      done.abort();
      late.catch(() => {});
    }
  }
}

const bufferedBytes = ({ sealed, active }: StoreState): number =>
  sealed.reduce((sum, { bytes }) => sum + bytes, active.bytes);

/** The size of the JSON of the events. */
export function jsonBytes(batches: readonly IncomingBatch[]): number {
  let bytes = 0;
  for (const { events } of batches) for (const event of events) bytes += jsonBytesOf(event);
  return bytes;
}
