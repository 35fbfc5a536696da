// Logs a line when a request ends, and adds its duration to the metrics if it has an operation.
import type { Services } from '../service/context.js';
import type { Step, RequestContext } from './state.js';

/** Null if the client disconnected before the answer. */
const statusOf = ({ res }: RequestContext): number | null =>
  res.headersSent ? res.statusCode : null;

const describe = (context: RequestContext, milliseconds: number) => ({
  requestId: context.state.requestId,
  method: context.method,
  path: context.path,
  status: statusOf(context),
  durationMs: Math.round(milliseconds),
  key: context.state.caller.kind === 'key' ? context.state.caller.keyId : null,
  complete: context.res.writableFinished,
});

/** Counts a refused request for the project of the object in its path. */
function countRefusal(
  { catalog, requestMetrics: { refusedOf } }: Pick<Services, 'catalog' | 'requestMetrics'>,
  objectId: string,
): void {
  const header = catalog.header(objectId);
  const projectId = header?.kind === 'project' ? objectId : (header?.projectId ?? null);
  if (projectId !== null) refusedOf.set(projectId, (refusedOf.get(projectId) ?? 0) + 1);
}

export const logRequests =
  (services: Pick<Services, 'catalog' | 'log' | 'requestMetrics'>): Step =>
  (context) => {
    const startedMs = performance.now();
    context.res.once('close', () => {
      const milliseconds = performance.now() - startedMs;
      const { log, requestMetrics } = services;
      log.info(describe(context, milliseconds), 'request');
      const { operation, objectId } = context.state;
      if (operation === undefined) return;
      if (objectId !== undefined && (statusOf(context) ?? 0) >= 400)
        countRefusal(services, objectId);
      requestMetrics.seconds.observe(
        {
          method: operation.method,
          route: operation.route,
          status: statusOf(context) ?? 'disconnected',
        },
        milliseconds / 1000,
      );
    });
  };
