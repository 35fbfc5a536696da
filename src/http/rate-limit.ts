// So many requests per second for each key, and for each address without a valid key. Queries and large bodies count as several.
import type { Config } from '../config.js';
import { tooManyRequests } from '../errors.js';
import type { Middleware, RequestContext } from './state.js';
import { TokenBuckets } from './token-buckets.js';

const sourceOf = ({ state, ip }: RequestContext): string =>
  state.caller.kind === 'key' ? `key ${state.caller.keyId}` : `address ${ip}`;

/** A monitor has to learn that the server runs, however many others ask. Wrong keys are counted there, too. */
const isUnlimited = ({ path, state }: RequestContext): boolean =>
  path === '/health' && state.keyRefusal === undefined;

/** What a query counts as, in requests. */
export const queryWeight = 10;

/** What a body counts as beside its request: one for each of so many bytes. */
export const weighedBytes = 2 ** 20;

export function limitRate({
  rateLimit,
  rateBurst,
}: Pick<Config, 'rateLimit' | 'rateBurst'>): Middleware {
  if (rateLimit === 0) return (_context, next) => next();
  const buckets = new TokenBuckets(rateLimit, Math.max(rateLimit, rateBurst));
  return (context, next) => {
    if (isUnlimited(context)) return next();
    const source = sourceOf(context);
    const wait = buckets.wait(source);
    if (wait > 0)
      throw tooManyRequests(
        `more than ${rateLimit} requests in a second, the limit for one caller; a query counts as ${queryWeight}, each MB of a body as one more`,
        Math.ceil(wait),
      );
    buckets.charge(source, 1);
    context.state.charge = (requests) => buckets.charge(source, requests);
    return next();
  };
}
