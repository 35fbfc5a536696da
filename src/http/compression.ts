// gzip for clients that accept it. Texts of a packet stay as they are, short ones are compressed in one call, others through a stream.
import { gzipSync } from 'node:zlib';
import compress from 'koa-compress';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { RequestContext } from './state.js';

// Level 1: large answers are common, and higher levels cost far more time than they save bytes.
const level = 1;

const throughStream = compress({
  threshold: 0,
  gzip: { level },
  br: false,
  deflate: false,
  zstd: false,
});

/** The maximum length, in UTF-16 code units or bytes, for one call. A stream costs ten times as much at this length. */
export const contentLengthMax = 2 ** 14;

/** A shorter text fits into one packet, and setting up gzip takes longer than the rest of its answer. */
const contentLengthMin = 2 ** 10;

/** Limits of the cache of parsed `Accept-Encoding` headers. Clients send few different ones. */
const cachedHeaders = 100;
const cachedHeaderLengthMax = 100;

const negotiate = (header: string): boolean =>
  new Negotiator({ headers: { 'accept-encoding': header } }).encoding(['gzip', 'identity'], {
    preferred: ['gzip'],
  }) === 'gzip';

const negotiated = new LRUCache<string, boolean>({ max: cachedHeaders, memoMethod: negotiate });

function acceptsGzip({ req }: RequestContext): boolean {
  const header = req.headers['accept-encoding'];
  // Without `Accept-Encoding` the answer is not compressed.
  if (typeof header !== 'string' || header === '') return false;
  return header.length > cachedHeaderLengthMax ? negotiate(header) : negotiated.memo(header);
}

/** gzip of a text or buffer of at most `contentLengthMax`. */
export const encode = (content: string | Buffer): Buffer => gzipSync(content, { level });

const done = async (): Promise<void> => {};

/** Whether the client takes gzip, and a text of this length is compressed in one call. */
export const isGzipped = (context: RequestContext, text: string): boolean =>
  text.length > contentLengthMin && text.length <= contentLengthMax && acceptsGzip(context);

/** Compresses the body that Koa is going to send. */
export async function compressAnswer(context: RequestContext): Promise<void> {
  if (!acceptsGzip(context)) return;
  const body: unknown = context.body;
  const isAtHand = typeof body === 'string' || Buffer.isBuffer(body);
  if (!isAtHand || body.length > contentLengthMax) {
    await throughStream(context, done);
    return;
  }
  if (body.length <= contentLengthMin || context.method === 'HEAD' || context.headerSent) return;
  context.body = encode(body);
  context.set('Content-Encoding', 'gzip');
}
