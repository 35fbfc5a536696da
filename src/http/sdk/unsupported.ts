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

/** Unsupported operations. They do not read a body. */
export const unsupportedOperations: readonly Operation[] = [
  // Clients fall back to it when /logs3 refuses a request, and show only this message.
  refused('post', '/logs', '/logs3 refused the rows: send them there to see the reason'),
  refused('post', '/logs3/overflow', '/logs3 has no separate limit: send the rows there'),
  refused('post', '/function/invoke', 'this server does not run functions'),
  refused('post', '/v1/function/:id/invoke', 'this server does not run functions'),
  refused('post', '/function/sandbox-list', 'this server does not run functions'),
  refused('post', '/function/code', 'this server does not store code of functions'),
  refused('post', '/btql/async', 'asynchronous queries are not supported: send the query to /btql'),
  refused('post', '/otel/v1/logs', 'only traces are supported, not log records'),
  refused('post', '/otel/v1/metrics', 'only traces are supported, not metrics'),
  refused('post', '/v1/proxy/chat/completions', 'this server does not call models'),
  refused('get', '/v1/project_automation', 'automations are not supported'),
  refused('get', '/v1/environment', 'environments are not supported'),
  refused('post', '/v1/environment', 'environments are not supported'),
  refused('get', '/environment', 'environments are not supported'),
  refused('post', '/environment', 'environments are not supported'),
  refused('get', '/environment-object/:kind/:object', 'environments are not supported'),
  refused('get', '/environment-object/:kind/:object/:name', 'environments are not supported'),
  refused('put', '/environment-object/:kind/:object/:name', 'environments are not supported'),
  refused('delete', '/environment-object/:kind/:object/:name', 'environments are not supported'),
];
