// Requests made to keep the server busy before it knows who asks, and a server that has no files left.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { createExperiment, createProject } from '../support/objects.js';
import { askingBeside, startBounded } from '../support/attack.js';
import { startServer } from '../support/start-server.js';

const run = promisify(execFile);

describe('requests without a key', () => {
  it('with many query parameters are refused at once', async () => {
    const server = await startBounded();
    const { port, hostname } = new URL(server.url);
    /** The status line that a GET of this path gets. */
    const statusOf = async (path: string): Promise<string> => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return chunk.toString().split('\r\n')[0] ?? '';
    };
    for (const [bytes, status] of [
      [15_000, 'HTTP/1.1 400 Bad Request'],
      [200_000, 'HTTP/1.1 431 Request Header Fields Too Large'],
      [1_000_000, 'HTTP/1.1 431 Request Header Fields Too Large'],
    ] as const) {
      const requests = Array.from({ length: 20 }, () =>
        statusOf(`/health?${'a&'.repeat(bytes / 2)}`),
      );
      const { result } = await askingBeside(server, Promise.all(requests));
      for (const line of result) expect(line).to.equal(status);
    }
    await server.stop();
  });
});

describe('a server without files left', () => {
  it('refuses in words, and goes on when there are some again', async () => {
    const server = await startServer({
      environment: { EVALSTORE_FLUSH_ROWS: '1' },
    });
    const { id } = await createExperiment(server, (await createProject(server)).id);
    await server.insert(`experiment/${id}`, [{ input: 'a' }]);
    const { length: open } = await readdir(`/proc/${server.pid}/fd`);
    const limit = (files: number) =>
      run('prlimit', ['--pid', `${server.pid}`, `--nofile=${files}:1024`]);
    await limit(open + 6);
    const { port, hostname } = new URL(server.url);
    const sockets: Socket[] = [];
    const statuses = new Set<number>();
    const texts = new Set<string>();
    const query = `select: input | from: experiment('${id}') | filter: input MATCH 'a'`;
    // One after the other, until files run out.
    for (let count = 0; count < 120 && !statuses.has(503); count += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      sockets.push(socket);
      const asked = Promise.all([
        server.request('GET', '/docs/swagger-ui.css').catch(() => null),
        server.request('POST', '/query', { query }).catch(() => null),
      ]);
      for (const answer of await asked)
        if (answer !== null) {
          statuses.add(answer.status);
          if (answer.status !== 200) texts.add(answer.text);
        }
    }
    console.log(
      `      ${sockets.length} connections: ${[...statuses].join(', ')}; ${[...texts].join('; ')}`,
    );
    expect([...statuses]).to.include(503);
    expect([...statuses]).not.to.include(500);
    for (const socket of sockets) socket.destroy();
    await limit(1024);
    await server.post('/query', { query });
    await server.stop();
  });
});
