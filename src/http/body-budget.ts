// Memory that the bodies of all requests share: what arrives beyond it is refused, until others are done.
import { RequestError } from '../errors.js';

/** Bodies without a key share this part of the budget, so that they cannot keep out those with one. */
const anonymousShare = 1 / 8;

const retrySeconds = 1;

/** What one request holds of the budget. */
export interface Held {
  /** @throws RequestError 503 when the bodies in flight take up too much */
  take(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

interface Pool {
  readonly bytesMax: number;
  bytes: number;
}

/** A request on its own gets what it needs. */
const isFull = ({ bytes, bytesMax }: Pool, held: number, taken: number): boolean =>
  bytes > held && bytes + taken > bytesMax;

const full = (megabytes: number) =>
  new RequestError(
    503,
    `the bodies of other requests take up the ${megabytes} MB that there are for them: try again`,
    { 'Retry-After': String(retrySeconds) },
  );

export interface BodyBudget {
  hold(isAnonymous: boolean): Held;
}

export function createBodyBudget(megabytes: number): BodyBudget {
  const all: Pool = { bytesMax: megabytes * 2 ** 20, bytes: 0 };
  const anonymous: Pool = { bytesMax: all.bytesMax * anonymousShare, bytes: 0 };
  return {
    hold: (isAnonymous) => {
      const pools = isAnonymous ? [all, anonymous] : [all];
      let held = 0;
      return {
        take: (bytes) => {
          if (pools.some((pool) => isFull(pool, held, bytes))) throw full(megabytes);
          for (const pool of pools) pool.bytes += bytes;
          held += bytes;
        },
        release: () => {
          for (const pool of pools) pool.bytes -= held;
          held = 0;
        },
      };
    },
  };
}
