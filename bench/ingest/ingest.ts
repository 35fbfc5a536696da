// Requests of many connections at once -> how many per second, and how long they took.
import { quantile, secondsOf } from '../measure.js';

export type Workload = 'single' | 'sdk';

export interface Ingest {
  readonly contender: string;
  readonly workload: Workload;
  readonly requests: number;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export type Send = (request: string) => Promise<unknown>;

const secondsMax = 10;

/** Each connection sends its next request when the one before is answered, until the time is up. */
export async function measureIngest(
  name: Pick<Ingest, 'contender' | 'workload'>,
  requests: readonly string[],
  connections: number,
  send: Send,
): Promise<Ingest> {
  const queue = requests.values();
  const milliseconds: number[] = [];
  const start = performance.now();
  const secondsSince = () => (performance.now() - start) / 1000;
  const connection = async () => {
    for (const request of queue) {
      if (secondsSince() > secondsMax) return;
      milliseconds.push(1000 * (await secondsOf(() => send(request))));
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return {
    ...name,
    requests: milliseconds.length,
    connections,
    requestsPerSecond: milliseconds.length / secondsSince(),
    p50Ms: quantile(milliseconds, 0.5),
    p99Ms: quantile(milliseconds, 0.99),
    maxMs: quantile(milliseconds, 1),
  };
}
