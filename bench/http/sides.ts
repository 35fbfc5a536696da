// The servers that are compared: node:http alone, this checkout without authentication and as it is, and another one when it is
// named.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool, type Dispatcher } from 'undici';
import type { EvalstoreClient } from '../contenders/evalstore-client.js';
import { startProcess } from '../contenders/server-process.js';
import { startStore } from '../store/server.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bareServer = fileURLToPath(new URL('bare-server.js', import.meta.url));

const openServer = fileURLToPath(new URL('open-server.js', import.meta.url));

const connectionsMax = 64;

type Headers = Dispatcher.ResponseData['headers'];

export interface Side {
  readonly name: string;
  readonly projectId: string;
  /**
   * Accepts gzip, as the fetch of Node.js does, which SDKs use. Returns the headers of the answer.
   * Throws an Error when the status is not 200.
   */
  readonly send: (method: 'GET' | 'POST', route: string, body?: string) => Promise<Headers>;
  /** User and system time of the process so far, in seconds. */
  readonly cpuSeconds: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A server of Evalstore. */
export interface Checkout extends Side {
  /** Over one connection. */
  readonly client: EvalstoreClient;
  /** Sends a POST request. Throws an Error when the status is not 200. */
  readonly stream: (route: string, body: string) => Promise<AsyncIterable<Uint8Array>>;
}

function connect(url: string, key: string): Pick<Checkout, 'send' | 'stream' | 'close'> {
  const pool = new Pool(url, { connections: connectionsMax });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'accept-encoding': 'gzip, deflate',
  };
  return {
    send: async (method, route, body) => {
      const answer = await pool.request({ method, path: route, headers, body: body ?? null });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`${route}: ${answer.statusCode}`);
      return answer.headers;
    },
    stream: async (route, body) => {
      const plain = { ...headers, 'accept-encoding': 'identity' };
      const answer = await pool.request({ method: 'POST', path: route, headers: plain, body });
      if (answer.statusCode !== 200) throw new Error(`${route}: ${await answer.body.text()}`);
      return answer.body as AsyncIterable<Uint8Array>;
    },
    close: () => pool.close(),
  };
}

async function openBare(): Promise<Side> {
  const { url, cpuSeconds, stop } = await startProcess(bareServer, {});
  const { send, close } = connect(url, 'none');
  return {
    name: 'node:http',
    projectId: 'none',
    send,
    cpuSeconds,
    close: async () => {
      await close();
      await stop();
    },
  };
}

type Environment = Readonly<Record<string, string>>;

async function openCheckout(
  name: string,
  checkout: string,
  environment: Environment = {},
  module?: string,
): Promise<Checkout> {
  const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-http-'));
  // Requests are logged, as they are by default.
  const { url, key, projectId, client, cpuSeconds, stop } = await startStore(
    checkout,
    directory,
    { EVALSTORE_LOG_LEVEL: 'info', ...environment },
    undefined,
    module,
  );
  const { send, stream, close } = connect(url, key);
  return {
    name,
    projectId,
    client,
    send,
    stream,
    cpuSeconds,
    close: async () => {
      await close();
      await stop();
      await rm(directory, { recursive: true });
    },
  };
}

/** @param beside the directory of another checkout, built */
export const openCheckouts = async (
  beside: string | undefined,
  environment: Environment = {},
): Promise<readonly Checkout[]> => [
  ...(beside === undefined
    ? []
    : [await openCheckout('other checkout', path.resolve(beside), environment)]),
  await openCheckout('Evalstore', root, environment),
];

/** `openCheckouts` after node:http alone. */
export const openSides = async (beside: string | undefined): Promise<readonly Side[]> => [
  await openBare(),
  await openCheckout('without authentication', root, {}, openServer),
  ...(await openCheckouts(beside)),
];

export async function closeSides(sides: readonly Side[]): Promise<void> {
  for (const side of sides) await side.close();
}
