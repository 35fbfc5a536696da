// The few calls that the benchmark makes of the server, over kept connections like those of any client.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Pool, type Dispatcher } from 'undici';
import { Unsupported } from './contender.js';

export interface EvalstoreClient {
  /** Posts a body as it is and returns the JSON answer. */
  readonly post: (path: string, body: string) => Promise<unknown>;
  /** As `post`. */
  readonly patch: (path: string, body: string) => Promise<unknown>;
  readonly get: (path: string) => Promise<unknown>;
  readonly download: (path: string, body: string, file: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const timeoutMs = 600_000;

/** A refused query says that something is not built yet; anything else is a failure of the run. */
function checkStatus(path: string, status: number, text: string): void {
  if (status === 200) return;
  if (path === '/query' && status === 400) throw new Unsupported(text);
  if (status === 404) throw new Unsupported('not yet served');
  throw new Error(`${path}: ${status} ${text}`);
}

async function readJson(path: string, response: Dispatcher.ResponseData): Promise<unknown> {
  const text = await response.body.text();
  checkStatus(path, response.statusCode, text);
  return JSON.parse(text) as unknown;
}

export function connect(url: string, key: string, connections: number): EvalstoreClient {
  const pool = new Pool(url, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const send = (path: string, body: string, method: 'POST' | 'PATCH' = 'POST') =>
    pool.request({ method, path, headers, body });
  return {
    post: async (path, body) => readJson(path, await send(path, body)),
    patch: async (path, body) => readJson(path, await send(path, body, 'PATCH')),
    get: async (path) => readJson(path, await pool.request({ method: 'GET', path, headers })),
    download: async (path, body, file) => {
      const { statusCode, body: answer } = await send(path, body);
      if (statusCode !== 200) checkStatus(path, statusCode, await answer.text());
      await pipeline(answer, createWriteStream(file));
    },
    close: () => pool.close(),
  };
}
