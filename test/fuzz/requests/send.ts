// Sends one request and checks what must hold of every answer.
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { checkAnswer } from '../../support/check-answer.js';
import type { SentRequest } from './arbitrary-request.js';
import { authorization, secretText, type Targets } from './targets.js';

export interface Outcome {
  readonly status: number;
  readonly milliseconds: number;
}

const agent = new Agent({ keepAlive: true });

/** A server may refuse a large request without reading it all: the connection can then end before the client reads why. */
const unreadBytesMin = 16 * 1024;

interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

async function read(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const coding = response.headers['content-encoding'] ?? 'identity';
  const decode = decoders[coding];
  if (decode === undefined) throw new Error(`an answer with the content encoding "${coding}"`);
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    // That to a HEAD is empty, whatever its headers say.
    text: (chunks.length === 0 ? Buffer.alloc(0) : decode(Buffer.concat(chunks))).toString(),
  };
}

/** As it is but for what Node.js refuses to send; a URL would leave out `.` and `..`. */
const escaped = (path: string): string =>
  path.replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(Buffer.from(character).toString()));

function exchange({ server }: Targets, sent: SentRequest): Promise<Received> {
  const { method, path, headers, body, sender } = sent;
  const key = authorization(sender, server);
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const outgoing = request({
      agent,
      hostname,
      port,
      method,
      path: escaped(path),
      headers: {
        ...headers,
        ...(key !== null && { authorization: key }),
        // Node sends the body of a GET or HEAD without framing unless its length is given.
        ...(body !== null && { 'content-length': body.length }),
      },
    });
    outgoing.once('response', (response) => read(response).then(resolve, reject));
    outgoing.once('error', reject);
    outgoing.end(body ?? undefined);
  });
}

/** The status of a refusal whose words the closed connection cut off. */
const refusedUnread: Received = { status: 413, type: '', text: '' };

async function answerOf(targets: Targets, sent: SentRequest): Promise<Received> {
  try {
    return await exchange(targets, sent);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // A header that is too long is refused before its method is read, with a sentence that a HEAD does not expect.
    const isUnexpected = sent.method === 'HEAD' && code.startsWith('HPE_');
    const isCut = code === 'EPIPE' || code === 'ECONNRESET' || isUnexpected;
    if (isCut && sent.path.length + (sent.body?.length ?? 0) >= unreadBytesMin)
      return refusedUnread;
    throw error;
  }
}

const inside = / at (file|node):|EngineError|Binder Error|Parser Error|Catalog Error|\/segments\//;

function check(sent: SentRequest, { status, type, text }: Received): void {
  const what = `${sent.method} ${sent.path.slice(0, 300)} by ${sent.sender}: ${status}`;
  if (status >= 500) throw new Error(`${what} ${text.slice(0, 500)}`);
  if (sent.sender !== 'owner' && text.includes(secretText))
    throw new Error(`${what} shows what only its owner may read`);
  if (status >= 400 && inside.test(text)) throw new Error(`${what} shows the inside: ${text}`);
  if (status >= 400 && sent.method !== 'HEAD' && text === '' && type !== '')
    throw new Error(`${what} says nothing`);
  if (status === 200) checkAnswer(sent.method, sent.path, type, text);
}

/**
 * @throws when the answer is a fault, shows what it must not, does not fit its schema, or takes longer than `patienceMs`
 */
export async function attack(
  targets: Targets,
  sent: SentRequest,
  patienceMs: number,
): Promise<Outcome> {
  const start = performance.now();
  const done = new AbortController();
  const late = delay(patienceMs, null, { signal: done.signal }).then(() => {
    throw new Error(`${sent.method} ${sent.path.slice(0, 300)}: no answer in ${patienceMs} ms`);
  });
  try {
    const answer = await Promise.race([answerOf(targets, sent), late]);
    check(sent, answer);
    return { status: answer.status, milliseconds: performance.now() - start };
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
