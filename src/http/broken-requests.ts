// Answers requests that Node.js cannot parse or refuses without a word, in one sentence like other errors.
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerBytesMax } from '../schema/limits.js';
import type { Handler } from './connections.js';

interface Refusal {
  readonly status: number;
  readonly text: string;
}

const malformed: Refusal = { status: 400, text: 'the request is not valid HTTP/1.1' };

const withoutHost: Refusal = {
  status: 400,
  text: 'the header "Host" is missing, which HTTP/1.1 requires',
};

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

const contentType = 'text/plain; charset=utf-8';

const responseText = ({ status, text }: Refusal): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n');

function refuse(response: ServerResponse, { status, text }: Refusal): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** The handler of requests that have a host, or are not HTTP/1.1. It ends the connection after others, as Node.js does. */
export const requireHost =
  (handler: Handler): Handler =>
  (request, response) => {
    if (request.httpVersion !== '1.1' || request.headers.host !== undefined)
      return handler(request, response);
    response.setHeader('Connection', 'close');
    return refuse(response, withoutHost);
  };

export function answerBrokenRequests(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  for (const event of ['request', 'checkContinue'] as const)
    server.on(event, ({ socket }, response) => answers.set(socket, response));
  server.on('checkExpectation', (_request, response) => refuse(response, unknownExpectation));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // An answer that has begun must not be followed by another one.
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    if (!socket.writable || isAnswering) socket.destroy();
    else socket.end(responseText(refusals[error.code ?? ''] ?? malformed));
  });
}
