// Connections with several requests before the first answer.
import { expect } from 'chai';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { pipelinedMax } from '../../src/schema/limits.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const file = '/docs/swagger-ui-bundle.js';

describe('pipelined requests', () => {
  let server: ServerProcess;
  let connection: RawConnection;

  before(async () => {
    server = await startServer();
  });
  afterEach(() => connection.socket.destroy());
  after(() => server.kill());

  const openFiles = async () => {
    const directory = `/proc/${server.pid}/fd`;
    const names = await readdir(directory);
    const targets = await Promise.all(
      names.map((name) => readlink(`${directory}/${name}`).catch(() => '')),
    );
    return targets.filter((target) => target.endsWith(file.slice('/docs'.length))).length;
  };

  const logged = (path: string) =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes(`"path":"${path}"`)).length;

  const statuses = () => connection.received().match(/HTTP\/1.1 \d+/g) ?? [];

  it('are answered in their order, up to the limit', async () => {
    const paths = Array.from({ length: pipelinedMax }, (_, n) => (n % 2 ? '/health' : `/no${n}`));
    connection = await connectRaw(
      server.url,
      paths.map((path) => requestHead('GET', path)).join(''),
    );
    await waitUntil('all are answered', () => statuses().length === pipelinedMax);
    expect(statuses()).to.deep.equal(paths.map((_, n) => `HTTP/1.1 ${n % 2 ? 200 : 401}`));
  });

  it('beyond the limit close the connection, and do not run', async () => {
    const admitted = requestHead('GET', file).repeat(pipelinedMax);
    connection = await connectRaw(server.url, admitted + requestHead('GET', '/excess').repeat(100));
    await connection.closed;
    await waitUntil('the others are over', () => logged(file) === pipelinedMax);
    expect(logged('/excess')).to.equal(0);
    await waitUntil('their files are closed', async () => (await openFiles()) === 0);
  });

  it('of a client that disconnects keep no file open', async () => {
    const before = logged(file);
    const all = requestHead('GET', file).repeat(pipelinedMax);
    connection = await connectRaw(server.url, all, { unread: true });
    await waitUntil('their files are open', async () => (await openFiles()) === pipelinedMax);
    connection.socket.destroy();
    await waitUntil('all are over', () => logged(file) === before + pipelinedMax);
    await waitUntil('their files are closed', async () => (await openFiles()) === 0);
  });

  it('of a client that resets the connection are no failure in the log', async () => {
    const before = logged(file);
    connection = await connectRaw(server.url, requestHead('GET', file).repeat(2));
    await once(connection.socket, 'data');
    connection.socket.resetAndDestroy();
    await waitUntil('they are logged', () => logged(file) === before + 2);
    expect(server.log()).not.to.include('answer failed');
  });
});
