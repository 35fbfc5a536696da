// One row by its id and one trace by its root span, over HTTP.
import { median, quantile, secondsOf } from '../measure.js';
import type { Sample } from '../questions/question.js';
import type { StoreServer } from './server.js';

export interface LookupTimes {
  readonly median: number;
  readonly p90: number;
}

export interface LookupResult {
  /** Milliseconds. */
  readonly rowById: LookupTimes;
  readonly traceByRoot: LookupTimes;
}

async function timesOf(
  server: StoreServer,
  samples: readonly Sample[],
  filter: (sample: Sample) => string,
): Promise<LookupTimes> {
  const times: number[] = [];
  for (const sample of samples) {
    const query = `select: * | from: project_logs('${server.projectId}') | filter: ${filter(sample)}`;
    const ask = () => server.client.post('/query', JSON.stringify({ query }));
    times.push(1000 * (await secondsOf(ask)));
  }
  return { median: median(times), p90: quantile(times, 0.9) };
}

/** Every row and trace is asked for once, so that nothing but the engine's own caches helps. */
export async function measureLookups(
  server: StoreServer,
  samples: readonly Sample[],
): Promise<LookupResult> {
  return {
    rowById: await timesOf(server, samples, ({ id }) => `id = '${id}'`),
    traceByRoot: await timesOf(server, samples, ({ trace }) => `root_span_id = '${trace}'`),
  };
}
