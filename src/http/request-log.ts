// Logs a line when a request ends.
import type { Logger } from 'pino';
import type { Step, RequestContext } from './state.js';

const describe = (context: RequestContext, startedMs: number) => ({
  requestId: context.state.requestId,
  method: context.method,
  path: context.path,
  // Null if the client disconnected before the answer.
  status: context.res.headersSent ? context.res.statusCode : null,
  durationMs: Math.round(performance.now() - startedMs),
  key: context.state.caller.kind === 'key' ? context.state.caller.keyId : null,
  complete: context.res.writableFinished,
});

export const logRequests =
  (log: Logger): Step =>
  (context) => {
    const startedMs = performance.now();
    context.res.once('close', () => log.info(describe(context, startedMs), 'request'));
  };
