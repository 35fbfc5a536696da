// Requests of many connections at once -> how many per second, and how long they took.
import { quantile } from '../measure.js';

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

/** Each connection sends its next request when the one before is answered. */
export async function measureIngest(
  name: Pick<Ingest, 'contender' | 'workload'>,
  requests: readonly string[],
  connections: number,
  send: Send,
): Promise<Ingest> {
  const queue = requests.values();
  const milliseconds: number[] = [];
  const connection = async () => {
    for (const request of queue) {
      const start = performance.now();
      await send(request);
      milliseconds.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - start) / 1000;
  return {
    ...name,
    requests: requests.length,
    connections,
    requestsPerSecond: requests.length / seconds,
    p50Ms: quantile(milliseconds, 0.5),
    p99Ms: quantile(milliseconds, 0.99),
    maxMs: quantile(milliseconds, 1),
  };
}
