// The connections of a server: which of them wait for their client, and how all of them are closed.
// A connection is idle when no request on it is being answered: it may be silent, or hold half of a header.
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

type Handler = (...request: Parameters<RequestListener>) => Promise<unknown> | void;

/** How long `close` waits for handlers whose connections are closed: their work was aborted. */
const handlersMs = 2_000;

const listenersMax = 20;

/** The second is a request whose client waits for the word to send its body; `http/router` gives it. */
const requestEvents = ['request', 'checkContinue'] as const;

/** Whether the body is being read, by its events or through an iterator. */
const isRead = (request: IncomingMessage): boolean =>
  request.readableFlowing === true || request.listenerCount('readable') > 0;

/** The client sends nothing more of a body that is being read. */
const waitsForBody = ({ req, headersSent }: ServerResponse): boolean =>
  !req.complete && isRead(req) && !headersSent;

const timedOut = (): Error =>
  Object.assign(new Error('the body stalled'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

export class Connections {
  readonly #server: Server;
  readonly #stallMs: number;
  /** Of each connection, the requests that are being answered: several when they are pipelined. */
  readonly #open = new Map<Socket, Set<ServerResponse>>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;

  /** @param stallMs how long a client may send nothing of a body, or take nothing of an answer */
  constructor(server: Server, stallMs: number) {
    this.#server = server;
    this.#stallMs = stallMs;
    // Node.js starts the time of a connection again whenever bytes arrive, or the operating system takes some to send.
    server.timeout = stallMs;
    server.on('timeout', (socket) => this.#timedOut(socket));
    server.on('connection', (socket) => this.#connected(socket));
    for (const event of requestEvents)
      server.on(event, (_request, response: ServerResponse) => this.#requested(response));
  }

  /** Answers all requests. */
  handle(handler: Handler): void {
    const answer: RequestListener = (request, response) => {
      const handled = Promise.resolve(handler(request, response)).catch(() => {});
      this.#running.add(handled);
      void handled.then(() => this.#running.delete(handled));
    };
    for (const event of requestEvents) this.#server.on(event, answer);
  }

  /**
   * Refuses new connections, closes idle ones at once, and the others when their requests are answered, or after
   * `graceMs`, or when `atOnce` is aborted: what runs for them is aborted then.
   */
  async close(graceMs: number, atOnce?: AbortSignal): Promise<void> {
    this.#isClosing = true;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const [socket, responses] of this.#open) {
      for (const response of responses) lastOnItsConnection(response);
      if (responses.size === 0) socket.destroy();
    }
    const breakAll = () => this.#breakAll();
    const grace = setTimeout(breakAll, graceMs);
    atOnce?.addEventListener('abort', breakAll, { once: true });
    await closed;
    clearTimeout(grace);
    const waiting = new AbortController();
    await Promise.race([
      Promise.all(this.#running),
      delay(handlersMs, undefined, { signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }

  #breakAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #connected(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, new Set());
    socket.once('close', () => this.#open.delete(socket));
  }

  #requested(response: ServerResponse): void {
    const { socket } = response.req;
    const responses = this.#open.get(socket);
    if (responses === undefined) return;
    if (this.#isClosing) lastOnItsConnection(response);
    responses.add(response);
    // Each step of an answer that is streamed listens for its end.
    response.setMaxListeners(listenersMax);
    response.once('close', () => {
      responses.delete(response);
      if (this.#isClosing && responses.size === 0) socket.destroySoon();
    });
  }

  /** Nothing came and nothing went for so long. */
  #timedOut(socket: Socket): void {
    const responses = [...(this.#open.get(socket) ?? [])];
    const isRead = socket.writableLength === 0;
    if (responses.length === 0 || !isRead) socket.destroy();
    else {
      // Otherwise it is the client that waits.
      if (responses.some(waitsForBody)) this.#server.emit('clientError', timedOut(), socket);
      socket.setTimeout(this.#stallMs);
    }
  }
}

function lastOnItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
