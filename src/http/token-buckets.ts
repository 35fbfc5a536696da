// How much each caller may do: a bucket of tokens for each, which is filled at a steady rate. What is done may cost more than is
// left; the bucket then is in debt, and nothing is given until it is paid.
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  /** Milliseconds of `performance.now()` at which `tokens` were counted. */
  countedAt: number;
}

/** More callers than can be told apart begin anew, those that were not seen for longest. */
const bucketsMax = 100_000;

export class TokenBuckets {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: bucketsMax });

  constructor(perSecond: number, capacity: number) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
  }

  #bucketOf(name: string): Bucket {
    const now = performance.now();
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      const full = { tokens: this.#capacity, countedAt: now };
      this.#buckets.set(name, full);
      return full;
    }
    const filled = bucket.tokens + ((now - bucket.countedAt) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#capacity, filled);
    bucket.countedAt = now;
    return bucket;
  }

  /** Seconds until there is a token again; 0 when there is one. */
  wait(name: string): number {
    const { tokens } = this.#bucketOf(name);
    return tokens >= 1 ? 0 : (1 - tokens) / this.#perSecond;
  }

  charge(name: string, tokens: number): void {
    this.#bucketOf(name).tokens -= tokens;
  }
}
