// Sends requests again that the server refuses for now, for about a minute.
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf, StatusError, UnreachableError, type Client } from './connection.js';

const attemptsMax = 12;
const pauseMax = 10;

/** Statuses of refusals, after which nothing is stored; and those of proxies, after which the request may have been done. */
const refusals = new Set([429, 503]);
const doubts = new Set([502, 504]);

/** Seconds after which to send a request again; null if that is of no use, or could do it twice. */
function pauseAfter(error: unknown, attempt: number, isRepeatable: boolean): number | null {
  const growing = Math.min(pauseMax, 0.1 * 2 ** attempt);
  if (error instanceof UnreachableError) return isRepeatable ? growing : null;
  if (!(error instanceof StatusError)) return null;
  const { status, retryAfter } = error;
  if (!refusals.has(status) && !(isRepeatable && doubts.has(status))) return null;
  return retryAfter ?? growing;
}

/** As `patient`, of one request. */
export async function withRetries<T>(send: () => Promise<T>, isRepeatable: boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await send();
    } catch (error) {
      const pause = attempt < attemptsMax ? pauseAfter(error, attempt, isRepeatable) : null;
      if (pause === null) throw error;
      await sleep(pause * 1000);
    }
}

/**
 * A client whose requests wait for a server that refuses them for now. `isRepeatable` if each of them can be done twice: then they
 * are also sent again when the answer is missing.
 */
export const patient = (client: Client, isRepeatable: boolean): Client =>
  clientOf(client.url, (...request) =>
    withRetries(() => client.sendBytes(...request), isRepeatable),
  );
