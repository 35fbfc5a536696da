// Sends a reply. Awaits the first part of a stream, so that early errors still get a status.
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Reply, StreamedReply } from '../service/reply.js';
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
  context.res.once('close', () => stream.destroy());
  context.body = stream;
}

export async function writeReply(
  context: RequestContext,
  reply: Reply,
  log: Logger,
): Promise<void> {
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
    if (reply.length !== undefined) context.length = reply.length;
    if (reply.filename !== undefined) context.attachment(reply.filename);
  }
  context.type = reply.contentType;
}
