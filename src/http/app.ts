// The Koa application: the middleware of every request, in order.
import cors from '@koa/cors';
import Koa from 'koa';
import type { Services } from '../service/context.js';
import { headerNames } from './answer-headers.js';
import { authenticate, refuseWrongKeys } from './authenticate.js';
import { compressAnswers } from './compression.js';
import { serveConsole } from './console.js';
import { setConstantHeaders } from './constant-headers.js';
import { isDisconnection } from './disconnection.js';
import type { Operation } from './operation.js';
import { permissionTable, type PermissionTable } from './permission-table.js';
import { limitRate } from './rate-limit.js';
import { renderErrors } from './render-errors.js';
import { logRequests } from './request-log.js';
import { mount } from './router.js';
import { authenticateSession } from './session.js';
import type { Middleware, RequestContext, RequestState } from './state.js';

/** Some clients join a base URL that ends with a slash to a path that begins with one. */
const collapseSlashes: Middleware = (context, next) => {
  if (context.url.includes('//'))
    context.url = context.url.replace(/^\/[^?]*/, (path) => path.replaceAll(/\/{2,}/g, '/'));
  return next();
};

const crossOrigin = cors({ exposeHeaders: [...headerNames], keepHeadersOnError: false });

/** Adds CORS headers to requests of browsers: those with an origin, and OPTIONS. */
const answerOrigins: Middleware = (context, next) =>
  context.req.headers.origin === undefined && context.method !== 'OPTIONS'
    ? next()
    : crossOrigin(context, next);

export function createApp(
  services: Services,
  operations: readonly Operation[],
  permissions: PermissionTable = permissionTable,
): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.on('error', (error: unknown, { res }: RequestContext) => {
    if (!isDisconnection(error, res)) services.log.warn({ err: error }, 'response failed');
  });
  const steps: readonly Middleware[] = [
    logRequests(services.log),
    collapseSlashes,
    setConstantHeaders(services.config.publicUrl?.startsWith('https:') === true),
    serveConsole(services.config),
    compressAnswers,
    renderErrors(services.log),
    answerOrigins,
    authenticate(services.accounts, services.config),
    authenticateSession(services),
    limitRate(services.config),
    refuseWrongKeys,
    mount(services, operations, permissions),
  ];
  for (const step of steps) app.use(step);
  return app;
}
