// What can become of a statement, as the caller has to tell it apart.

/**
 * - `refused`: the statement is wrong for Trino, or its user may not run it: again, it would fail again
 * - `failed`: a worker is lost, memory is short, an object is missing: the cluster works, the statement did not
 * - `unreachable`: the coordinator does not answer
 */
export type ClusterOutcome = 'refused' | 'failed' | 'unreachable';

/** The message is one sentence that names the cluster, without the text of the statement. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';

  constructor(
    readonly outcome: ClusterOutcome,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The `error` of an answer. */
export interface StatementError {
  readonly message?: string;
  readonly errorName?: string;
  /** USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL. */
  readonly errorType?: string;
}

/** Errors that Trino counts as the user's, although another run can pass. */
const passing: ReadonlySet<string> = new Set([
  'EXCEEDED_TIME_LIMIT',
  'ADMINISTRATIVELY_KILLED',
  'ADMINISTRATIVELY_PREEMPTED',
  'USER_CANCELED',
]);

export function statementError(cluster: string, error: StatementError): ClusterError {
  const { message = 'no message', errorName = 'UNKNOWN', errorType } = error;
  const isRefused = errorType === 'USER_ERROR' && !passing.has(errorName);
  const what = isRefused ? 'refuses a statement' : 'did not finish a statement';
  return new ClusterError(
    isRefused ? 'refused' : 'failed',
    `the cluster ${cluster} ${what}: ${errorName}: ${message}`,
  );
}
