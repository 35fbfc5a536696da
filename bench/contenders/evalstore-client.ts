// The few calls that the benchmark makes of the server, over kept connections like those of any client.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'undici';
import { Unsupported } from './contender.js';

export interface EvalstoreClient {
  /** Posts a body as it is and returns the JSON answer. */
  readonly post: (path: string, body: string) => Promise<unknown>;
  readonly download: (path: string, body: string, file: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const timeoutMs = 600_000;

/** A refused query says that something is not built yet; anything else is a failure of the run. */
function checkStatus(path: string, status: number, text: string): void {
  if (status === 200) return;
  if (path === '/query' && status === 400) throw new Unsupported(text);
  if (status === 404) throw new Unsupported(`POST ${path}: ${text}`);
  throw new Error(`POST ${path}: ${status} ${text}`);
}

export function connect(url: string, key: string, connections: number): EvalstoreClient {
  const pool = new Pool(url, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const send = (path: string, body: string) =>
    pool.request({ method: 'POST', path, headers, body });
  return {
    post: async (path, body) => {
      const { statusCode, body: answer } = await send(path, body);
      const text = await answer.text();
      checkStatus(path, statusCode, text);
      return JSON.parse(text) as unknown;
    },
    download: async (path, body, file) => {
      const { statusCode, body: answer } = await send(path, body);
      if (statusCode !== 200) checkStatus(path, statusCode, await answer.text());
      await pipeline(answer, createWriteStream(file));
    },
    close: () => pool.close(),
  };
}
