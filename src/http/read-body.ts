// Reads the request body as text, whatever its content type says, within the size limit.
import inflate from 'inflation';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { RequestError, badRequest } from '../errors.js';
import type { Middleware } from './state.js';

interface BodyError extends Error {
  readonly status?: number;
  readonly code?: string;
}

const byteOrderMark = /^\uFEFF/;

/** @param limitMb 0 sets no limit */
function tooLarge(limitMb: number): RequestError {
  const limit = limitMb === 0 ? 'what the server can hold' : `the limit of ${limitMb} MB`;
  return new RequestError(413, `the request body is larger than ${limit}`);
}

function toRequestError(error: BodyError, encoding: string, limitMb: number): Error {
  if (error instanceof RequestError) return error;
  if (error.status === 413 || error.code === 'ERR_STRING_TOO_LONG') return tooLarge(limitMb);
  if (error.status === 415)
    return new RequestError(
      415,
      `the content encoding ${JSON.stringify(encoding)} of the request body is not supported: expected gzip, deflate, br or identity`,
    );
  if (error.code?.startsWith('Z_') === true)
    return badRequest('the request body is not what its content encoding says');
  if (error.status === 400) return badRequest('the request body ended before it was complete');
  return error;
}

/** Of a header; codings are written in any case. */
const codingOf = (request: IncomingMessage): string => {
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  return coding === 'x-gzip' ? 'gzip' : coding;
};

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badRequest('the request body is not UTF-8');
  return bytes.toString('utf8').replace(byteOrderMark, '');
}

export function readBody(limitMb: number): Middleware {
  const limit = limitMb === 0 ? Infinity : limitMb * 2 ** 20;
  return async (context, next) => {
    const { req: request } = context;
    const encoding = codingOf(request);
    request.headers['content-encoding'] = encoding;
    try {
      if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limitMb);
      const bytes = await getRawBody(inflate(request), { limit });
      (context.request as { body?: string }).body = textOf(bytes);
    } catch (error) {
      throw toRequestError(error as BodyError, encoding, limitMb);
    }
    return next();
  };
}
