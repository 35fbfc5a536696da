// Bodies that nobody reads: of requests that are refused, and of clients that go away.
import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { announce } from '../support/attachments.js';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer, testKey } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

async function socketTo(url: string): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

const head = (path: string, ...headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');

const key = `Authorization: Bearer ${testKey}`;

const expecting = 'Expect: 100-continue';

/** What has come when the text is there. */
async function read(socket: Socket, text: string): Promise<string> {
  let answer = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    answer += String(chunk);
    if (answer.includes(text)) return answer;
  }
  throw new Error(`the connection ended after ${answer}`);
}

describe('requests', () => {
  const server = sharedServer();
  let project = '';
  let experiment = '';

  before(async () => {
    project = (await createProject(server())).id;
    experiment = (await createExperiment(server(), project)).id;
  });

  it('that are refused come before their bodies are read', async () => {
    const own = `/v1/experiment/${experiment}`;
    for (const [path, status, ...headers] of [
      [`${own}/insert`, 401],
      ['/v1/experiment', 401],
      ['/query', 401],
      [`${own}/insert`, 401, 'Authorization: Bearer wrong'],
      [`/v1/experiment/${project}/insert`, 403, key],
      [`/v1/experiment/${project}/fetch`, 403, key],
      [`/v1/experiment/${project}/feedback`, 403, key],
      [`/v1/dataset/${project}/insert`, 403, key],
      [`/v1/experiment/${experiment}/insert?a=1`, 400, key],
      ['/v1/experiment/x/insert', 400, key],
      ['/v1/nothing', 404, key],
      ['/health', 405, key],
    ] as const) {
      const socket = await socketTo(server().url);
      // The body never comes.
      socket.write(head(path, ...headers, 'Content-Length: 1000', 'Content-Encoding: gzip'));
      const answer = await read(socket, '\r\n\r\n');
      expect(answer, path).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      socket.destroy();
    }
  });

  it('leave the connection in order when their bodies were not read', async () => {
    const socket = await socketTo(server().url);
    const rest = 'x'.repeat(5000);
    socket.write(`${head('/v1/nothing', key, `Content-Length: ${rest.length}`)}${rest}`);
    expect(await read(socket, 'no route')).to.match(/^HTTP\/1.1 404 /);
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await read(socket, '"ok"')).to.match(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('are asked for their bodies only when these will be read', async () => {
    const body = JSON.stringify({ events: [{}] });
    const waiting = [`Content-Length: ${body.length}`, expecting];
    const refused = await socketTo(server().url);
    refused.write(head(`/v1/experiment/${project}/insert`, key, ...waiting));
    expect(await read(refused, 'no experiment')).to.match(/^HTTP\/1.1 403 /);
    refused.destroy();
    const taken = await socketTo(server().url);
    taken.write(head(`/v1/experiment/${experiment}/insert`, key, ...waiting));
    await read(taken, 'HTTP/1.1 100 Continue\r\n\r\n');
    taken.write(body);
    expect(await read(taken, 'row_ids')).to.match(/^HTTP\/1.1 200 /);
    taken.destroy();
  });

  for (const [name, status, ...headers] of [
    ['too long', 413, `Content-Length: ${2 ** 40}`],
    ['of an unknown encoding', 415, 'Content-Length: 1000', 'Content-Encoding: zip'],
  ] as const)
    it(`are not asked for a body that is ${name}`, async () => {
      const { address } = await announce(server());
      for (const start of [
        head(`/v1/experiment/${experiment}/insert`, key, ...headers, expecting),
        head(address, ...headers, expecting).replace('POST', 'PUT'),
      ]) {
        const socket = await socketTo(server().url);
        socket.write(start);
        const answer = await read(socket, 'the request body');
        expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
        expect(answer).to.match(/^Connection: close\r$/im);
        socket.destroy();
      }
    });

  for (const [name, ...headers] of [
    ['a plain', 'Content-Length: 1000'],
    ['a chunked', 'Transfer-Encoding: chunked'],
    ['a compressed', 'Content-Length: 1000', 'Content-Encoding: gzip'],
  ] as const)
    it(`whose client goes away in the middle of ${name} body are no error`, async () => {
      const path = `/v1/experiment/${(await createExperiment(server(), project)).id}/insert`;
      const socket = await socketTo(server().url);
      socket.write(`${head(path, key, ...headers)}5\r\n{"eve\r\n`);
      await server().request('GET', '/health');
      socket.destroy();
      const lines = () => server().log().split('\n');
      const logged = () => lines().find((line) => line.includes(path));
      await waitUntil('the request is logged', () => logged() !== undefined);
      expect(JSON.parse(logged()!)).to.include({ level: 30, msg: 'request' });
      expect(JSON.parse(logged()!)['status'] ?? 0).to.be.below(500);
      expect(lines().filter((line) => line.includes('"err"'))).to.deep.equal([]);
    });
});
