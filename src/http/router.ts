// Mounts operations: access, then parameters, then body, then the operation itself.
import { Router } from '@koa/router';
import { Type } from 'typebox';
import { badRequest } from '../errors.js';
import { parseJson } from '../json/parse.js';
import { plainJson } from '../json/tree.js';
import { Uuid } from '../schema/scalar.js';
import { headerForRead, requirePrincipal } from '../service/access.js';
import type { Services } from '../service/context.js';
import type { Access, BodyRule, Operation } from './operation.js';
import { parameterReader } from './parameters.js';
import { readBody } from './read-body.js';
import type { Middleware, RequestContext, RequestState } from './state.js';
import { compileValidator } from './validate.js';
import { writeReply } from './write-reply.js';

type BodyReader = (text: string) => ReturnType<typeof parseJson>;

const bodyPlace = { whole: 'request body', part: 'field' };

const validateIds = compileValidator(Type.Object({ id: Uuid }), { whole: 'path', part: 'id' });

function checkAccess(services: Services, access: Access, context: RequestContext, id: string) {
  const { caller } = context.state;
  if (caller.kind === 'key' || access.kind === 'open') return;
  if (access.kind === 'public') headerForRead(services, caller, access.of, id);
  else requirePrincipal(caller);
}

function bodyReader(rule: BodyRule | undefined): BodyReader {
  if (rule === undefined || rule.kind === 'text') return () => null;
  const validate = compileValidator(rule.schema, bodyPlace);
  return (text) => {
    if (text.trim() === '') {
      if (rule.kind === 'optional') return {};
      throw badRequest('request body: expected an object, got nothing');
    }
    const body = parseJson(text);
    validate(plainJson(body));
    return body;
  };
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

function pathId(context: RequestContext): string {
  const { params } = context as RequestContext & { params: { id?: string } };
  return (params.id ?? '').toLowerCase();
}

function runner(services: Services, operation: Operation): Middleware {
  const readParameters = parameterReader(operation.query, operation.aliases);
  const readJson = bodyReader(operation.body);
  const hasId = operation.path.includes(':id');
  return async (context) => {
    const id = pathId(context);
    if (hasId) validateIds({ id });
    const query = readParameters(context.querystring);
    const text = (context.request as { body?: string }).body ?? '';
    const reply = await operation.run({
      services,
      caller: context.state.caller,
      id,
      query,
      body: readJson(text),
      text,
      // Most requests are over before anybody would ask, and signals take their time to make.
      get signal() {
        return disconnection(context);
      },
    });
    await writeReply(context, reply, services.log);
  };
}

const guard =
  (services: Services, operation: Operation): Middleware =>
  (context, next) => {
    checkAccess(services, operation.access, context, pathId(context));
    return next();
  };

export function mount(services: Services, operations: readonly Operation[]): Router<RequestState> {
  const router = new Router<RequestState>();
  const bodies = readBody(services.config.bodyLimitMb);
  for (const operation of operations) {
    const steps: Middleware[] = [
      guard(services, operation),
      ...(operation.body === undefined ? [] : [bodies]),
      runner(services, operation),
    ];
    router.register(operation.path, [operation.method], steps as Parameters<Router['register']>[2]);
  }
  return router;
}
