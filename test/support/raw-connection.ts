// A connection to a server, byte by byte.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawConnection {
  readonly socket: Socket;
  /** All that came so far. */
  readonly received: () => string;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** Sends `bytes` and takes what comes, or nothing at all when it is `unread`. */
export async function connectRaw(
  url: string,
  bytes: string,
  { unread = false } = {},
): Promise<RawConnection> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  await once(socket, 'connect');
  let received = '';
  if (!unread) socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  if (bytes !== '') socket.write(bytes);
  return { socket, received: () => received, closed };
}

/** The text of a request; a body may follow. */
export const requestHead = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
