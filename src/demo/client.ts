// The HTTP client of the demo.

export interface Client {
  /** Returns the JSON answer. @throws Error with the server's message for an error status */
  readonly get: <T>(path: string) => Promise<T>;
  /** Posts JSON; like `get`. */
  readonly post: <T>(path: string, body: unknown) => Promise<T>;
  /** Inserts events in batches. Returns the version of their object after the last one. */
  readonly insert: (
    path: string,
    events: readonly object[],
    progress: (stored: number) => void,
  ) => Promise<string>;
}

const eventsPerRequest = 200;

export function connect(url: string, key: string): Client {
  // The address can have a path.
  const base = url.replace(/\/+$/, '');
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch((error: unknown) => {
      throw new Error(`no server answers at ${url}: start one, or set EVALSTORE_URL`, {
        cause: error,
      });
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    get: async <T>(path: string) => (await (await send('GET', path)).json()) as T,
    post: async <T>(path: string, body: unknown) =>
      (await (await send('POST', path, body)).json()) as T,
    insert: async (path, events, progress) => {
      let version = '';
      for (let start = 0; start < events.length; start += eventsPerRequest) {
        const batch = events.slice(start, start + eventsPerRequest);
        const response = await send('POST', `${path}/insert`, { events: batch });
        version = response.headers.get('x-evalstore-version') ?? '';
        progress(start + batch.length);
      }
      return version;
    },
  };
}
