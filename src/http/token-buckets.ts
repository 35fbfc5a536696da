// Token buckets by name. A charge may exceed the tokens in the bucket; the bucket then has to refill before the next request.
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  /** Milliseconds of `performance.now()` at which `tokens` were counted. */
  countedAt: number;
}

/** The maximum number of buckets; the least recently used ones are dropped. */
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

  /** Seconds until a token is available; 0 if there is one. */
  wait(name: string): number {
    const { tokens } = this.#bucketOf(name);
    return tokens >= 1 ? 0 : (1 - tokens) / this.#perSecond;
  }

  charge(name: string, tokens: number): void {
    this.#bucketOf(name).tokens -= tokens;
  }
}
