// Authentication: bearer key -> caller. A request without a key is anonymous; one with an invalid key is counted and refused.
// After too many invalid keys, an address can use only keys that it used before, so it cannot test others.
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.js';
import { RequestError, invalidKey, tooManyRequests, unauthorised } from '../errors.js';
import type { Accounts, Principal } from '../service/context.js';
import type { Step } from './state.js';
import { TokenBuckets } from './token-buckets.js';

const bearer = /^Bearer +(\S+)$/i;

function principalOf(accounts: Accounts, header: string): Principal {
  const key = bearer.exec(header)?.[1];
  if (key === undefined) {
    throw unauthorised('the header Authorization must have the form "Bearer <API_KEY>"');
  }
  const principal = accounts.principal(key);
  if (principal === undefined) throw invalidKey();
  return principal;
}

/** The number of recently used pairs of address and key to remember. */
const usesMax = 10_000;

type Check = (address: string, find: () => Principal) => Principal;

/** @param perMinute invalid keys allowed per address and minute; 0 means no limit */
function limitedCheck(perMinute: number): Check {
  if (perMinute === 0) return (_address, find) => find();
  const wrong = new TokenBuckets(perMinute / 60, perMinute);
  const used = new LRUCache<string, true>({ max: usesMax });
  const refuse = (address: string) =>
    tooManyRequests(
      `more than ${perMinute} requests with invalid keys in a minute, the limit for one address`,
      Math.ceil(wrong.wait(address)),
    );
  return (address, find) => {
    const isBlocked = wrong.wait(address) > 0;
    try {
      const principal = find();
      const use = `${address} ${principal.keyId}`;
      if (isBlocked && !used.has(use)) throw refuse(address);
      used.set(use, true);
      return principal;
    } catch (error) {
      if (isBlocked) throw refuse(address);
      wrong.charge(address, 1);
      throw error;
    }
  };
}

export function authenticate(accounts: Accounts, { wrongKeys }: Pick<Config, 'wrongKeys'>): Step {
  const check = limitedCheck(wrongKeys);
  return (context) => {
    const header = context.req.headers.authorization;
    try {
      if (header !== undefined)
        context.state.caller = check(context.ip, () => principalOf(accounts, header.trim()));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      context.state.keyRefusal = error;
    }
  };
}

/** Runs after the rate limit, so that the limit applies to requests with invalid keys. */
export const refuseWrongKeys: Step = ({ state }) => {
  if (state.keyRefusal !== undefined) throw state.keyRefusal;
};
