// Mounts operations: access, then parameters, then body, then the operation itself.
import { isUtf8 } from 'node:buffer';
import { Type } from 'typebox';
import { bodyMegabytesMax } from '../config.js';
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { Uuid } from '../schema/scalar.js';
import { requirePrincipal, subject } from '../service/access.js';
import type { Caller, Hold, Services } from '../service/context.js';
import { createBodyBudget, type BodyBudget } from './body-budget.js';
import { contentTypeOf, isTextType } from './content-type.js';
import type { Operation } from './operation.js';
import { parameterReader } from './parameters.js';
import { needOf, type Need, type PermissionTable } from './permission-table.js';
import { weighedBytes } from './rate-limit.js';
import { bodyChunks, readBody, type SizeLimit } from './read-body.js';
import { jsonReader, sizeLimit } from './request-body.js';
import { RouteTable } from './route-table.js';
import type { Middleware, RequestContext } from './state.js';
import { compileValidator } from './validate.js';
import { writeReply } from './write-reply.js';

const validateIds = compileValidator(Type.Object({ id: Uuid }), { whole: 'path', part: 'id' });

/** What a DELETE names is checked by the deletion, which refuses it in another way. */
function checkAccess(services: Services, method: string, need: Need, caller: Caller, id: string) {
  if (need.where === 'open') return;
  const isInPath = need.where === 'path';
  if (!isInPath || !need.isPublic) requirePrincipal(caller);
  if (isInPath && method !== 'delete') subject(services, caller, need.of, id);
}

/** Fires when the connection closes before the answer was sent. */
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
  readonly hold: Hold;
}

type BodyUser = (context: RequestContext, use: (body: Body) => Promise<void>) => Promise<void>;

async function* nothing(): AsyncGenerator<Buffer> {}

const noBody: Body = {
  bytes: Buffer.alloc(0),
  content: nothing(),
  contentType: '',
  json: null,
  hold: () => {},
};

/** A body that is handed on as it arrives takes up no memory that is to be counted. */
const streamOf =
  (limit: SizeLimit): BodyUser =>
  async (context, use) => {
    const content = bodyChunks(context.req, limit, () => {
      if (context.get('expect') !== '') context.res.writeContinue();
    });
    try {
      await use({ ...noBody, content });
    } finally {
      context.req.resume();
    }
  };

interface BodyLimits {
  /** Of bodies that are read whole. */
  readonly bytesMax: number;
  /** Of those that are handed on as they arrive. */
  readonly stream: SizeLimit;
}

/** Lends the body while it is used; its memory counts until then. */
function bodyOf({ body: rule }: Operation, limits: BodyLimits, budget: BodyBudget): BodyUser {
  if (rule === undefined) return (_context, use) => use(noBody);
  if (rule.kind === 'stream') return streamOf(limits.stream);
  const readJson = jsonReader(rule);
  return async (context, use) => {
    const { caller } = context.state;
    const contentType = contentTypeOf(context.req, rule);
    const isText = isTextType(contentType);
    const held = budget.hold(caller.kind === 'anonymous');
    try {
      if (context.get('expect') !== '') context.res.writeContinue();
      const limit = sizeLimit(rule, caller, limits.bytesMax);
      const bytes = await readBody(context.req, limit, held, isText);
      context.state.charge?.(Math.floor(bytes.length / weighedBytes));
      const hold: Hold = (taken) => held.take(taken);
      await use({ ...noBody, bytes, contentType, json: readJson(bytes, hold), hold });
    } finally {
      held.release();
    }
  };
}

/** Node.js reads headers byte by byte; clients write what is not ASCII in UTF-8. */
function decodeHeader(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

const headersOf = (context: RequestContext, names: readonly string[]) =>
  Object.fromEntries(
    names
      .filter((name) => context.get(name) !== '')
      .map((name) => [name, decodeHeader(context.get(name))]),
  );

/** `id` is the one in the path, in lower case. */
type Runner = (context: RequestContext, id: string) => Promise<void>;

function runner(services: Services, operation: Operation, need: Need, withBody: BodyUser): Runner {
  const readParameters = parameterReader(operation.query, operation);
  const hasId = operation.path.includes(':id');
  const headerNames = Object.keys(operation.headers?.properties ?? {});
  const permission = 'permission' in need ? need.permission : 'read';
  return async (context, id) => {
    const caller: Caller = {
      ...context.state.caller,
      permission,
      requestId: context.state.requestId,
    };
    const check = () => checkAccess(services, operation.method, need, caller, id);
    // Without a key nobody learns what is wrong with the rest of a request that needs one.
    if (caller.kind === 'anonymous') check();
    if (hasId) validateIds({ id });
    const query = readParameters(context.querystring);
    if (caller.kind === 'key') check();
    context.state.charge?.((operation.weight ?? 1) - 1);
    await withBody(context, async ({ bytes, content, contentType, json, hold }) => {
      const reply = await operation.run({
        services,
        caller,
        id,
        query,
        host: context.get('host'),
        body: json,
        bytes,
        content,
        contentType,
        headers: headersOf(context, headerNames),
        ifNoneMatch: context.get('if-none-match'),
        hold,
        signal: () => disconnection(context),
      });
      await writeReply(context, reply, services.log);
    });
  };
}

/** The operations of one path, by the methods of requests. */
type Route = Map<string, Runner>;

function mountAll(
  services: Services,
  operations: readonly Operation[],
  permissions: PermissionTable,
): RouteTable<Route> {
  const table = new RouteTable<Route>();
  const { bodiesMemoryMb, attachmentLimitMb } = services.config;
  const budget = createBodyBudget(bodiesMemoryMb);
  const limits = {
    bytesMax: bodyMegabytesMax(services.config) * 2 ** 20,
    stream: {
      bytesMax: attachmentLimitMb === 0 ? Infinity : attachmentLimitMb * 2 ** 20,
      of: ' for attachments',
    },
  };
  for (const operation of operations) {
    const route = table.at(operation.path, () => new Map());
    const need = needOf(operation, permissions);
    const run = runner(services, operation, need, bodyOf(operation, limits, budget));
    // Koa sends no body for HEAD.
    if (operation.method === 'get') route.set('HEAD', run);
    route.set(operation.method.toUpperCase(), run);
  }
  return table;
}

/** What no operation answers. Without a key nobody learns which routes there are. */
function refuse(context: RequestContext, route: Route | undefined): void {
  const { method, path, state } = context;
  const allowed = [...(route?.keys() ?? [])].join(', ');
  if (method === 'OPTIONS' && route !== undefined) {
    context.set('Allow', allowed);
    context.body = '';
    return;
  }
  requirePrincipal({ ...state.caller, permission: 'read', requestId: state.requestId });
  if (route === undefined) throw new RequestError(404, `no route ${path}`);
  throw new RequestError(405, `${path} takes ${allowed}, not ${method}`, { Allow: allowed });
}

/** The last step of every request. */
export function mount(
  services: Services,
  operations: readonly Operation[],
  permissions: PermissionTable,
): Middleware {
  const table = mountAll(services, operations, permissions);
  return (context) => {
    const found = table.find(context.path);
    const run = found?.value.get(context.method);
    if (found === null || run === undefined) return refuse(context, found?.value);
    return run(context, found.id.toLowerCase());
  };
}
