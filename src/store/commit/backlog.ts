// Keeps inserts from outrunning the flushes: large ones are slowed down, all wait when too much is buffered.
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../errors.js';
import type { StoreState } from '../store-state.js';
import type { IncomingBatch } from './insert-request.js';

export interface BacklogLimits {
  /** Buffered bytes from which on large inserts are slowed down … */
  readonly softBytes: number;
  /** … and from which on every insert waits. */
  readonly hardBytes: number;
  /** Longest wait. */
  readonly waitMs: number;
}

/** What single events and small batches weigh: slowing them down would gain nothing. */
const smallBytes = 64 * 2 ** 10;
/** The rate half way between the two limits; it falls to zero at the hard one. */
const middleBytesPerMs = (30 * 2 ** 20) / 1000;

type Clock = () => number;

export class Backlog {
  readonly #limits: BacklogLimits;
  readonly #now: Clock;
  #bytes: number;
  /** When the bytes that were let in so far will have been worth their time. */
  #paidUntil = 0;
  #waiting: (() => void)[] = [];

  constructor(limits: BacklogLimits, state: StoreState, now: Clock = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#bytes = bufferedBytes(state);
  }

  /** To be called after every change. */
  update(state: StoreState): void {
    this.#bytes = bufferedBytes(state);
    if (this.#isFull) return;
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  /**
   * Resolves when `bytes` may be inserted.
   * @throws RequestError 503 when that takes too long
   */
  async admit(bytes: number): Promise<void> {
    const delayMs = this.delayMs(bytes);
    if (delayMs > 0) await sleep(delayMs);
    const deadline = this.#now() + this.#limits.waitMs;
    while (this.#isFull) await this.#untilChanged(deadline);
  }

  /** How long an insert of `bytes` that comes now has to wait for those before it, and for itself. */
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
    const ended = new AbortController();
    const changed = new Promise<boolean>((resolve) => this.#waiting.push(() => resolve(true)));
    const late = sleep(Math.max(0, deadline - this.#now()), false, { signal: ended.signal });
    try {
      if (!(await Promise.race([changed, late])))
        throw unavailable('earlier events are still being written to segments, try again later');
    } finally {
      ended.abort();
      late.catch(() => {});
    }
  }
}

const bufferedBytes = ({ sealed, active }: StoreState): number =>
  sealed.reduce((sum, { bytes }) => sum + bytes, active.bytes);

/** Roughly what the events weigh. */
export const weightOf = (batches: readonly IncomingBatch[]): number =>
  batches
    .flatMap(({ events }) => events)
    .reduce(
      (sum, { json }) =>
        Object.values(json).reduce((bytes, text) => bytes + (text?.length ?? 0), sum),
      0,
    );
