// The Koa application: the steps of every request, in order. It is one middleware, since each further one costs a promise.
import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import Koa from 'koa';
import type { Services } from '../service/context.js';
import { headerNames } from './answer-headers.js';
import { authenticate, refuseWrongKeys } from './authenticate.js';
import { noteAddress } from './client-address.js';
import { CommonHeaders } from './common-headers.js';
import { compressAnswer } from './compression.js';
import { consoleServer } from './console.js';
import { isDisconnection } from './disconnection.js';
import type { Operation } from './operation.js';
import { permissionTable, type PermissionTable } from './permission-table.js';
import { limitRate } from './rate-limit.js';
import { errorRenderer } from './render-errors.js';
import { logRequests } from './request-log.js';
import { mount } from './router.js';
import { simplifyTarget } from './request-target.js';
import { authenticateSession } from './session.js';
import type { RequestContext, RequestState, Step } from './state.js';

const crossOrigin = cors({ exposeHeaders: [...headerNames], keepHeadersOnError: false });

/** Whether a request of a browser gets CORS headers: one with an origin, and OPTIONS. */
const isCrossOrigin = ({ req }: RequestContext): boolean =>
  req.headers.origin !== undefined || req.method === 'OPTIONS';

export function createApp(
  services: Services,
  operations: readonly Operation[],
  permissions: PermissionTable = permissionTable,
): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.on('error', (error: unknown, { res }: RequestContext) => {
    if (!isDisconnection(error, res)) services.log.warn({ err: error }, 'answer failed');
  });
  const headers = new CommonHeaders(services.config.publicUrl?.startsWith('https:') === true);
  const log = logRequests(services);
  const serveConsole = consoleServer(services.config);
  const renderError = errorRenderer(services.log);
  const steps: readonly Step[] = [
    noteAddress(services.config),
    authenticate(services.accounts, services.config),
    authenticateSession(services),
    limitRate(services.config),
    refuseWrongKeys,
  ];
  const run = mount(services, operations, permissions);
  const operate = (context: RequestContext) => {
    for (const step of steps) step(context);
    return run(context);
  };
  app.use(async (context) => {
    const { state } = context;
    state.requestId = randomUUID();
    state.caller = { kind: 'anonymous', hasKey: false };
    state.headers = headers;
    log(context);
    simplifyTarget(context);
    if (serveConsole(context)) return;
    try {
      if (isCrossOrigin(context)) {
        headers.set(context);
        await crossOrigin(context, async () => operate(context));
      } else await operate(context);
    } catch (error) {
      renderError(context, error);
    }
    // Without an answer in one call, Koa sends what the context holds.
    if (context.respond !== false) await compressAnswer(context);
  });
  return app;
}
