// Operations of SDKs that this server does not support; each is refused with the reason.
import { Type } from 'typebox';
import { RequestError } from '../../errors.js';
import type { Operation } from '../operation.js';

const anyParameters = Type.Object({});

/** An operation that always answers 404 with the reason. */
const refused = (method: Operation['method'], path: string, reason: string): Operation => ({
  method,
  path,
  query: anyParameters,
  run: () => {
    throw new RequestError(404, `${method.toUpperCase()} ${path}: ${reason}`);
  },
});

/** The paths of objects that this server does not have, and what they are called. */
export const refusedObjects = [
  ['/v1/agent', 'agents'],
  ['/v1/ai_secret', 'secrets of model providers'],
  ['/v1/env_var', 'environment variables'],
  ['/v1/environment', 'environments'],
  ['/environment', 'environments'],
  ['/v1/mcp_server', 'MCP servers'],
  ['/v1/org_automation', 'automations'],
  ['/v1/project_automation', 'automations'],
  ['/v1/project_group', 'groups of projects'],
  ['/v1/project_score', 'configured scores of projects'],
  ['/v1/project_tag', 'configured tags of projects'],
  ['/v1/project/:project/simulated_user', 'simulated users'],
  ['/v1/span_iframe', 'frames of spans'],
  ['/v1/view', 'stored views'],
] as const;

/** The operations on a kind of object, each refused. */
function refusedPaths(path: string, things: string): readonly Operation[] {
  const reason = `${things} are not supported`;
  return [
    ...(['get', 'post', 'put', 'delete'] as const).map((method) => refused(method, path, reason)),
    ...(['get', 'patch', 'delete'] as const).map((method) =>
      refused(method, `${path}/:object`, reason),
    ),
  ];
}

/** Unsupported operations. They do not read a body. */
export const unsupportedOperations: readonly Operation[] = [
  // Clients fall back to it when /logs3 refuses a request, and show only this message.
  refused('post', '/logs', '/logs3 refused the rows: send them there to see the reason'),
  refused('post', '/logs3/overflow', '/logs3 has no separate limit: send the rows there'),
  refused('post', '/function/invoke', 'this server does not run functions'),
  refused('post', '/v1/function/:function/invoke', 'this server does not run functions'),
  refused('post', '/function/sandbox-list', 'this server does not run functions'),
  refused('post', '/function/code', 'this server does not store code of functions'),
  refused('post', '/btql/async', 'asynchronous queries are not supported: send the query to /btql'),
  refused('post', '/otel/v1/logs', 'only traces are supported, not log records'),
  refused('post', '/otel/v1/metrics', 'only traces are supported, not metrics'),
  refused('post', '/v1/proxy/chat/completions', 'this server does not call models'),
  refused('post', '/v1/eval', 'this server does not run evaluations: run them with an SDK'),
  ...refusedObjects.flatMap(([path, things]) => refusedPaths(path, things)),
  refused('get', '/environment-object/:kind/:object', 'environments are not supported'),
  refused('get', '/environment-object/:kind/:object/:name', 'environments are not supported'),
  refused('put', '/environment-object/:kind/:object/:name', 'environments are not supported'),
  refused('delete', '/environment-object/:kind/:object/:name', 'environments are not supported'),
];
