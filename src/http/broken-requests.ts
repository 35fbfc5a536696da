// Refuses requests in one sentence that Node.js cannot parse, refuses without a word, or accepts against RFC 9112.
import {
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { abbreviated, unavailableHeaders } from '../errors.js';
import { headerBytesMax } from '../schema/limits.js';

export type Handler = (...request: Parameters<RequestListener>) => Promise<unknown> | void;

export interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const malformed: Refusal = { status: 400, text: 'the request is not valid HTTP/1.1' };

const withoutHost: Refusal = {
  status: 400,
  text: 'the header "Host" is missing, which HTTP/1.1 requires',
};

const unclearHost: Refusal = {
  status: 400,
  text: 'the header "Host" must name one host, such as "example.org:8000"',
};

const codedTooEarly: Refusal = {
  status: 400,
  text: 'the header "Transfer-Encoding" requires HTTP/1.1',
};

const unknownCoding = (value: string): Refusal => ({
  status: 501,
  text: `the header "Transfer-Encoding" may only be "chunked", not ${JSON.stringify(abbreviated(value))}`,
});

const unknownExpectation: Refusal = {
  status: 417,
  text: 'the header "Expect" may only be "100-continue"',
};

/** Status and message by error code. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    text: `the request line and the headers are larger than the limit of ${headerBytesMax / 2 ** 10} KB`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, text: 'the request did not arrive in time' },
};

/** The answer to a request or a connection for which the process has no open file left. */
export const tooManyConnections: Refusal = {
  status: 503,
  text: 'the server has too many connections: try again later',
  headers: unavailableHeaders,
};

export const tooManyOfOneHolder: Refusal = {
  status: 503,
  text: 'the server has many requests, and too many of this key or, without a key, for this path: try again later',
  headers: unavailableHeaders,
};

const headersOf = ({ text, headers }: Refusal): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Length': String(Buffer.byteLength(text)),
  ...headers,
});

/** A whole response, after which the connection is closed. */
export const responseText = (refusal: Refusal): string =>
  [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    ...Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    refusal.text,
  ].join('\r\n');

export function refuse(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, headersOf(refusal));
  response.end(refusal.text);
}

/**
 * A name, an IPv4 address or an IPv6 address in brackets, and a port. All of it may be absent (RFC 3986, 3.2). Some clients
 * send a name in UTF-8.
 */
const hostForm = /^(?:[\w.~!$&'()*+,;=%\u0080-\u00ff-]*|\[[\w.:%~-]+\])(?::\d*)?$/;

/** Of several, Node.js keeps the first. */
function isHostRepeated({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}

/** Requests that Node.js accepts and RFC 9112 does not (3.2, 6.1). */
function refusalOf(request: IncomingMessage): Refusal | null {
  const { httpVersion } = request;
  const { host, 'transfer-encoding': coding } = request.headers;
  if (host === undefined && httpVersion === '1.1') return withoutHost;
  if (!hostForm.test(host ?? '') || isHostRepeated(request)) return unclearHost;
  if (coding === undefined) return null;
  if (httpVersion === '1.0') return codedTooEarly;
  // Node.js decodes only the last coding, which is chunked.
  return coding.toLowerCase() === 'chunked' ? null : unknownCoding(coding);
}

/** The handler of the other requests. It ends the connection after a refused one, as Node.js does. */
export const refuseBroken =
  (handler: Handler): Handler =>
  (request, response) => {
    const refusal = refusalOf(request);
    if (refusal === null) return handler(request, response);
    response.setHeader('Connection', 'close');
    return refuse(response, refusal);
  };

export function answerBrokenRequests(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  /** The sockets whose error was seen. Node.js reports one for each further packet. */
  const broken = new WeakSet<Duplex>();
  for (const event of ['request', 'checkContinue'] as const)
    server.on(event, ({ socket }, response) => answers.set(socket, response));
  server.on('checkExpectation', (_request, response) => refuse(response, unknownExpectation));
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    const isAnswering = answer !== undefined && !answer.writableFinished;
    const text = responseText(refusals[code ?? ''] ?? malformed);
    if (!socket.writable || broken.has(socket)) socket.destroy();
    // The answer to the request before the broken one.
    else if (isAnswering && answer.req.complete) answer.once('finish', () => socket.end(text));
    // An answer that has begun must not be followed by another one.
    else if (isAnswering && answer.headersSent) socket.destroy();
    else socket.end(text);
    broken.add(socket);
  });
}
