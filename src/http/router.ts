// Mounts operations. For each request: checks access, then the parameters, then the body, and runs the operation.
import { isUtf8 } from 'node:buffer';
import { Type } from 'typebox';
import { bodyMegabytesMax } from '../config.js';
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { Uuid } from '../schema/scalar.js';
import { requirePrincipal, subject } from '../service/access.js';
import type { Caller, ReserveMemory, Services } from '../service/context.js';
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

/** A DELETE checks its object itself, since it answers another status. */
function checkAccess(services: Services, method: string, need: Need, caller: Caller, id: string) {
  if (need.where === 'open') return;
  const isInPath = need.where === 'path';
  if (!isInPath || !need.isPublic) requirePrincipal(caller);
  if (isInPath && method !== 'delete') subject(services, caller, need.of, id);
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
  readonly reserve: ReserveMemory;
}

type BodyUser = (context: RequestContext, use: (body: Body) => Promise<void>) => Promise<void>;

async function* nothing(): AsyncGenerator<Buffer> {}

const noBody: Body = {
  bytes: Buffer.alloc(0),
  content: nothing(),
  contentType: '',
  json: null,
  reserve: () => {},
};

/** A streamed body does not count against the memory budget. */
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
  /** For bodies that are read into memory. */
  readonly bytesMax: number;
  /** For streamed bodies. */
  readonly stream: SizeLimit;
}

/** Returns a function that reads the body, and releases its memory when `use` ends. */
function bodyOf({ body: rule }: Operation, limits: BodyLimits, budget: BodyBudget): BodyUser {
  if (rule === undefined) return (_context, use) => use(noBody);
  if (rule.kind === 'stream') return streamOf(limits.stream);
  const readJson = jsonReader(rule);
  return async (context, use) => {
    const { caller } = context.state;
    const contentType = contentTypeOf(context.req, rule);
    const isText = isTextType(contentType);
    const reservation = budget.reserve(caller.kind === 'anonymous');
    try {
      if (context.get('expect') !== '') context.res.writeContinue();
      const limit = sizeLimit(rule, caller, limits.bytesMax);
      const bytes = await readBody(context.req, limit, reservation, isText);
      context.state.charge?.(Math.floor(bytes.length / weighedBytes));
      const reserve: ReserveMemory = (taken) => reservation.take(taken);
      await use({ ...noBody, bytes, contentType, json: readJson(bytes, reserve), reserve });
    } finally {
      reservation.release();
    }
  };
}

/** Decodes UTF-8 in a header, which Node.js reads as Latin-1. */
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

/** `id` is the id in the path, in lower case. */
type Runner = (context: RequestContext, id: string) => Promise<void>;

function runner(services: Services, operation: Operation, need: Need, withBody: BodyUser): Runner {
  const readParameters = parameterReader(operation.query, operation);
  const hasId = operation.path.includes(':id');
  const headerNames = Object.keys(operation.requestHeaders?.properties ?? {});
  const permission = 'permission' in need ? need.permission : 'read';
  return async (context, id) => {
    const caller: Caller = {
      ...context.state.caller,
      permission,
      requestId: context.state.requestId,
    };
    const check = () => checkAccess(services, operation.method, need, caller, id);
    // Checked first, so that errors in the rest of the request are not disclosed without a key.
    if (caller.kind === 'anonymous') check();
    if (hasId) validateIds({ id });
    const query = readParameters(context.querystring);
    if (caller.kind === 'key') check();
    context.state.charge?.((operation.weight ?? 1) - 1);
    await withBody(context, async ({ bytes, content, contentType, json, reserve }) => {
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
        reserve,
        signal: () => disconnection(context),
      });
      await writeReply(context, reply, services.log);
    });
  };
}

/** The operations of one path, by method. */
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
    // Koa omits the body for HEAD.
    if (operation.method === 'get' && operation.isOnce !== true) route.set('HEAD', run);
    route.set(operation.method.toUpperCase(), run);
  }
  return table;
}

/** Answers requests without an operation. The routes are not disclosed without a key. */
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

/** The last middleware. */
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
