// gzip for the answers of clients that accept it. Texts that are short are encoded at once, all others through a stream.
import { gzipSync } from 'node:zlib';
import compress from 'koa-compress';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { Middleware, RequestContext } from './state.js';
import { storedGzip } from './stored-gzip.js';

// Level 1: large answers are common, and the levels above cost far more time than they save bytes.
const level = 1;

const throughStream = compress({
  threshold: 0,
  gzip: { level },
  br: false,
  deflate: false,
  zstd: false,
});

/** In UTF-16 units, or bytes. Of these a stream costs ten times what encoding them at once does. */
const contentLengthMax = 2 ** 14;

/** A text of this length fits into one packet as it is. */
const storedLengthMax = 2 ** 10;

/** Clients send few different headers; a long one is not worth the memory. */
const cachedHeaders = 100;
const cachedHeaderLengthMax = 100;

const negotiate = (header: string): boolean =>
  new Negotiator({ headers: { 'accept-encoding': header } }).encoding(['gzip', 'identity'], {
    preferred: ['gzip'],
  }) === 'gzip';

const negotiated = new LRUCache<string, boolean>({ max: cachedHeaders, memoMethod: negotiate });

function acceptsGzip({ req }: RequestContext): boolean {
  const header = req.headers['accept-encoding'];
  // A client that names no encoding gets none.
  if (typeof header !== 'string' || header === '') return false;
  return header.length > cachedHeaderLengthMax ? negotiate(header) : negotiated.memo(header);
}

const encode = (content: string | Buffer): Buffer =>
  typeof content === 'string' && content.length <= storedLengthMax
    ? storedGzip(content)
    : gzipSync(content, { level });

const done = async (): Promise<void> => {};

export const compressAnswers: Middleware = async (context, next) => {
  await next();
  if (!acceptsGzip(context)) return;
  const body: unknown = context.body;
  const isAtHand = typeof body === 'string' || Buffer.isBuffer(body);
  if (!isAtHand || body.length > contentLengthMax) {
    await throughStream(context, done);
    return;
  }
  if (body.length === 0 || context.method === 'HEAD' || context.headerSent) return;
  context.body = encode(body);
  context.set('Content-Encoding', 'gzip');
};
