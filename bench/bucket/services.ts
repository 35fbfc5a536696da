// Buckets of the benchmark: an S3 service, before it a door that counts, and places where no service answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import { createServer as listenTo, connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What the SDK of a server reads. */
export const credentials = {
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
  AWS_REGION: 'us-east-1',
};

export interface Place {
  readonly url: string;
  close(): void;
}

const isOpen = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
};

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = listenTo().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

/** With the bucket `evals`. */
export async function startService(root: string, directory: string): Promise<Place> {
  const port = await freePort();
  const entry = path.join(root, 'node_modules/s3rver/bin/s3rver.js');
  const options = ['-d', directory, '-a', '127.0.0.1', '-p', String(port), '--silent'];
  const child = spawn(process.execPath, [entry, ...options, '--configure-bucket', 'evals'], {
    stdio: 'ignore',
  });
  while (!(await isOpen(port))) await delay(50);
  return { url: urlOf(port), close: () => void child.kill() };
}

/** Nobody listens: connections are refused at once. */
export const refusing = async (): Promise<Place> => ({
  url: urlOf(await freePort()),
  close: () => {},
});

/** Takes connections and requests, and never answers. */
export async function hanging(): Promise<Place> {
  const sockets = new Set<{ destroy(): void }>();
  const server = listenTo((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf((server.address() as AddressInfo).port),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export interface Door extends Place {
  /** Since the last call. */
  taken(): { readonly requests: number; readonly bytes: number };
}

/** Counts the requests to `to`, and the bytes of its answers. */
export async function counting(to: string): Promise<Door> {
  let [requests, bytes] = [0, 0];
  const server = createServer((request, response) => {
    requests += 1;
    const { method, headers } = request;
    const asked = ask(to + request.url!, { method, headers }, (answer) => {
      answer.on('data', ({ length }: Buffer) => (bytes += length));
      answer.pipe(response.writeHead(answer.statusCode!, answer.headers));
    });
    request.pipe(asked);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf((server.address() as AddressInfo).port),
    close: () => server.close().closeAllConnections(),
    taken: () => {
      const found = { requests, bytes };
      [requests, bytes] = [0, 0];
      return found;
    },
  };
}
