// The servers that are compared: node:http alone, this checkout without authentication and as it is, and another one when it is
// named.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startProcess } from '../contenders/server-process.js';
import { startStore } from '../store/server.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bareServer = fileURLToPath(new URL('bare-server.js', import.meta.url));

const openServer = fileURLToPath(new URL('open-server.js', import.meta.url));

const connectionsMax = 64;

export interface Side {
  readonly name: string;
  readonly projectId: string;
  /** Accepts gzip, as the fetch of Node.js does, which SDKs use. Throws an Error when the status is not 200. */
  readonly send: (method: 'GET' | 'POST', route: string, body?: string) => Promise<void>;
  /** User and system time of the process so far, in seconds. */
  readonly cpuSeconds: () => Promise<number>;
  readonly close: () => Promise<void>;
}

function connect(url: string, key: string): Pick<Side, 'send' | 'close'> {
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

async function openCheckout(name: string, checkout: string, module?: string): Promise<Side> {
  const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-http-'));
  // Requests are logged, as they are by default.
  const { url, key, projectId, cpuSeconds, stop } = await startStore(
    checkout,
    directory,
    { EVALSTORE_LOG_LEVEL: 'info' },
    undefined,
    module,
  );
  const { send, close } = connect(url, key);
  return {
    name,
    projectId,
    send,
    cpuSeconds,
    close: async () => {
      await close();
      await stop();
      await rm(directory, { recursive: true });
    },
  };
}

/** @param beside the directory of another checkout, built */
export const openSides = async (beside: string | undefined): Promise<readonly Side[]> => [
  await openBare(),
  ...(beside === undefined ? [] : [await openCheckout('other checkout', path.resolve(beside))]),
  await openCheckout('without authentication', root, openServer),
  await openCheckout('Evalstore', root),
];

export async function closeSides(sides: readonly Side[]): Promise<void> {
  for (const side of sides) await side.close();
}
