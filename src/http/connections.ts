// Tracks the connections of a server, limits their number and that of their requests, closes those whose client makes no progress or
// sends too many requests at once, and closes all of them on shutdown. A connection is idle if no request on it is being answered;
// it may have sent a part of a header. A client that neither reads its answers nor ends its bodies keeps its places until they
// stall. So the last quarter of the places is for holders that have few. A holder is a key or, without one, a path's first segment.
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenFiles } from '../open-files.js';
import type { BudgetUse } from '../service/request-metrics.js';
import { pipelinedMax } from '../schema/limits.js';
import {
  refuse,
  responseText,
  tooManyConnections,
  tooManyOfOneHolder,
  type Handler,
  type Refusal,
} from './broken-requests.js';

/** Milliseconds that `close` waits for aborted handlers to return. */
const handlersMs = 2_000;

const listenersMax = 20;

/** When requests have this part of all places, and their connections as much, only holders with few requests get more. */
const manyPart = 3 / 8;

/** The part of all places below which the requests of a holder are few. */
const fewPart = 1 / 16;

/** Connections above the limit that are refused in a sentence at the same time. Further ones are closed without a word. */
const refusedMax = 8;

/** The events with a request. `checkContinue`: the client waits for 100 Continue, which `http/router` sends. */
const requestEvents = ['request', 'checkContinue'] as const;

/** Whether a handler reads the body, by events or through an iterator. */
const isRead = (request: IncomingMessage): boolean =>
  request.readableFlowing === true || request.listenerCount('readable') > 0;

/** Whether a handler still waits for the body of the request. */
const waitsForBody = ({ req, headersSent }: ServerResponse): boolean =>
  !req.complete && isRead(req) && !headersSent;

/** The error of a body whose client stopped sending. */
const timedOut = (): Error =>
  Object.assign(new Error('the body stalled'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

interface Connection {
  /** The running requests; several if they are pipelined. */
  readonly responses: Set<ServerResponse>;
  /** Whether its latest request had a valid key. */
  hasKey: boolean;
}

/** Whether the request has a key or a session. One that is not valid is refused at once. */
const sentKey = ({ headers }: IncomingMessage): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined;

/** Not of an encoded segment, which can be written in many ways. */
const firstSegment = /^\/[^/?%]*(?=[/?]|$)/;

/** The key, or the first segment of the path. A request with a key that is not valid is refused at once. */
const holderOf = ({ headers, url = '' }: IncomingMessage): string =>
  headers.authorization?.trim().split(' ').at(-1) ?? firstSegment.exec(url)?.[0] ?? '';

/** How `close` ends connections; times in milliseconds. */
interface Closing {
  /** The time for running requests. */
  readonly graceMs: number;
  /** The time for idle connections to send their last request; 0 to close them at once. */
  readonly idleMs: number;
  /** Ends both times, and aborts the handlers of running requests. */
  readonly atOnce?: AbortSignal | undefined;
}

export class Connections {
  readonly #server: Server;
  readonly #stallMs: number;
  readonly #files: OpenFiles;
  readonly #use: BudgetUse;
  /** Those that were idle the longest come first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #refused = new Set<Socket>();
  /** The number of connections and running requests: a request may read or write a file. */
  #count = 0;
  /** The number of running requests by `holderOf`. */
  readonly #requestsOf = new Map<string, number>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;
  /** Whether a connection is closed when its last answer is sent, although the answer may not say so. */
  #closesIdle = false;

  /** @param stallMs milliseconds without progress in a body or an answer after which a connection is closed */
  constructor(
    server: Server,
    stallMs: number,
    files: OpenFiles,
    use: BudgetUse = { used: 0, refused: 0 },
  ) {
    this.#use = use;
    this.#server = server;
    this.#stallMs = stallMs;
    this.#files = files;
    // Node.js restarts the timeout whenever bytes arrive or the operating system accepts bytes to send.
    server.timeout = stallMs;
    server.on('timeout', (socket) => this.#timedOut(socket));
    server.on('connection', (socket) => this.#connected(socket));
  }

  /** Sets the handler of all requests. To be called before the first one. */
  handle(handler: Handler): void {
    const answer: RequestListener = (request, response) => {
      if (!this.#admits(response)) return;
      const handled = handler(request, response);
      if (handled === undefined) return;
      this.#running.add(handled);
      const ended = () => this.#running.delete(handled);
      handled.then(ended, ended);
    };
    for (const event of requestEvents) this.#server.on(event, answer);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Accepts no further connection, and closes each when its requests are answered: the last answer says so. */
  async close({ graceMs, idleMs, atOnce }: Closing): Promise<void> {
    this.#isClosing = true;
    const closed = once(this.#server, 'close');
    // That of HTTP also closes idle connections.
    NetServer.prototype.close.call(this.#server);
    for (const { responses } of this.#open.values()) responses.forEach(lastOnItsConnection);
    if (idleMs === 0) this.#breakIdle();
    const idle = setTimeout(() => this.#breakIdle(), idleMs);
    const breakAll = () => this.#breakAll();
    const grace = setTimeout(breakAll, graceMs);
    atOnce?.addEventListener('abort', breakAll, { once: true });
    await closed;
    clearTimeout(idle);
    clearTimeout(grace);
    const waiting = new AbortController();
    await Promise.race([
      Promise.allSettled(this.#running),
      delay(handlersMs, undefined, { signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }

  /** Closes idle connections, from now on each as soon as it is idle. */
  #breakIdle(): void {
    this.#closesIdle = true;
    for (const [socket, { responses }] of this.#open) if (responses.size === 0) socket.destroy();
  }

  #breakAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #connected(socket: Socket): void {
    if (this.#closesIdle) {
      socket.destroy();
      return;
    }
    if (!this.#makeRoom(socket)) {
      this.#refuse(socket);
      return;
    }
    const connection: Connection = { responses: new Set(), hasKey: false };
    this.#open.set(socket, connection);
    this.#add();
    socket.once('close', () => {
      this.#leave(socket);
      closeQueued(connection.responses);
    });
  }

  #add(): void {
    this.#count += 1;
    this.#use.used = this.#count;
    this.#files.add();
  }

  #remove(): void {
    this.#count -= 1;
    this.#use.used = this.#count;
    this.#files.remove();
  }

  #leave(socket: Socket): void {
    if (this.#open.delete(socket)) this.#remove();
  }

  /**
   * If there are as many connections and requests as the process may have files for them, closes the connection that was idle the
   * longest: one without a key, if there is one.
   * @returns false if no other connection is idle
   */
  #makeRoom(socket: Socket): boolean {
    if (this.#count < this.#files.connectionsMax) return true;
    const oldest = this.#idleSocket(socket);
    if (oldest === undefined) return false;
    // Its file is closed at once, before the event.
    oldest.destroy();
    this.#leave(oldest);
    return true;
  }

  /** The one that was idle the longest; one with a key only if there is no other. */
  #idleSocket(besides: Socket): Socket | undefined {
    let withKey: Socket | undefined;
    for (const [socket, { responses, hasKey }] of this.#open) {
      if (responses.size > 0 || socket === besides) continue;
      if (!hasKey) return socket;
      withKey ??= socket;
    }
    return withKey;
  }

  #refuse(socket: Socket): void {
    this.#use.refused += 1;
    if (this.#refused.size < refusedMax) {
      this.#refused.add(socket);
      socket.once('close', () => this.#refused.delete(socket));
      socket.write(responseText(tooManyConnections));
      socket.destroySoon();
    } else socket.destroy();
  }

  /** Returns false, and closes the connection, if the client has sent too many requests before it got answers. */
  #admits(response: ServerResponse): boolean {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return !socket.destroyed && !this.#refused.has(socket);
    const { responses } = connection;
    // Not paused: Node.js resumes a paused connection after each answer, and has parsed all requests of a packet by then.
    if (responses.size === pipelinedMax) socket.destroy();
    // The rest of the packet of a closed connection.
    if (socket.destroyed) return false;
    const refusal = this.#refusal(response.req);
    this.#track(socket, connection, response);
    if (refusal === null) return true;
    this.#use.refused += 1;
    lastOnItsConnection(response);
    refuse(response, refusal);
    return false;
  }

  /** Makes room for a request; returns why there is none. */
  #refusal(request: IncomingMessage): Refusal | null {
    const { connectionsMax } = this.#files;
    const isScarce = this.#count - this.#open.size >= connectionsMax * manyPart;
    const count = this.#requestsOf.get(holderOf(request)) ?? 0;
    if (isScarce && count >= connectionsMax * fewPart) return tooManyOfOneHolder;
    return this.#makeRoom(request.socket) ? null : tooManyConnections;
  }

  #track(socket: Socket, connection: Connection, response: ServerResponse): void {
    const { responses } = connection;
    const holder = holderOf(response.req);
    if (this.#isClosing) lastOnItsConnection(response);
    responses.add(response);
    this.#add();
    this.#requestsOf.set(holder, (this.#requestsOf.get(holder) ?? 0) + 1);
    // Each step of a streamed answer adds a listener.
    response.setMaxListeners(listenersMax);
    response.once('close', () => {
      responses.delete(response);
      this.#remove();
      const left = this.#requestsOf.get(holder)! - 1;
      if (left > 0) this.#requestsOf.set(holder, left);
      else this.#requestsOf.delete(holder);
      if (responses.size > 0) return;
      if (this.#closesIdle) socket.destroySoon();
      connection.hasKey = sentKey(response.req) && response.statusCode !== 401;
      if (this.#open.delete(socket)) this.#open.set(socket, connection);
    });
  }

  /** The connection made no progress for `stallMs`. */
  #timedOut(socket: Socket): void {
    const responses = [...(this.#open.get(socket)?.responses ?? [])];
    const isRead = socket.writableLength === 0;
    if (responses.length === 0 || !isRead) socket.destroy();
    else {
      // Otherwise the client waits for the server.
      if (responses.some(waitsForBody)) this.#server.emit('clientError', timedOut(), socket);
      socket.setTimeout(this.#stallMs);
    }
  }
}

function lastOnItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Closes the responses of a closed connection that waited for an earlier one, so that their files and memory are released.
 * Node.js closes only the response that has the socket.
 */
function closeQueued(responses: ReadonlySet<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket !== null || response.writableFinished) continue;
    response.destroy();
    response.emit('close');
  }
}
