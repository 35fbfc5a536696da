// Mounts operations. For each request: checks the parameters, the access and the body, in this order, and runs the operation. Without
// a key, access is checked first.
import { isUtf8 } from 'node:buffer';
import { Router, type RouterContext } from '@koa/router';
import { Type } from 'typebox';
import { bodyMegabytesMax } from '../config.js';
import { forbidden, RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { catalogPath } from '../schema/iceberg.js';
import type { Permission } from '../schema/permission.js';
import { Uuid } from '../schema/scalar.js';
import {
  currentPrincipal,
  publicReader,
  requirePrincipal,
  requireObject,
} from '../service/access/access.js';
import type { Caller, ReserveMemory, Services } from '../service/context.js';
import { readOnly } from '../service/table/catalog.js';
import { createBodyBudget, type BodyBudget } from './body-budget.js';
import { isConsolePath } from './console.js';
import { contentTypeOf, isTextType } from './content-type.js';
import { documentedPath, type Operation } from './operation.js';
import { parameterReader } from './parameters.js';
import { nameOf, needOf, type Need, type PermissionTable } from './permission-table.js';
import { weighedBytes } from './rate-limit.js';
import { bodyChunks, readBody, type SizeLimit } from './read-body.js';
import { jsonReader, sizeLimits } from './request-body.js';
import type { RequestContext, RequestState } from './state.js';
import { compileValidator } from './validate.js';
import { writeReply } from './write-reply.js';

const validateIds = compileValidator(Type.Object({ id: Uuid }), { whole: 'path', part: 'id' });

/** The caller of an operation. On a public object, a key without a permission for it counts as no key. */
function callerFor(
  services: Services,
  state: RequestState,
  need: Need,
  permission: Permission,
  id: string,
): Caller {
  const caller = callerOf(state, permission);
  return need.where === 'path' && need.isPublic
    ? publicReader(services, caller, need.of, id)
    : caller;
}

/** A key of the scope `metrics` may do what needs no key, and read the metrics. */
function checkScope({ caller }: RequestState, operation: Operation | null, need: Need): void {
  if (caller.kind === 'anonymous' || caller.scope === null || need.where === 'open') return;
  if (operation === null || nameOf(operation) !== 'GET /metrics')
    throw forbidden('this key may only read /metrics');
}

/** A DELETE checks its object itself, since it answers another status. */
function checkAccess(services: Services, method: string, need: Need, caller: Caller, id: string) {
  if (need.where === 'open') return;
  const isInPath = need.where === 'path';
  if (!isInPath || !need.isPublic) requirePrincipal(caller);
  if (isInPath && method !== 'delete') requireObject(services, caller, need.of, id);
}

/** Returns a signal that aborts if the connection closes before the answer is sent. */
function disconnection(context: RequestContext): AbortSignal {
  const controller = new AbortController();
  if (context.res.destroyed) controller.abort();
  context.res.once('close', () => {
    if (!context.res.writableFinished) controller.abort();
  });
  return controller.signal;
}

interface Body {
  readonly bytes: Buffer;
  readonly content: AsyncIterable<Buffer>;
  readonly contentType: string;
  readonly json: JsonValue;
}

/** The body of a request, and the memory that it uses. */
interface OpenBody {
  readonly read: () => Promise<Body> | Body;
  readonly reserve: ReserveMemory;
  /** Called when the request ends. */
  readonly release: () => void;
}

type BodyOpener = (context: RequestContext) => OpenBody;

async function* nothing(): AsyncGenerator<Buffer> {}

const noBody: Body = { bytes: Buffer.alloc(0), content: nothing(), contentType: '', json: null };

const without: OpenBody = { read: () => noBody, reserve: () => {}, release: () => {} };

/** Asks a client that waits for it to send the body. HTTP/1.0 has no interim responses. */
const continueIfAsked = ({ req, res }: RequestContext): void => {
  if ((req.headers.expect ?? '') !== '' && req.httpVersion !== '1.0') res.writeContinue();
};

/** A streamed body does not count against the memory budget. */
const streamOf =
  (limit: SizeLimit): BodyOpener =>
  (context) => {
    const content = bodyChunks(context.req, limit, () => continueIfAsked(context));
    return {
      read: () => ({ ...noBody, content }),
      reserve: () => {},
      release: () => context.req.resume(),
    };
  };

interface BodyLimits {
  /** For bodies that are read into memory. */
  readonly bytesMax: number;
  /** For streamed bodies. */
  readonly stream: SizeLimit;
}

function bodyOf({ body: rule }: Operation, limits: BodyLimits, budget: BodyBudget): BodyOpener {
  if (rule === undefined) return () => without;
  if (rule.kind === 'stream') return streamOf(limits.stream);
  const readJson = jsonReader(rule);
  const sizes = sizeLimits(rule, limits.bytesMax);
  return (context) => {
    const { caller } = context.state;
    const reservation = budget.reserve(caller.kind === 'key' ? caller.userId : null);
    const reserve: ReserveMemory = (taken) => reservation.take(taken);
    const read = async () => {
      const contentType = contentTypeOf(context.req, rule);
      const isText = isTextType(contentType);
      const start = () => continueIfAsked(context);
      const bytes = await readBody(context.req, sizes[caller.kind], reservation, isText, start);
      context.state.charge?.(Math.floor(bytes.length / weighedBytes));
      return { content: noBody.content, bytes, contentType, json: readJson(bytes, reserve) };
    };
    return { read, reserve, release: () => reservation.release() };
  };
}

/** Decodes UTF-8 in a header, which Node.js reads as Latin-1. */
function decodeHeader(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

const headersOf = ({ req }: RequestContext, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = req.headers[name];
      return typeof value === 'string' && value !== '' ? [[name, decodeHeader(value)]] : [];
    }),
  );

/** No answer has a validator that `If-Range` could name. */
const rangeOf = ({ method, headers }: RequestContext['req']): string =>
  method === 'GET' && headers['if-range'] === undefined ? (headers.range ?? '') : '';

/** Names every field: an object with a spread and further fields takes ten times as long to create. */
const callerOf = ({ caller, requestId }: RequestState, permission: Permission): Caller =>
  caller.kind === 'anonymous'
    ? { kind: caller.kind, hasKey: caller.hasKey, permission, requestId }
    : {
        kind: caller.kind,
        keyId: caller.keyId,
        userId: caller.userId,
        orgIds: caller.orgIds,
        expires: caller.expires,
        scope: caller.scope,
        permission,
        requestId,
      };

/** `id` is the id in the path, in lower case. */
type Runner = (context: RequestContext, id: string) => Promise<void>;

function runner(
  services: Services,
  operation: Operation,
  need: Need,
  openBody: BodyOpener,
): Runner {
  const readParameters = parameterReader(operation.query, operation);
  const hasId = operation.path.includes(':id');
  const headerNames = Object.keys(operation.requestHeaders?.properties ?? {});
  const permission = 'permission' in need ? need.permission : 'read';
  const furtherRequests = (operation.weight ?? 1) - 1;
  const labels = { method: operation.method.toUpperCase(), route: documentedPath(operation) };
  return async (context, id) => {
    const { req, state } = context;
    state.operation = labels;
    const caller = () => callerFor(services, state, need, permission, id);
    const check = () => checkAccess(services, operation.method, need, caller(), id);
    // Checked first, so that errors in the rest of the request are not disclosed without a key.
    if (state.caller.kind === 'anonymous') check();
    checkScope(state, operation, need);
    if (hasId) {
      validateIds({ id });
      state.objectId = id;
    }
    const query = readParameters(context.querystring);
    if (state.caller.kind === 'key') check();
    if (permission !== 'read' && req.method !== 'GET') services.store.requireOwner();
    state.charge?.(furtherRequests);
    const open = openBody(context);
    try {
      const { bytes, content, contentType, json } = await open.read();
      // A body takes as long to arrive as its sender likes.
      if (operation.body !== undefined && state.caller.kind === 'key')
        state.caller = currentPrincipal(services, state.caller);
      const reply = await operation.run({
        services,
        caller: caller(),
        id,
        query,
        host: req.headers.host ?? '',
        body: json,
        bytes,
        content,
        contentType,
        headers: headersOf(context, headerNames),
        accept: req.headers.accept ?? '',
        ifNoneMatch: req.headers['if-none-match'] ?? '',
        range: rangeOf(req),
        isHead: req.method === 'HEAD',
        reserve: open.reserve,
        signal: () => disconnection(context),
      });
      await writeReply(context, reply, services.log);
    } finally {
      open.release();
    }
  };
}

/** The last of several: the object, below its kind. */
const idOf = (params: Readonly<Record<string, string>>): string =>
  (Object.values(params).at(-1) ?? '').toLowerCase();

/** A literal segment takes precedence over an id. Letter case and a trailing slash do not matter. */
function routerFor(
  services: Services,
  operations: readonly Operation[],
  permissions: PermissionTable,
): Router<RequestState> {
  const router = new Router<RequestState>({ exclusive: 'specificity' });
  const { bodiesMemoryMb, attachmentLimitMb } = services.config;
  const budget = createBodyBudget(bodiesMemoryMb, services.requestMetrics.budgets.bodies);
  const limits = {
    bytesMax: bodyMegabytesMax(services.config) * 2 ** 20,
    stream: {
      bytesMax: attachmentLimitMb === 0 ? Infinity : attachmentLimitMb * 2 ** 20,
      of: ' for attachments',
    },
  };
  for (const operation of operations) {
    const need = needOf(operation, permissions);
    const run = runner(services, operation, need, bodyOf(operation, limits, budget));
    // A GET route takes HEAD, too, for which Koa omits the body.
    router.register(operation.path, [operation.method], (context) =>
      run(context, idOf(context.params)),
    );
  }
  return router;
}

/** Answers requests without an operation. The routes are not disclosed without a key. */
function refuse(context: RequestContext & Pick<RouterContext, 'matched'>): void {
  const { method, path, state } = context;
  state.headers.set(context);
  const routes = (context.matched ?? []).flatMap((route) => route.methods);
  const methods = [...new Set([...(isConsolePath(path) ? ['HEAD', 'GET'] : []), ...routes])];
  const allowed = methods.join(', ');
  if (method === 'OPTIONS' && methods.length > 0) {
    context.set('Allow', allowed);
    context.body = '';
    return;
  }
  requirePrincipal(callerOf(state, 'read'));
  checkScope(state, null, { where: 'key' });
  // Engines expect another status than 405.
  if (catalogPath.test(path) && method !== 'GET' && method !== 'HEAD') throw readOnly();
  if (methods.length === 0) throw new RequestError(404, `no route ${path}`);
  throw new RequestError(405, `${path} takes ${allowed}, not ${method}`, { Allow: allowed });
}

/** Returns a function that answers a request by its operation. */
export function mount(
  services: Services,
  operations: readonly Operation[],
  permissions: PermissionTable,
): (context: RequestContext) => Promise<void> {
  const dispatch = routerFor(services, operations, permissions).routes();
  return async (context) => {
    const routed = context as RouterContext<RequestState>;
    // Clients in Java spell a space in a namespace as in a form; a plus is %2B.
    if (catalogPath.test(context.path)) routed.newRouterPath = context.path.replaceAll('+', '%20');
    return dispatch(routed, async () => refuse(context));
  };
}
