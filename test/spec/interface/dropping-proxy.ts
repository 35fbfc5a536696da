// A proxy between tests and a server that drops one parameter, header or body field from the requests to one operation.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Line } from './probe.js';

export interface DroppingProxy {
  readonly url: string;
  /** Of the requests since the last call, how many had what was to be dropped; then `line` is dropped. */
  drop(line: Line | null): number;
  close(): Promise<void>;
}

/** Of requests, beside the key. */
const forwardedHeaders = ['authorization', 'content-type', 'x-bt-parent'];

interface Forwarded {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly hasDropped: boolean;
}

/** Removes what the steps lead to, in place; tells whether it was there. */
function remove(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || step === undefined) return false;
  const members = value as Record<string, unknown>;
  if (step === '*') {
    return Object.values(members)
      .map((member) => remove(member, rest))
      .includes(true);
  }
  if (!Object.hasOwn(members, step)) return false;
  return rest.length > 0 ? remove(members[step], rest) : delete members[step];
}

/** `events[].metrics.start` as events, any, metrics, start. */
const stepsOf = (name: string): readonly string[] => name.replaceAll('[]', '.*').split('.');

function withoutParameter(sent: Forwarded, name: string): Forwarded {
  const [pathname = '', queryString = ''] = sent.path.split('?');
  const search = new URLSearchParams(queryString);
  const hasDropped = search.has(name);
  search.delete(name);
  return { ...sent, path: `${pathname}?${search.toString()}`, body: null, hasDropped };
}

function withoutField(sent: Forwarded, body: Buffer, name: string): Forwarded {
  const document: unknown = JSON.parse(body.toString());
  const hasDropped = remove(document, stepsOf(name));
  return { ...sent, body: Buffer.from(JSON.stringify(document)), hasDropped };
}

function withoutHeader(sent: Forwarded, name: string): Forwarded {
  const { [name]: dropped, ...headers } = sent.headers;
  return { ...sent, headers, hasDropped: dropped !== undefined };
}

function isMeant(line: Line, method: string, path: string): boolean {
  const pattern = line.operation.replace('{id}', '[^/]+');
  return new RegExp(`^${pattern}$`).test(`${method} ${path.replace(/\?.*$/s, '')}`);
}

const headersOf = ({ headers }: IncomingMessage): Forwarded['headers'] =>
  Object.fromEntries(
    forwardedHeaders
      .filter((name) => headers[name] !== undefined)
      .map((name) => [name, headers[name] as string]),
  );

function forwarded(line: Line | null, request: IncomingMessage, body: Buffer): Forwarded {
  const { method = 'GET', url: path = '/' } = request;
  const whole = {
    path,
    headers: headersOf(request),
    body: body.length === 0 ? null : body,
    hasDropped: false,
  };
  if (line === null || !isMeant(line, method, path)) return whole;
  if (line.place === 'query') return withoutParameter(whole, line.name);
  if (line.place === 'header') return withoutHeader(whole, line.name);
  return body.length === 0 ? whole : withoutField(whole, body, line.name);
}

const relayedHeaders = [
  'content-type',
  'content-disposition',
  'x-evalstore-version',
  'x-evalstore-columnstore',
  'x-evalstore-misfits',
];

async function relay(
  target: string,
  method: string,
  { path, headers, body }: Forwarded,
  response: ServerResponse,
): Promise<void> {
  const answer = await fetch(`${target}${path}`, {
    method,
    headers,
    body: body === null ? null : new Uint8Array(body),
  });
  for (const name of relayedHeaders) {
    const value = answer.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
}

/** @param target the address of the server */
export async function startDroppingProxy(target: string): Promise<DroppingProxy> {
  let dropped: Line | null = null;
  let droppedCount = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const sent = forwarded(dropped, request, body);
    if (sent.hasDropped) droppedCount += 1;
    await relay(target, request.method ?? 'GET', sent, response);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => response.writeHead(502).end(error.message));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop: (line) => {
      const count = droppedCount;
      dropped = line;
      droppedCount = 0;
      return count;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
