// Sends a reply, a short text in one call. Awaits the first part of a stream, so that early errors still get a status.
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { ByteRange } from '../service/byte-range.js';
import type { Reply, StreamedReply, TextReply } from '../service/reply.js';
import { contentLengthMax, encode, isGzipped } from './compression.js';
import { isDisconnection } from './disconnection.js';
import type { RequestContext } from './state.js';

type Part = string | Uint8Array;

/** Not a generator, since a generator that was never read does not close its source. */
const resume = (first: IteratorResult<Part>, rest: AsyncIterator<Part>): AsyncIterable<Part> => {
  let pending: IteratorResult<Part> | null = first;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const part = pending ?? (await rest.next());
        pending = null;
        return part;
      },
      return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
    }),
  };
};

async function startStream(reply: StreamedReply): Promise<Readable> {
  const parts = (reply.body as AsyncIterable<Part>)[Symbol.asyncIterator]();
  const first = await parts.next();
  return Readable.from(resume(first, parts), { objectMode: false });
}

/** When a later part fails, the headers are sent already, so the connection is closed. */
function sendStream(context: RequestContext, stream: Readable, log: Logger): void {
  stream.once('error', (error) => {
    if (!isDisconnection(error, context.res))
      log.error({ requestId: context.state.requestId, err: error }, 'answer aborted');
    context.res.destroy();
  });
  // The client may have disconnected while the first part was made.
  if (context.res.destroyed) stream.destroy();
  else context.res.once('close', () => stream.destroy());
  context.body = stream;
}

/** Whether the headers are those of every answer, and others that replace none of them. */
const isUsual = (context: RequestContext, { headers, text }: TextReply): boolean => {
  const common = context.state.headers;
  if (text.length > contentLengthMax || common.areSet(context)) return false;
  for (const name in headers) if (common.has(name)) return false;
  return context.method !== 'HEAD' && context.writable;
};

/** Koa would set each header on its own, which costs more than the rest of a small answer. */
function sendAtOnce(context: RequestContext, { contentType, headers, text }: TextReply): void {
  const isPacked = isGzipped(context, text);
  const body = isPacked ? encode(text) : text;
  const list = context.state.headers.list(context);
  for (const name in headers) list.push(name, headers[name]!);
  list.push('Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body)));
  if (isPacked) list.push('Content-Encoding', 'gzip');
  const { res } = context;
  // Throws for an invalid value, and Koa then sends the error.
  res.writeHead(200, list);
  context.respond = false;
  res.write(body);
  // Sends headers and text with one `write`, where `end` alone would use `writev`, which costs 5 µs more.
  res.socket?.uncork();
  res.end();
}

export function writeReply(
  context: RequestContext,
  reply: Reply,
  log: Logger,
): Promise<void> | void {
  if ('text' in reply && isUsual(context, reply)) sendAtOnce(context, reply);
  else return prepareReply(context, reply, log);
}

/** A part is not compressed: its positions are those in the content itself. */
function setLength(context: RequestContext, length: number, part: ByteRange | null): void {
  context.length = part === null ? length : part.last - part.first + 1;
  if (part === null) return;
  context.status = 206;
  context.set('Content-Range', `bytes ${part.first}-${part.last}/${length}`);
}

/** Koa sends it. */
async function prepareReply(context: RequestContext, reply: Reply, log: Logger): Promise<void> {
  context.state.headers.set(context);
  context.set(reply.headers);
  if ('isUnchanged' in reply) {
    context.status = 304;
    return;
  }
  if ('text' in reply) {
    // Set before the body, since Koa would otherwise derive a type from it.
    context.type = reply.contentType;
    context.body = reply.text;
  } else if (Buffer.isBuffer(reply.body)) {
    context.body = reply.body;
  } else {
    sendStream(context, await startStream(reply), log);
    if (reply.length !== undefined) setLength(context, reply.length, reply.part ?? null);
    if (reply.filename !== undefined) context.attachment(reply.filename);
  }
  context.type = reply.contentType;
}
