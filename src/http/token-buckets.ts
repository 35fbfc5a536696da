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

  /** A bucket that nothing was taken from is full, and need not be kept. */
  #bucketOf(name: string): Bucket | undefined {
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return undefined;
    const now = performance.now();
    const filled = bucket.tokens + ((now - bucket.countedAt) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#capacity, filled);
    bucket.countedAt = now;
    return bucket;
  }

  /** Seconds until a token is available; 0 if there is one. */
  wait(name: string): number {
    const { tokens } = this.#bucketOf(name) ?? { tokens: this.#capacity };
    return tokens >= 1 ? 0 : (1 - tokens) / this.#perSecond;
  }

  charge(name: string, tokens: number): void {
    const bucket = this.#bucketOf(name);
    if (bucket !== undefined) bucket.tokens -= tokens;
    else this.#buckets.set(name, { tokens: this.#capacity - tokens, countedAt: performance.now() });
  }
}
