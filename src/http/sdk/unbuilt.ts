// What SDKs can ask for and this server does not have: refused at once, in words that say what is missing.
import { Type } from 'typebox';
import { RequestError } from '../../errors.js';
import type { Operation } from '../operation.js';

/** Whatever a client asks for, the reason is the same. */
const anyParameters = Type.Object({});

const refused = (method: Operation['method'], path: string, reason: string): Operation => ({
  method,
  path,
  query: anyParameters,
  run: () => {
    throw new RequestError(404, `${method.toUpperCase()} ${path}: ${reason}`);
  },
});

/** They take no body: nothing of it is read. */
export const unbuiltOperations: readonly Operation[] = [
  // A client falls back to it when /logs3 refuses a request, and shows this text alone.
  refused('post', '/logs', 'the rows were refused by /logs3 before: send them there to see why'),
  refused('post', '/logs3/overflow', 'no body is too large for /logs3: send the rows there'),
  refused('post', '/function/invoke', 'this server does not run functions'),
  refused('post', '/function/code', 'this server does not keep code of functions'),
  refused('post', '/btql/async', 'queries are answered by /btql alone'),
  refused('post', '/otel/v1/logs', 'log records are not taken, only traces'),
  refused('get', '/v1/environment', 'there are no environments'),
  refused('post', '/v1/environment', 'there are no environments'),
  refused('get', '/environment-object/:kind/:object', 'there are no environments'),
  refused('get', '/environment-object/:kind/:object/:name', 'there are no environments'),
  refused('put', '/environment-object/:kind/:object/:name', 'there are no environments'),
  refused('delete', '/environment-object/:kind/:object/:name', 'there are no environments'),
];
