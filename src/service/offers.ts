// Secrets that are valid for a short time. Only their hashes are kept, in memory, so a restart invalidates them.
import { hash, randomBytes } from 'node:crypto';

const secretBytes = 32;

export interface OfferLimits {
  /** In milliseconds. */
  readonly lifetime: number;
  /** The number of valid secrets of an owner. A further one replaces the owner's oldest. */
  readonly countMax: number;
  /** The limit on the size of all values of an owner, in the unit of `sizeOf`. A further secret replaces the owner's oldest ones. */
  readonly sizeMax: number;
  /** The limit on the size of the values of all owners. A further secret is refused. */
  readonly totalMax: number;
}

export interface Offers<T> {
  /**
   * Returns a new secret, and its expiry in milliseconds since 1970; undefined if the secrets of all owners are too large. Never
   * invalidates a secret of another owner.
   */
  readonly offer: (
    owner: string,
    value: T,
    now: number,
  ) => { readonly secret: string; readonly expires: number } | undefined;
  /** Returns the value of a secret and its expiry; undefined if the secret is unknown, replaced or expired. */
  readonly find: (secret: string, now: number) => Offer<T> | undefined;
}

export interface Offer<T> {
  readonly value: T;
  /** In milliseconds since 1970. */
  readonly expires: number;
}

interface Kept<T> extends Offer<T> {
  readonly owner: string;
  readonly size: number;
}

const nameOf = (secret: string): string => hash('sha256', secret);

/** @param sizeOf returns the size of a value, a positive integer */
export function createOffers<T>(
  { lifetime, countMax, sizeMax, totalMax }: OfferLimits,
  sizeOf: (value: T) => number,
): Offers<T> {
  /** By the hash of the secret, the oldest first. */
  const kept = new Map<string, Kept<T>>();
  /** The names of each owner's secrets, the oldest first, and the sum of their sizes. */
  const owners = new Map<string, { readonly names: Set<string>; size: number }>();
  let total = 0;

  const drop = (name: string): void => {
    const { owner, size } = kept.get(name)!;
    const own = owners.get(owner)!;
    kept.delete(name);
    own.names.delete(name);
    own.size -= size;
    total -= size;
    if (own.names.size === 0) owners.delete(owner);
  };

  const dropExpired = (now: number): void => {
    for (const [name, { expires }] of kept) {
      if (now < expires) return;
      drop(name);
    }
  };

  const makeRoom = (owner: string, size: number): void => {
    const own = owners.get(owner);
    for (const name of own?.names ?? []) {
      if (own!.names.size < countMax && own!.size + size <= sizeMax) return;
      drop(name);
    }
  };

  const add = (name: string, one: Kept<T>): void => {
    const own = owners.get(one.owner) ?? { names: new Set(), size: 0 };
    owners.set(one.owner, own);
    kept.set(name, one);
    own.names.add(name);
    own.size += one.size;
    total += one.size;
  };

  return {
    offer: (owner, value, now) => {
      const size = sizeOf(value);
      dropExpired(now);
      makeRoom(owner, size);
      if (total + size > totalMax) return undefined;
      const secret = randomBytes(secretBytes).toString('base64url');
      const expires = now + lifetime;
      add(nameOf(secret), { owner, value, size, expires });
      return { secret, expires };
    },
    find: (secret, now) => {
      dropExpired(now);
      return kept.get(nameOf(secret));
    },
  };
}
