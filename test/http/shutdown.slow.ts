// How a server ends that is asked to: whatever its clients do or leave undone.
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { download, filesOf, find, uploaded } from '../support/attachments.js';
import { createProject, listObjects, namesOf } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { startServer, type ServerProcess, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const clean = { code: 0, signal: null };
/** How it ends without `execve` while a thread does not. */
const killed = { code: null, signal: 'SIGKILL' };
const never = '1000000';

/** Once a request on another connection is answered, the server has read what was sent before. */
const isRead = (server: TestServer) => server.request('GET', '/health');

const postHead = (server: TestServer, length: number) =>
  requestHead(
    'POST',
    '/v1/project',
    `Authorization: Bearer ${server.key}`,
    `Content-Length: ${length}`,
  );

describe('a server that is asked to end', () => {
  const directory = temporaryDirectory();
  const connections: RawConnection[] = [];
  const running: ServerProcess[] = [];

  afterEach(async () => {
    for (const { socket } of connections.splice(0)) socket.destroy();
    for (const server of running.splice(0)) await server.kill();
  });

  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    const dir = path.join(directory(), 'data');
    const server = await startServer({ dir, environment });
    running.push(server);
    return server;
  };

  /** The projects that the next server finds in the directory. */
  const projectsLeft = async () => {
    const server = await openServer({ dir: path.join(directory(), 'data') });
    try {
      return namesOf(await listObjects(server, '/v1/project'));
    } finally {
      await server.stop();
    }
  };

  const open = async (server: TestServer, bytes: string, options = {}) => {
    const connection = await connectRaw(server.url, bytes, options);
    connections.push(connection);
    return connection;
  };

  it('closes connections at once that have no request', async () => {
    const server = await start({ EVALSTORE_SHUTDOWN_SECONDS: never });
    const used = await open(server, requestHead('GET', '/health'));
    await waitUntil('it is answered', () => used.received().endsWith('{"status":"ok"}'));
    const others = [
      await open(server, ''),
      await open(server, 'GET /hea'),
      await open(server, 'GET /health HTTP/1.1\r\nHost: a\r\nX-Half: '),
      await open(server, 'POST'),
    ];
    await isRead(server);
    expect(await server.stop()).to.deep.equal(clean);
    await Promise.all([used, ...others].map(({ closed }) => closed));
  });

  it('gives a request the grace to arrive, and refuses what is new', async () => {
    const server = await start({ EVALSTORE_SHUTDOWN_SECONDS: never });
    const body = JSON.stringify({ name: 'sent slowly' });
    const slow = await open(server, postHead(server, body.length) + body.slice(0, 5));
    const idle = await open(server, '');
    await isRead(server);
    const stopped = server.stop();
    await idle.closed;
    await waitUntil('new connections are refused', () =>
      fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      ),
    );
    slow.socket.write(body.slice(5));
    await slow.closed;
    expect(slow.received())
      .to.match(/^HTTP\/1.1 200 OK\r\n/)
      .and.to.match(/Connection: close\r\n/);
    expect(await stopped).to.deep.equal(clean);
    expect(await projectsLeft()).to.deep.equal(['sent slowly']);
  });

  const digits = Array.from({ length: 100 }, (_, n) => n);

  /** Resolves when it runs. */
  async function runLongQuery(server: TestServer): Promise<{ answered: Promise<unknown> }> {
    const { id } = await createProject(server, { name: 'long' });
    const events = [{ id: 'a', metadata: { n: digits } }];
    await server.insert(`project_logs/${id}`, events);
    const source = `from: project_logs('${id}')`;
    const columns = ['a', 'b', 'c', 'd', 'e'].map((name) => `metadata.n as ${name}`).join(', ');
    const query = `measures: count(*) as n | unpivot: ${columns} | filter: a + b + c + d + e < 0 | ${source}`;
    const answered = server.request('POST', '/query', { query }).catch((error: Error) => error);
    // Small queries do not wait for others.
    const next = { query: `measures: count(*) as n | unpivot: metadata.n as a | ${source}` };
    await waitUntil(
      'it runs',
      async () => (await server.request('POST', '/query', next)).status === 429,
    );
    return { answered };
  }

  const oneQuery = { EVALSTORE_QUERY_CONCURRENCY: '1', EVALSTORE_QUERY_QUEUE: '0' };

  it('breaks off what is not over after the grace: half a body, no body, an unread answer, a query', async () => {
    const server = await start({
      ...oneQuery,
      EVALSTORE_SHUTDOWN_SECONDS: '1',
      EVALSTORE_QUERY_TIMEOUT_SECONDS: '1000',
    });
    await open(server, `${postHead(server, 100)}{"name":`);
    await open(server, postHead(server, 100));
    // More than the operating system buffers for both ends.
    await open(server, requestHead('GET', '/docs/swagger-ui-bundle.js').repeat(20), {
      unread: true,
    });
    const { answered } = await runLongQuery(server);
    expect(await server.stop()).to.deep.equal(clean);
    expect(await answered).to.be.instanceOf(TypeError);
    expect(server.log()).not.to.match(/"level":(40|50|60)/);
  });

  it('ends at once at a second signal, with all that was answered', async () => {
    const server = await start({
      ...oneQuery,
      EVALSTORE_SHUTDOWN_SECONDS: never,
      EVALSTORE_QUERY_TIMEOUT_SECONDS: '1000',
    });
    const { answered } = await runLongQuery(server);
    const idle = await open(server, '');
    const stopped = server.stop();
    await idle.closed;
    // The first of these may come too soon to be a second one.
    const again = setInterval(() => process.kill(server.pid, 'SIGINT'), 100);
    expect(await stopped.finally(() => clearInterval(again))).to.deep.equal(clean);
    await answered;
    expect(await projectsLeft()).to.deep.equal(['long']);
  });

  it('ends even while a read of a file does not return', async () => {
    const server = await start({ EVALSTORE_SHUTDOWN_SECONDS: '1' });
    const key = await uploaded(server, new Uint8Array());
    const { address } = await find(server, key);
    const [name = ''] = await filesOf(server.dir);
    const file = path.join(server.dir, 'attachments', name);
    await rm(file);
    // Nobody writes to the pipe.
    execFileSync('mkfifo', [file]);
    const answered = download(server, address).catch((error: Error) => error);
    await isRead(server);
    expect(await server.stop()).to.deep.oneOf([clean, killed]);
    expect(await answered).to.be.instanceOf(TypeError);
  });
});
