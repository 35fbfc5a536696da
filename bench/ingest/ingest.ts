// Requests of many connections at once -> how many per second, and how long they took.
import type { Ingester } from '../contenders/contender.js';
import { quantile, secondsOf } from '../measure.js';
import type { Queues, Request } from './requests.js';

export interface IngestRound {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const secondsMax = 10;

/** Throws an Error when not everything that was answered is there. */
async function checkStored(ingester: Ingester, sent: readonly Request[]): Promise<void> {
  const stored = await ingester.stored();
  if (stored === null) return;
  const rows = sent.filter(({ isMerge }) => !isMerge).length;
  const ended = sent.filter(({ isEnd }) => isEnd).length;
  if (stored.rows !== rows || stored.ended !== ended)
    throw new Error(
      `expected ${rows} rows, ${ended} ended, got ${stored.rows} and ${stored.ended}`,
    );
}

/** Each connection sends its next request when the one before is answered, until the time is up. */
export async function measureIngest(ingester: Ingester, queues: Queues): Promise<IngestRound> {
  const sent: Request[] = [];
  const milliseconds: number[] = [];
  const start = performance.now();
  const secondsSince = () => (performance.now() - start) / 1000;
  const connection = async (queue: Iterator<Request>) => {
    while (secondsSince() < secondsMax) {
      const next = queue.next();
      if (next.done === true) return;
      const request = next.value;
      sent.push(request);
      milliseconds.push(
        1000 * (await secondsOf(() => ingester.send(request.event, request.isMerge))),
      );
    }
  };
  await Promise.all(queues.map(connection));
  const seconds = secondsSince();
  await checkStored(ingester, sent);
  return {
    requests: milliseconds.length,
    requestsPerSecond: milliseconds.length / seconds,
    p50Ms: quantile(milliseconds, 0.5),
    p99Ms: quantile(milliseconds, 0.99),
    maxMs: quantile(milliseconds, 1),
  };
}
