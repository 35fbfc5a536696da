// More connections and requests than there are open files for.
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections } from '../../src/http/connections.js';
import type { BudgetUse } from '../../src/service/request-metrics.js';
import { OpenFiles } from '../../src/open-files.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { waitUntil } from '../support/wait-until.js';

/** Limits on open files that permit so many connections and running requests. */
const four = 90;
const five = 92;
const eight = 99;
const stallMs = 60_000;

const refusal = /^HTTP\/1\.1 503 Service Unavailable\r\n/;
const sentence = '\r\n\r\nthe server has too many connections: try again later';

const sentenceOfHolder =
  '\r\n\r\nthe server has many requests, and too many of this key or, without a key, for this path: try again later';

const isAnswered = ({ received }: RawConnection) =>
  waitUntil('it is answered', () => received().endsWith('answer'));

describe('connections above the limit', () => {
  let server: Server;
  let url: string;
  let running: ServerResponse[];
  let use: BudgetUse;
  const opened: RawConnection[] = [];

  const listen = async (limit: number) => {
    running = [];
    server = createServer();
    use = { used: 0, refused: 0 };
    const connections = new Connections(server, stallMs, new OpenFiles(limit), use);
    connections.handle(({ url: path }, response) => {
      if (decodeURI(path!) === '/wait') running.push(response);
      else response.end('answer');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  afterEach(() => {
    for (const { socket } of opened.splice(0)) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  const connect = async (bytes: string) => {
    const connection = await connectRaw(url, bytes);
    opened.push(connection);
    return connection;
  };
  const request = async (path: string, ...headers: string[]) =>
    connect(requestHead('GET', path, ...headers));
  const answered = async (...headers: string[]) => {
    const connection = await request('/', ...headers);
    await isAnswered(connection);
    return connection;
  };
  const areOpen = (count: number) =>
    waitUntil(`${count} are open`, async () => {
      const found = await new Promise((resolve) => {
        server.getConnections((_error, open) => resolve(open));
      });
      return found === count;
    });

  it('replace those that are idle, first the oldest without a key', async () => {
    await listen(five);
    const keyed = await answered('Authorization: Bearer key');
    const [first, second, third] = [await answered(), await connect('GET /half'), await answered()];
    await areOpen(4);
    await answered();
    await first.closed;
    await answered();
    await second.closed;
    for (const { socket } of [keyed, third]) expect(socket.destroyed).to.equal(false);
    keyed.socket.write(requestHead('GET', '/'));
    await waitUntil('it is answered', () => keyed.received().split('answer').length === 3);
  });

  it('replace those with keys when all have some, and never one with a running request', async () => {
    await listen(five);
    const working = await request('/wait');
    await waitUntil('it runs', () => running.length === 1);
    const keyed = await answered('Cookie: session=s');
    const later = await answered('Authorization: Bearer key');
    for (let count = 0; count < 2; count += 1) await answered('Authorization: Bearer key');
    await keyed.closed;
    await later.closed;
    running[0]!.end('answer');
    await isAnswered(working);
  });

  it('are refused in a sentence while all others have requests', async () => {
    await listen(four);
    for (let count = 1; count <= 2; count += 1) {
      await request('/wait');
      await waitUntil('it runs', () => running.length === count);
    }
    const { received, closed } = await connect('');
    await closed;
    expect(received()).to.match(refusal).and.to.include('\r\nRetry-After: 5\r\n');
    expect(received().endsWith(sentence)).to.equal(true);
    expect(use).to.deep.equal({ used: 4, refused: 1 });
    running[0]!.end('answer');
    running[0]!.req.socket.end();
    await areOpen(1);
    await answered();
  });

  for (const [who, [first, second, third, fourth], others, ...headers] of [
    ['a key', ['/wait', '/wait', '/wait', '/'], '/', 'Authorization: Bearer key'],
    ['requests without a key for one path', ['/wait', '/wait', '/wait', '/wait?'], '/health'],
    ['encoded paths', ['/%77ait', '/w%61it', '/wa%69t', '/wai%74'], '/health'],
  ] as const)
    it(`have a rest that ${who} cannot take`, async () => {
      await listen(eight);
      for (const [index, path] of [first, second, third].entries()) {
        await request(path, ...headers);
        await waitUntil('it runs', () => running.length === index + 1);
      }
      const { received, closed } = await request(fourth, ...headers);
      await closed;
      expect(received()).to.match(refusal);
      expect(received().endsWith(sentenceOfHolder)).to.equal(true);
      await isAnswered(await request(others));
      await isAnswered(await request('/', 'Authorization: Bearer other'));
      for (const response of running) response.end('answer');
      await waitUntil('they end', () => running.every(({ closed: isClosed }) => isClosed));
      await isAnswered(await request('/', ...headers));
    });

  it('are closed with the request for which there is no place', async () => {
    await listen(four);
    const half = await connect('GET /wai');
    await areOpen(1);
    await request('/wait');
    await waitUntil('it runs', () => running.length === 1);
    const other = await connect('GET /wai');
    await areOpen(3);
    half.socket.write(
      `t HTTP/1.1\r\nHost: a\r\n\r\n${requestHead('GET', '/wait', 'Authorization: Bearer key')}`,
    );
    await other.closed;
    await waitUntil('it runs', () => running.length === 2);
    for (const response of running) response.end('answer');
    await half.closed;
    expect(half.received().endsWith(sentence)).to.equal(true);
  });
});
