// The memory budget for the bodies of all requests. A body that exceeds it, or the share of its caller, is refused.
import { RequestError } from '../errors.js';
import type { BudgetUse } from '../service/request-metrics.js';

/** The share of the requests of one user, which leaves the rest to the others. */
const userShare = 1 / 2;

/** The share of all requests without a key. */
const anonymousShare = 1 / 8;

const retrySeconds = 1;

/** The bytes of the budget that one request uses. */
export interface Reservation {
  /** @throws RequestError 503 if the budget or the share of the caller is exhausted */
  take(bytes: number): void;
  /** Releases all bytes. */
  release(): void;
}

interface Pool {
  readonly megabytes: number;
  /** The requests that share it, for errors. */
  readonly of: string;
  bytes: number;
}

const add = (pool: Pool, bytes: number): number => (pool.bytes += bytes);

/** Never refuses the only request. */
const isFull = ({ bytes, megabytes }: Pool, reserved: number, taken: number): boolean =>
  bytes > reserved && bytes + taken > megabytes * 2 ** 20;

const full = ({ megabytes, of }: Pool) =>
  new RequestError(
    503,
    `the bodies of other requests${of} use all ${megabytes} MB of memory for them: try again later`,
    { 'Retry-After': String(retrySeconds) },
  );

export interface BodyBudget {
  /** @param userId null for a request without a key */
  reserve(userId: string | null): Reservation;
}

/** @param use counts the bytes in use and the refusals */
export function createBodyBudget(
  megabytes: number,
  use: BudgetUse = { used: 0, refused: 0 },
): BodyBudget {
  const all: Pool = { megabytes, of: '', bytes: 0 };
  const anonymous: Pool = { megabytes: megabytes * anonymousShare, of: ' without a key', bytes: 0 };
  /** The shares of users, while they are used. */
  const ofUsers = new Map<string, Pool>();
  const shareOf = (userId: string | null): Pool => {
    if (userId === null) return anonymous;
    const pool = ofUsers.get(userId) ?? {
      megabytes: megabytes * userShare,
      of: ' of this user',
      bytes: 0,
    };
    ofUsers.set(userId, pool);
    return pool;
  };
  return {
    reserve: (userId) => {
      let reserved = 0;
      return {
        take: (bytes) => {
          const share = shareOf(userId);
          for (const pool of [all, share])
            if (isFull(pool, reserved, bytes)) {
              use.refused += 1;
              throw full(pool);
            }
          use.used = add(all, bytes);
          add(share, bytes);
          reserved += bytes;
        },
        release: () => {
          use.used = add(all, -reserved);
          if (add(shareOf(userId), -reserved) === 0 && userId !== null) ofUsers.delete(userId);
          reserved = 0;
        },
      };
    },
  };
}
