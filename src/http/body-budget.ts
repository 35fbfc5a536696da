// The memory budget for the bodies of all requests. A body that exceeds it is refused.
import { RequestError } from '../errors.js';

/** The share for requests without a key, which leaves the rest to requests with one. */
const anonymousShare = 1 / 8;

const retrySeconds = 1;

/** The bytes of the budget that one request uses. */
export interface Reservation {
  /** @throws RequestError 503 if the budget is exhausted */
  take(bytes: number): void;
  /** Releases all bytes. */
  release(): void;
}

interface Pool {
  readonly bytesMax: number;
  bytes: number;
}

/** Never refuses the only request. */
const isFull = ({ bytes, bytesMax }: Pool, reserved: number, taken: number): boolean =>
  bytes > reserved && bytes + taken > bytesMax;

const full = (megabytes: number) =>
  new RequestError(
    503,
    `the bodies of other requests use all ${megabytes} MB of memory for bodies: try again later`,
    { 'Retry-After': String(retrySeconds) },
  );

export interface BodyBudget {
  reserve(isAnonymous: boolean): Reservation;
}

export function createBodyBudget(megabytes: number): BodyBudget {
  const all: Pool = { bytesMax: megabytes * 2 ** 20, bytes: 0 };
  const anonymous: Pool = { bytesMax: all.bytesMax * anonymousShare, bytes: 0 };
  const ofKeys = [all];
  return {
    reserve: (isAnonymous) => {
      const pools = isAnonymous ? [all, anonymous] : ofKeys;
      let reserved = 0;
      return {
        take: (bytes) => {
          for (const pool of pools) if (isFull(pool, reserved, bytes)) throw full(megabytes);
          for (const pool of pools) pool.bytes += bytes;
          reserved += bytes;
        },
        release: () => {
          for (const pool of pools) pool.bytes -= reserved;
          reserved = 0;
        },
      };
    },
  };
}
