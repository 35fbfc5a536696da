// The connection of the commands to a server.
import { UsageError, type Context } from './context.js';

type SendBytes = (
  method: string,
  path: string,
  bytes: string | Uint8Array<ArrayBuffer> | null,
  contentType: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

export interface Client {
  readonly url: string;
  /** @throws StatusError with the server's sentence; UnreachableError without an answer */
  readonly send: (method: string, path: string, body?: unknown) => Promise<Response>;
  /** Sends a body as it is, or none; otherwise like `send`. */
  readonly sendBytes: SendBytes;
  /** Returns the JSON answer; otherwise like `send`. */
  readonly get: <T>(path: string) => Promise<T>;
  /** Posts JSON; like `get`. */
  readonly post: <T>(path: string, body: unknown) => Promise<T>;
}

/** An answer that is an error. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  constructor(
    request: string,
    readonly status: number,
    /** The server's sentence. */
    readonly text: string,
    /** Seconds after which the server may take the request. */
    readonly retryAfter: number | null,
  ) {
    super(`${request}: ${status} ${text}`);
  }
}

/** No answer, or a part of one. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

function secondsOf(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}

/** The error for an answer that is one. */
export const refusalOf = async (request: string, answer: Response): Promise<StatusError> =>
  new StatusError(
    request,
    answer.status,
    await answer.text(),
    secondsOf(answer.headers.get('retry-after')),
  );

/** A client that sends everything in this way. */
export function clientOf(url: string, sendBytes: SendBytes): Client {
  const send = (method: string, path: string, body?: unknown) =>
    sendBytes(method, path, body === undefined ? null : JSON.stringify(body), 'application/json');
  return {
    url,
    send,
    sendBytes,
    get: async <T>(path: string) => (await (await send('GET', path)).json()) as T,
    post: async <T>(path: string, body: unknown) =>
      (await (await send('POST', path, body)).json()) as T,
  };
}

/** @throws UsageError without a key */
export function connect({ environment }: Pick<Context, 'environment'>): Client {
  const url =
    environment['EVALSTORE_URL'] ?? environment['BRAINTRUST_API_URL'] ?? 'http://127.0.0.1:8000';
  const key = environment['EVALSTORE_KEY'] ?? environment['BRAINTRUST_API_KEY'];
  if (key === undefined)
    throw new UsageError('set EVALSTORE_KEY to the key that the server printed at its first start');
  // The address can have a path.
  const base = url.replace(/\/+$/, '');
  return clientOf(base, async (method, path, bytes, contentType, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': contentType },
      body: bytes,
    }).catch((error: unknown) => {
      throw new UnreachableError(`no server answers at ${url}: start one, or set EVALSTORE_URL`, {
        cause: error,
      });
    });
    if (!response.ok) throw await refusalOf(`${method} ${path}`, response);
    return response;
  });
}
