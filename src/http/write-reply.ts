// Sends a reply. A stream's first part is awaited, so that its early errors still get a status.
import { Readable } from 'node:stream';
import type { Reply, StreamedReply } from '../service/reply.js';
import type { RequestContext } from './state.js';

type Part = string | Uint8Array;

async function* resume(first: IteratorResult<Part>, rest: AsyncIterator<Part>) {
  try {
    for (let part = first; part.done !== true; part = await rest.next()) yield part.value;
  } finally {
    await rest.return?.();
  }
}

async function startStream(reply: StreamedReply): Promise<Readable> {
  const parts = (reply.body as AsyncIterable<Part>)[Symbol.asyncIterator]();
  const first = await parts.next();
  return Readable.from(resume(first, parts), { objectMode: false });
}

/** Headers are sent when a later part fails, so all that is left is to break the connection. */
function sendStream(context: RequestContext, stream: Readable): void {
  stream.once('error', () => context.res.destroy());
  context.res.once('close', () => stream.destroy());
  context.body = stream;
}

export async function writeReply(context: RequestContext, reply: Reply): Promise<void> {
  if ('text' in reply) {
    context.body = reply.text;
  } else {
    sendStream(context, await startStream(reply));
    if (reply.length !== undefined) context.length = reply.length;
  }
  context.type = reply.contentType;
  context.set(reply.headers);
}
