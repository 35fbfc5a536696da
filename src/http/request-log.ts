// Assigns an id to each request and logs a line when it ends.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Middleware, RequestContext } from './state.js';

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
  (log: Logger): Middleware =>
  async (context, next) => {
    const startedMs = performance.now();
    context.state.requestId = randomUUID();
    context.state.caller = { kind: 'anonymous' };
    context.set('x-request-id', context.state.requestId);
    context.res.once('close', () => log.info(describe(context, startedMs), 'request'));
    await next();
  };
