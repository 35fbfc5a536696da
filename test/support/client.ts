// The client that sends the requests of the tests, to whichever server.
import { checkAnswer } from './check-answer.js';

export const testKey = 'test-key-of-tests';

export type Json = Readonly<Record<string, unknown>>;

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
  readonly json: () => Json;
}

/** The status and the text, as refusals are compared. */
export async function outcome(answer: Promise<Answer>): Promise<readonly [number, string]> {
  const { status, text } = await answer;
  return [status, text];
}

/** Besides `request`, all throw unless the answer is a 200. */
export interface Client {
  /** A string or bytes are sent as they are, anything else as JSON. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  get(path: string): Promise<Json>;
  post(path: string, body?: unknown): Promise<Json>;
  /** The rows that answer a query; `more` are other fields of its body. */
  query(query: unknown, more?: object): Promise<readonly Json[]>;
  /** The pages that answer a query, each asked for when the one before is used. */
  pages(query: string): AsyncGenerator<readonly Json[]>;
  /** Posts a body that writes; answers the version of the write. */
  write(path: string, body: unknown): Promise<string>;
  /** Inserts events into the object at `<kind>/<id>`; answers the version of the write. */
  insert(object: string, events: readonly object[]): Promise<string>;
  /** The events of the object at `<kind>/<id>`, the latest first; `search` begins with `?`. */
  events(object: string, search?: string): Promise<readonly Json[]>;
}

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
  { key = null, headers = {} }: RequestOptions,
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
      return JSON.parse(text) as Json;
    },
  };
}

/**
 * Sends requests to a server that somebody else started, with this key unless the request has another.
 * @param beforeRead called before each request that inserts nothing
 */
export function clientAt(url: string, key = testKey, beforeRead?: () => Promise<void>): Client {
  const request: Client['request'] = async (method, path, body, options) => {
    if (!path.endsWith('/insert')) await beforeRead?.();
    return send(`${url}${path}`, method, body, { key, ...options });
  };
  const get = async (path: string) => (await request('GET', path)).json();
  const post = async (path: string, body?: unknown) => (await request('POST', path, body)).json();
  const write = async (path: string, body: unknown) => {
    const answer = await request('POST', path, body);
    answer.json();
    return answer.headers.get('x-evalstore-version')!;
  };
  return {
    request,
    get,
    post,
    query: async (query, more = {}) =>
      (await post('/query', { query, ...more }))['data'] as readonly Json[],
    pages: async function* pages(query) {
      let clause = '';
      do {
        const { data, cursor } = await post('/query', { query: query + clause });
        yield data as readonly Json[];
        clause = cursor === undefined ? '' : ` | cursor: '${cursor as string}'`;
      } while (clause !== '');
    },
    write,
    insert: (object, events) => write(`/v1/${object}/insert`, { events }),
    events: async (object, search = '') =>
      (await get(`/v1/${object}/fetch${search}`))['events'] as readonly Json[],
  };
}
