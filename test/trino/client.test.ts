import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { trinoAddress } from '../../src/trino/address.js';
import { TrinoClient } from '../../src/trino/client.js';
import { ClusterError } from '../../src/trino/errors.js';

type Reply = object | number | 'silence' | 'break';

/** A coordinator that gives these answers, one after the other; `nextUri` is the place of the next. */
async function coordinator(replies: readonly Reply[]) {
  const requests: {
    readonly line: string;
    readonly body: string;
    readonly authorization: string;
  }[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const index = requests.filter(({ line }) => !line.startsWith('DELETE')).length;
      const { authorization = '' } = request.headers;
      requests.push({ line: `${request.method} ${request.url}`, body, authorization });
      if (request.method === 'DELETE') {
        response.writeHead(204).end();
        return;
      }
      const reply = replies[index] ?? {};
      if (reply === 'silence') return;
      if (reply === 'break') {
        request.socket.destroy();
        return;
      }
      if (typeof reply === 'number') {
        response.writeHead(reply).end('');
        return;
      }
      const isLast = index + 1 >= replies.length || 'error' in reply;
      // Another host, as a coordinator behind a proxy names one.
      const nextUri = isLast
        ? {}
        : { nextUri: `http://inside:8080/v1/statement/q/${index + 1}?x=1` };
      response.writeHead(200).end(JSON.stringify({ ...reply, ...nextUri }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://me:se%40cret@127.0.0.1:${port}`, requests, close };
}

const clientOf = (url: string, options = {}): TrinoClient => {
  const address = trinoAddress(url);
  if (address === null) throw new Error(`no address: ${url}`);
  return new TrinoClient(address, { pauseMs: 1, ...options });
};

const failure = async (client: TrinoClient, signal = new AbortController().signal) => {
  try {
    return await client.rows('SELECT 1', signal);
  } catch (error) {
    return error instanceof ClusterError ? `${error.outcome}: ${error.message}` : error;
  }
};

const error = (errorType: string, errorName: string) => ({
  error: { message: 'it says why', errorType, errorName },
});

const parts = (text: string) => {
  const found = trinoAddress(text);
  return found && [found.url.href, found.user, found.password];
};

describe('client of Trino', () => {
  const closes: (() => void)[] = [];
  afterEach(() => closes.splice(0).forEach((close) => close()));
  const answering = async (...replies: readonly Reply[]) => {
    const found = await coordinator(replies);
    closes.push(found.close);
    return found;
  };

  it('follows the pages of an answer at the configured host, and repeats what is busy', async () => {
    const { url, requests } = await answering(
      {},
      { data: [[1], [null]] },
      503,
      502,
      429,
      { data: [] },
      { data: [['a']] },
    );
    expect(await failure(clientOf(url))).to.deep.equal([[1], [null], ['a']]);
    expect(requests.map(({ line }) => line)).to.deep.equal([
      'POST /v1/statement',
      'GET /v1/statement/q/1?x=1',
      ...Array<string>(4).fill('GET /v1/statement/q/2?x=1'),
      'GET /v1/statement/q/6?x=1',
    ]);
    expect(requests[0]?.body).to.equal('SELECT 1');
    const basic = `Basic ${Buffer.from('me:se@cret').toString('base64')}`;
    expect(requests.every(({ authorization }) => authorization === basic)).to.equal(true);
  });

  it('cancels the statement when the caller stops or the signal is aborted', async () => {
    const { url, requests } = await answering({ data: [[1]] }, { data: [[2]] }, 'silence');
    for await (const page of clientOf(url).pages('SELECT 1', new AbortController().signal)) {
      expect(page).to.deep.equal([[1]]);
      break;
    }
    expect(requests.at(-1)?.line).to.equal('DELETE /v1/statement/q/1?x=1');
    const aborted = new AbortController();
    const read = async () => {
      for await (const page of clientOf(url).pages('SELECT 1', aborted.signal)) aborted.abort(page);
    };
    const reason = await read().catch((error: unknown) => error);
    expect(reason).to.deep.equal([[2]]);
    expect(requests.filter(({ line }) => line.startsWith('DELETE'))).to.have.length(2);
  });

  it('tells refused statements from those that fail', async () => {
    const outcomes: readonly (readonly [object | number, string])[] = [
      [error('USER_ERROR', 'SYNTAX_ERROR'), 'refused'],
      [error('USER_ERROR', 'EXCEEDED_TIME_LIMIT'), 'failed'],
      [error('INTERNAL_ERROR', 'REMOTE_TASK_ERROR'), 'failed'],
      [error('INSUFFICIENT_RESOURCES', 'EXCEEDED_LOCAL_MEMORY_LIMIT'), 'failed'],
      [error('EXTERNAL', 'ICEBERG_CANNOT_OPEN_SPLIT'), 'failed'],
      [401, 'refused'],
      [404, 'refused'],
    ];
    for (const [reply, outcome] of outcomes) {
      const { url } = await answering({}, reply);
      const found = await failure(clientOf(url));
      expect(found).to.match(new RegExp(`^${outcome}: the cluster 127\\.0\\.0\\.1:\\d+ `));
      if (typeof reply === 'object') expect(found).to.match(/: [A-Z_]+: it says why$/);
      expect(found).to.not.include('cret');
    }
  });

  it('says when the coordinator does not answer', async () => {
    const broken = await answering('break');
    expect(await failure(clientOf(broken.url))).to.match(
      /^unreachable: the cluster .* does not answer: /,
    );
    const silent = await answering('silence');
    expect(await failure(clientOf(silent.url, { silentMsMax: 50 }))).to.match(/^unreachable: /);
    const busy = await answering(...Array<number>(10_000).fill(503));
    expect(await failure(clientOf(busy.url, { silentMsMax: 50 }))).to.match(
      /^unreachable: .* does not answer: it answers 503$/,
    );
  });

  it('sends nothing unencrypted beyond the own network', async () => {
    expect(await failure(clientOf('http://me:secret@192.0.2.1:8080'))).to.equal(
      'refused: the cluster 192.0.2.1:8080 is outside of the own network: its URL has to begin with https',
    );
  });

  it('reads addresses', () => {
    expect(parts('https://a:b%3A@trino.example:8443')).to.deep.equal([
      'https://trino.example:8443/',
      'a',
      'b:',
    ]);
    expect(parts('http://localhost/proxy')).to.deep.equal([
      'http://localhost/proxy/',
      'evalstore',
      null,
    ]);
    for (const wrong of ['trino', 'ftp://a', 'http://a/?b', 'http://a/#b', ''])
      expect(parts(wrong)).to.equal(null);
  });
});
