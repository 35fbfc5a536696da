// A proxy before a server, which cuts or refuses the first requests.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

export interface FlakyProxy {
  readonly url: string;
  /** The paths of the requests that are meant, also of those that were sent again. */
  readonly seen: readonly string[];
  close(): void;
}

/** Of the requests that are meant, `first` are cut, or answered with a status and `Retry-After: 0`. */
export async function flakyProxy(
  to: string,
  isMeant: (path: string) => boolean,
  first: readonly (number | 'cut')[],
): Promise<FlakyProxy> {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request);
      const path = request.url!;
      if (isMeant(path)) {
        const fate = first[seen.length];
        seen.push(path);
        if (fate === 'cut') return request.socket.destroy();
        if (fate !== undefined) return response.writeHead(fate, { 'retry-after': '0' }).end('no');
      }
      const answer = await fetch(to + path, {
        method: request.method!,
        headers: {
          authorization: request.headers.authorization!,
          'content-type': request.headers['content-type']!,
        },
        body: body === '' ? null : body,
      });
      const headers = [...answer.headers].filter(([name]) => name.startsWith('x-'));
      response.writeHead(answer.status, Object.fromEntries(headers));
      return response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  // A test that fails leaves it open.
  proxy.on('connection', (socket) => socket.unref());
  proxy.listen(0, '127.0.0.1').unref();
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
