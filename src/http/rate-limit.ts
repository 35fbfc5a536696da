// The rate limit for each key, and for each address without a valid key. Queries and large bodies count as several requests.
import type { Config } from '../config.js';
import { tooManyRequests } from '../errors.js';
import type { RequestContext, Step } from './state.js';
import { TokenBuckets } from './token-buckets.js';

const sourceOf = ({ state, ip }: RequestContext): string =>
  state.caller.kind === 'key' ? `key ${state.caller.keyId}` : `address ${ip}`;

/** `/health` is exempt so that monitors always get an answer, but not with an invalid key. */
const isUnlimited = ({ path, state }: RequestContext): boolean =>
  path === '/health' && state.keyRefusal === undefined;

/** The weight of a query, in requests. */
export const queryWeight = 10;

/** The number of bytes of a body that count as one more request. */
export const weighedBytes = 2 ** 20;

export function limitRate({ rateLimit, rateBurst }: Pick<Config, 'rateLimit' | 'rateBurst'>): Step {
  if (rateLimit === 0) return () => {};
  const buckets = new TokenBuckets(rateLimit, Math.max(rateLimit, rateBurst));
  return (context) => {
    if (isUnlimited(context)) return;
    const source = sourceOf(context);
    const wait = buckets.wait(source);
    if (wait > 0)
      throw tooManyRequests(
        `more than ${rateLimit} requests in a second, the limit for one caller; a query counts as ${queryWeight}, each MB of a body as one more`,
        Math.ceil(wait),
      );
    buckets.charge(source, 1);
    context.state.charge = (requests) => buckets.charge(source, requests);
  };
}
