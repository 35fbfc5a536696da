// The metrics of requests, which the HTTP layer observes.
import { Histogram, Registry } from 'prom-client';

/** The durations of requests, which the HTTP layer observes. */
export interface RequestMetrics {
  readonly registry: Registry;
  readonly seconds: Histogram<'method' | 'route' | 'status'>;
}

export function createRequestMetrics(): RequestMetrics {
  const registry = new Registry();
  const seconds = new Histogram({
    name: 'evalstore_request_duration_seconds',
    help: 'Duration of requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  return { registry, seconds };
}
