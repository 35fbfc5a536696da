// Reads the request body as text, whatever its content type says, within the size limit.
import { bodyParser } from '@koa/bodyparser';
import { RequestError, badRequest } from '../errors.js';
import type { Middleware } from './state.js';

interface BodyError extends Error {
  readonly status?: number;
  readonly code?: string;
}

/** @param limitMb 0 sets no limit */
function toRequestError(error: BodyError, limitMb: number): Error {
  if (error.status === 413 || error.code === 'ERR_STRING_TOO_LONG') {
    const limit = limitMb === 0 ? 'what the server can hold' : `the limit of ${limitMb} MB`;
    return new RequestError(413, `the request body is larger than ${limit}`);
  }
  if (error.status === 415) {
    return new RequestError(415, 'the content encoding of the request body is not supported');
  }
  if (error.code?.startsWith('Z_') === true) {
    return badRequest('the request body is not what its content encoding says');
  }
  if (error.status === 400) return badRequest('the request body ended before it was complete');
  return error;
}

export function readBody(limitMb: number): Middleware {
  const parse = bodyParser({
    enableTypes: ['text'],
    textLimit: (limitMb === 0 ? Infinity : limitMb * 2 ** 20) as unknown as string,
    onError: (error) => {
      throw toRequestError(error, limitMb);
    },
  });
  return (context, next) => {
    // The parser goes by the content type, which clients often leave out or get wrong.
    context.req.headers['content-type'] = 'text/plain';
    return parse(context, next as () => Promise<void>);
  };
}
