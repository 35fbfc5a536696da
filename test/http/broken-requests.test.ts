// What is written to the socket of a server, byte by byte, and what it answers.
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { answerBrokenRequests } from '../../src/http/broken-requests.js';
import { listObjects } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const post = (...headers: readonly string[]) =>
  [
    'POST /v1/project HTTP/1.1',
    'Host: a',
    'Authorization: Bearer test-key-of-tests',
    ...headers,
  ].join('\r\n');

/** The line of a host is the first header. */
const withHost = (value: string, ...headers: readonly string[]) =>
  [`GET /health HTTP/1.1`, `Host: ${value}`, ...headers, '', ''].join('\r\n');

const project = '{"name":"coded"}';
const chunked = `\r\n\r\n${project.length.toString(16)}\r\n${project}\r\n0\r\n\r\n`;

const unclearHost = [
  400,
  'the header "Host" must name one host, such as "example.org:8000"',
] as const;

const unknownCoding = (coding: string) =>
  [501, `the header "Transfer-Encoding" may only be "chunked", not "${coding}"`] as const;

const malformed = [400, 'the request is not valid HTTP/1.1'] as const;

const cases: Readonly<Record<string, readonly [string, number, string]>> = {
  'no HTTP': ['GARBAGE\r\n\r\n', ...malformed],
  'no number of bytes': [`${post('Content-Length: abc')}\r\n\r\n`, ...malformed],
  'a chunk of no size': [`${post('Transfer-Encoding: chunked')}\r\n\r\nxyz\r\n`, ...malformed],
  'no host': [
    'GET /health HTTP/1.1\r\n\r\n',
    400,
    'the header "Host" is missing, which HTTP/1.1 requires',
  ],
  'two hosts': [withHost('a', 'host: a'), ...unclearHost],
  'a URL as the host': [withHost('http://a'), ...unclearHost],
  'a path in the host': [withHost('a/b'), ...unclearHost],
  'two hosts in one header': [withHost('a, b'), ...unclearHost],
  'a user in the host': [withHost('me@a'), ...unclearHost],
  'half an IPv6 address as the host': [withHost('[::1'), ...unclearHost],
  'a second coding': [
    post('Transfer-Encoding: gzip, chunked') + chunked,
    ...unknownCoding('gzip, chunked'),
  ],
  'codings in two headers': [
    post('Transfer-Encoding: GZip', 'Transfer-Encoding: chunked') + chunked,
    ...unknownCoding('GZip, chunked'),
  ],
  'a coding of a long name': [
    post(`Transfer-Encoding: ${'x'.repeat(200)}, chunked`) + chunked,
    ...unknownCoding(`${'x'.repeat(100)}…`),
  ],
  'two lengths': [post('Content-Length: 2', 'Content-Length: 2') + chunked, ...malformed],
  'a coding and a length': [
    post('Transfer-Encoding: chunked', 'Content-Length: 2') + chunked,
    ...malformed,
  ],
  'a coding in HTTP/1.0': [
    post('Transfer-Encoding: chunked').replace('1.1', '1.0') + chunked,
    400,
    'the header "Transfer-Encoding" requires HTTP/1.1',
  ],
  'an unknown expectation': [
    `${post('Expect: foo', 'Content-Length: 0')}\r\n\r\n`,
    417,
    'the header "Expect" may only be "100-continue"',
  ],
  'too many headers': [
    `${post(`X: ${'x'.repeat(2 ** 14)}`)}\r\n\r\n`,
    431,
    'the request line and the headers are larger than the limit of 16 KB',
  ],
  'more bytes than are taken': [
    `${post('Content-Length: 999999999999')}\r\n\r\n`,
    413,
    'the request body is larger than the limit of 1 MB',
  ],
};

describe('broken requests', () => {
  const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '1' } });

  /** What comes back until the text that is expected has come, or the server ends the connection. */
  async function answer(request: string, text: string, url = server().url): Promise<string> {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(request);
    let answered = '';
    for await (const chunk of socket) {
      answered += String(chunk);
      if (answered.endsWith(text)) break;
    }
    return answered;
  }

  for (const [name, [request, status, text]] of Object.entries(cases))
    it(`with ${name} are refused in a sentence`, async () => {
      const [head = '', body] = (await answer(request, text)).split('\r\n\r\n');
      expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head.toLowerCase()).to.include('content-type: text/plain; charset=utf-8');
      expect(body).to.equal(text);
    });

  it('without a host end the connection, but HTTP/1.0 requires none', async () => {
    const request = 'GET /health HTTP/1.1\r\nConnection: keep-alive\r\n\r\n';
    expect(await answer(request, 'until the end')).to.match(/^Connection: close\r$/im);
    const older = await answer('GET /health HTTP/1.0\r\n\r\n', 'until the end');
    expect(older).to.match(/^HTTP\/1.1 200 /);
  });

  it('with several codings end the connection and store nothing', async () => {
    const request = post('Transfer-Encoding: gzip, chunked') + chunked;
    const answered = await answer(request + withHost('a'), 'until the end');
    expect(answered.match(/^HTTP\/1.1 \d+/gm)).to.deep.equal(['HTTP/1.1 501']);
    const [found] = await listObjects(server(), '/v1/project?project_name=coded');
    expect(found).to.equal(undefined);
  });

  for (const host of ['', 'a_b.example', 'a:80', 'a:', '[::1]:8000', '127.0.0.1', 'a%20b', 'ä'])
    it(`are not those to the host "${host}"`, async () => {
      const answered = await answer(withHost(host, 'Connection: close'), 'until the end');
      expect(answered).to.match(/^HTTP\/1.1 200 /);
    });

  it('do not lose the answer to the request before them', async () => {
    const request = post(`Content-Length: ${project.length}`);
    const answered = await answer(`${request}\r\n\r\n${project}GARBAGE\r\n\r\n`, 'until the end');
    expect(answered.match(/HTTP\/1.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(answered.endsWith(malformed[1])).to.equal(true);
  });

  it('end the connection if more invalid bytes come before the answer', async () => {
    const held: ServerResponse[] = [];
    const slow = createServer((_, response) => held.push(response));
    answerBrokenRequests(slow);
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const socket = connect((slow.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitUntil('it is being answered', () => held.length === 1);
    const junk = setInterval(() => socket.write('GARBAGE\r\n\r\n'), 10);
    await closed;
    clearInterval(junk);
    slow.close();
  });

  it('of HTTP/1.0 are answered once, whatever they expect', async () => {
    const request = post('Expect: 100-continue', 'Content-Length: 2').replace('1.1', '1.0');
    expect(await answer(`${request}\r\n\r\n[]`, 'until the end')).to.match(/^HTTP\/1.1 400 /);
  });

  it('that do not arrive in time are refused in a sentence', async () => {
    const hasty = createServer({ requestTimeout: 100, connectionsCheckingInterval: 20 });
    answerBrokenRequests(hasty);
    hasty.listen(0, '127.0.0.1');
    await once(hasty, 'listening');
    const text = 'the request did not arrive in time';
    const { port } = hasty.address() as AddressInfo;
    const answered = await answer('GET / HTTP/1.1\r\n', text, `http://127.0.0.1:${port}`);
    hasty.close();
    expect(answered).to.match(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(answered.split('\r\n\r\n')[1]).to.equal(text);
  });
});
