// What the tests know of a server, whichever process it runs in, and the client that sends its requests.
import type { StoreTuning } from '../../src/server.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { checkAnswer } from './check-answer.js';

export const testKey = 'test-key-of-tests';

/** What can be said as JSON of `StoreTuning`, and a moment at which the process kills itself. */
export interface ServerTuning extends Pick<StoreTuning, 'compaction' | 'segments' | 'slices'> {
  /** The n-th time that the store reaches the step. */
  readonly diesAt?: { readonly step: SyncPoint; readonly times: number };
}

export interface RequestOptions {
  /** null sends no key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws when it is something else. */
  readonly json: () => Readonly<Record<string, unknown>>;
}

export interface TestServer {
  readonly url: string;
  readonly key: string;
  readonly dir: string;
  /** Everything that it logged so far. */
  readonly log: () => string;
  /** A string or bytes are sent as they are, anything else as JSON. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** Waits until everything is in segments, and nothing is left to do in the background; for servers with `tuning`. */
  settle(): Promise<void>;
  /** Ends it in an orderly way, and waits for that. */
  stop(): Promise<unknown>;
}

/** The configuration variables of a server of the tests on a free port; an undefined one is removed. */
export const serverVariables = (
  dir: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): NodeJS.ProcessEnv => ({
  ...process.env,
  EVALSTORE_PORT: '0',
  EVALSTORE_DATA_DIR: dir,
  EVALSTORE_API_KEY: testKey,
  EVALSTORE_QUERY_MEMORY_MB: '512',
  // Many tests try wrong keys, all from one address.
  EVALSTORE_WRONG_KEYS: '0',
  ...environment,
});

type Body = NonNullable<RequestInit['body']> | null;

const bodyText = (body: unknown): Body => {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array
    ? (body as Body)
    : JSON.stringify(body);
};

/** `headers` may be a whole set: nothing is added but the key and that bodies come as they are. */
async function send(
  url: string,
  method: string,
  body: unknown,
  { key = testKey, headers = {} }: RequestOptions,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      // Compressed bodies have tests of their own; everywhere else they would cost time alone.
      'Accept-Encoding': 'identity',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: bodyText(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 200) checkAnswer(method, new URL(url).pathname, type, text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => {
      if (response.status !== 200) throw new Error(`${method} ${url}: ${response.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
  };
}

/** Sends requests to a server that somebody else started. */
export const clientAt = (url: string): Pick<TestServer, 'request'> => ({
  request: (method, requestPath, body, requestOptions = {}) =>
    send(`${url}${requestPath}`, method, body, requestOptions),
});
