// The Koa application: what happens to every request, in order.
import cors from '@koa/cors';
import Koa from 'koa';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import { RequestError } from '../errors.js';
import { requirePrincipal } from '../service/access.js';
import type { Services } from '../service/context.js';
import { headerNames } from './answer-headers.js';
import { authenticate, refuseWrongKeys } from './authenticate.js';
import { isDisconnection } from './disconnection.js';
import type { Operation } from './operation.js';
import { limitRate } from './rate-limit.js';
import { renderErrors } from './render-errors.js';
import { logRequests } from './request-log.js';
import { mount } from './router.js';
import type { Middleware, RequestContext, RequestState } from './state.js';

/** The client may refuse every encoding, even none; then it gets none. */
const allowCompression: Middleware = async (context, next) => {
  await next();
  if (context.acceptsEncodings('gzip', 'identity') === false) context.compress = false;
};

// Level 1: large answers are common, and the levels above cost far more time than they save bytes.
const gzip = compress({
  threshold: 0,
  gzip: { level: 1 },
  br: false,
  deflate: false,
  zstd: false,
});

/** Some clients put the path behind a slash of their own. */
const collapseSlashes: Middleware = (context, next) => {
  context.url = context.url.replace(/^\/[^?]*/, (path) => path.replaceAll(/\/{2,}/g, '/'));
  return next();
};

/** What no route answered: without a key nobody learns which routes there are. */
const refuseUnrouted: Middleware = async (context, next) => {
  await next();
  if (![404, 405, 501].includes(context.status) || context.body !== undefined) return;
  requirePrincipal(context.state.caller);
  const allow = context.response.get('Allow') as string | undefined;
  if (allow === undefined || allow === '') throw new RequestError(404, `no route ${context.path}`);
  throw new RequestError(405, `${context.path} takes ${allow}, not ${context.method}`);
};

export function createApp(services: Services, operations: readonly Operation[]): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const router = mount(services, operations);
  app.on('error', (error: unknown, { res }: RequestContext) => {
    if (!isDisconnection(error, res)) services.log.warn({ err: error }, 'response failed');
  });
  const steps: readonly Middleware[] = [
    logRequests(services.log),
    collapseSlashes,
    gzip,
    allowCompression,
    renderErrors(services.log),
    helmet(),
    cors({ exposeHeaders: [...headerNames], keepHeadersOnError: false }),
    authenticate(services.accounts),
    limitRate(services.config.rateLimit),
    refuseWrongKeys,
    refuseUnrouted,
    router.routes() as Middleware,
    router.allowedMethods() as Middleware,
  ];
  for (const step of steps) app.use(step);
  return app;
}
