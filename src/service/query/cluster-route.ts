// Answers a query on the cluster if it belongs there, otherwise here. What has the answer of a cluster is read as any other rows are.
import { badRequest, FetchLimitError, unavailable, type RequestError } from '../../errors.js';
import type { QueryRequest } from '../../schema/request.js';
import type { Snapshot } from '../../store/event-store.js';
import type { ClusterQuery } from '../cluster/answer.js';
import type { Services } from '../context.js';
import type { Body, QueryRun } from './run.js';

export interface Answered {
  readonly body: Body;
  /** Of the version that the answer has. */
  readonly snapshot: Snapshot;
}

interface Asked extends Pick<ClusterQuery, 'id' | 'client' | 'prepared' | 'objects'> {
  /** That the request names; null for the latest. */
  readonly version: bigint | null;
}

export const clusterQuery = (
  {
    queue,
    request,
    nowMicros,
    ...run
  }: QueryRun & { readonly request: Pick<QueryRequest, 'tz_offset'> },
  { version, ...asked }: Asked,
): ClusterQuery => ({
  ...run,
  ...asked,
  isHeavy: queue === 'heavy',
  context: { timeZone: request.tz_offset ?? 0, nowMicros },
  isOfVersion: version !== null,
});

/**
 * @param bodyOf writes the body of the run's rows
 * @throws as `bodyOf` and `Cluster.run`
 */
export async function answeredWhere(
  { cluster }: Pick<Services, 'cluster'>,
  query: ClusterQuery,
  run: QueryRun,
  bodyOf: (run: QueryRun) => Promise<Body>,
): Promise<Answered> {
  const { snapshot } = run;
  if (cluster === null) return { body: await bodyOf(run), snapshot };
  const found = await cluster.run(query);
  if (found.answer === null)
    try {
      return { body: await bodyOf(run), snapshot };
    } catch (error) {
      throw error instanceof FetchLimitError ? withReason(error, found) : error;
    }
  const { answer } = found;
  const { compiled } = answer;
  try {
    const there = { ...run, snapshot: answer.snapshot, compiled, chunks: [() => compiled] };
    return { body: await bodyOf({ ...there, queue: 'small' }), snapshot: answer.snapshot };
  } finally {
    await answer.release();
  }
}

/** The cluster could have answered what is too much to fetch. */
const withReason = (
  error: FetchLimitError,
  { reason, hasFailed }: { readonly reason: string; readonly hasFailed: boolean },
): RequestError =>
  hasFailed
    ? unavailable(`${reason}, and here ${error.message}`)
    : badRequest(`${error.message}, or let the cluster answer it: ${reason}`);
