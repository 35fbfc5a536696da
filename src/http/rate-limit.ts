// So many requests per second for each key, and for each address without a valid key.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { tooManyRequests } from '../errors.js';
import type { Middleware, RequestContext } from './state.js';

const sourceOf = ({ state, ip }: RequestContext): string =>
  state.caller.kind === 'key' ? `key ${state.caller.keyId}` : `address ${ip}`;

/** A monitor has to learn that the server runs, however many others ask. Wrong keys are counted there, too. */
const isUnlimited = ({ path, state }: RequestContext): boolean =>
  path === '/health' && state.keyRefusal === undefined;

/** @param requestsPerSecond 0 sets no limit */
export function limitRate(requestsPerSecond: number): Middleware {
  if (requestsPerSecond === 0) return (_context, next) => next();
  const limiter = new RateLimiterMemory({ points: requestsPerSecond, duration: 1 });
  return async (context, next) => {
    try {
      if (!isUnlimited(context)) await limiter.consume(sourceOf(context));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw tooManyRequests(
        `more than ${requestsPerSecond} requests in a second, the limit for one caller`,
        Math.ceil(refusal.msBeforeNext / 1000),
      );
    }
    await next();
  };
}
