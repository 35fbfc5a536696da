// The metrics of requests, which the HTTP layer observes.
import { Histogram, Registry } from 'prom-client';

/** The durations of requests, which the HTTP layer observes. */
export interface RequestMetrics {
  readonly registry: Registry;
  readonly seconds: Histogram<'method' | 'route' | 'status'>;
  /** By project id, the requests for an object in the path that were refused. */
  readonly refusedOf: Map<string, number>;
  readonly budgets: Readonly<Record<'bodies' | 'connections', BudgetUse>>;
}

/** What is used of a budget now, and the number of requests or connections that it refused. */
export interface BudgetUse {
  used: number;
  refused: number;
}

const unused = (): BudgetUse => ({ used: 0, refused: 0 });

export function createRequestMetrics(): RequestMetrics {
  const registry = new Registry();
  const seconds = new Histogram({
    name: 'evalstore_request_duration_seconds',
    help: 'Duration of requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  return {
    registry,
    seconds,
    refusedOf: new Map(),
    budgets: { bodies: unused(), connections: unused() },
  };
}
