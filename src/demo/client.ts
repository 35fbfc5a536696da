// The few calls that the demo makes, over HTTP like any other client.

export interface Client {
  /** Posts JSON and returns the JSON answer. Throws with the server's sentence on any error status. */
  readonly post: <T>(path: string, body: unknown) => Promise<T>;
}

export function connect(url: string, key: string): Client {
  return {
    async post<T>(path: string, body: unknown): Promise<T> {
      const response = await fetch(new URL(path, url), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok)
        throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
  };
}
