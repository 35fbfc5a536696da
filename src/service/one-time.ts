// Secrets that can be used once within a short time. Only their hashes are kept, in memory, so a restart invalidates them.
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const secretBytes = 32;

export interface OneTimeLimits {
  /** In milliseconds. */
  readonly lifetime: number;
  /** The number of valid secrets. A further one replaces the oldest. */
  readonly countMax: number;
  /** The limit on the size of all values together, in the unit of `sizeOf`. */
  readonly sizeMax: number;
}

export interface OneTime<T> {
  /** Returns a new secret, and its expiry in milliseconds since 1970. */
  readonly offer: (value: T, now: number) => { readonly secret: string; readonly expires: number };
  /** Invalidates the secret and returns its value; undefined if the secret is unknown, used or expired. */
  readonly take: (secret: string, now: number) => T | undefined;
}

const nameOf = (secret: string): string => hash('sha256', secret);

/** @param sizeOf returns the size of a value, a positive integer */
export function createOneTime<T>(
  { lifetime, countMax, sizeMax }: OneTimeLimits,
  sizeOf: (value: T) => number,
): OneTime<T> {
  const kept = new LRUCache<string, { readonly value: T; readonly expires: number }>({
    max: countMax,
    maxSize: sizeMax,
    sizeCalculation: ({ value }) => sizeOf(value),
    ttl: lifetime,
  });
  return {
    offer: (value, now) => {
      const secret = randomBytes(secretBytes).toString('base64url');
      const expires = now + lifetime;
      kept.set(nameOf(secret), { value, expires });
      return { secret, expires };
    },
    take: (secret, now) => {
      const name = nameOf(secret);
      const found = kept.get(name);
      kept.delete(name);
      return found !== undefined && now < found.expires ? found.value : undefined;
    },
  };
}
