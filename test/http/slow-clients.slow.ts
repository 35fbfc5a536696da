// Many clients that hold connections and answers without using them, beside one that works.
import { expect } from 'chai';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createProject } from '../support/objects.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { sharedProcess } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const clients = 300;
const readers = 30;
const rows = 16;
const rowLength = 2 ** 20;

describe('clients that do not go on', () => {
  const server = sharedProcess({ environment: { EVALSTORE_STALL_SECONDS: '5' } });
  const connections: RawConnection[] = [];

  const open = async (count: number, bytes: string, options = {}) => {
    const opened = await Promise.all(
      Array.from({ length: count }, () => connectRaw(server().url, bytes, options)),
    );
    connections.push(...opened);
    return opened;
  };

  const temporaryBytes = async () => {
    const directory = path.join(server().dir, 'tmp');
    const names = (await readdir(directory)).filter((name) => name.startsWith('text-'));
    const sizes = names.map((name) => stat(path.join(directory, name)).catch(() => ({ size: 0 })));
    return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  };

  afterEach(() => {
    for (const { socket } of connections.splice(0)) socket.destroy();
  });

  it('lose their connections: silent ones, half a header, one byte now and then, half a body', async function lose() {
    this.timeout(300_000);
    const half = 'GET /health HTTP/1.1\r\nHost: a\r\nX-Half: ';
    const head = requestHead(
      'POST',
      '/v1/project',
      `Authorization: Bearer ${server().key}`,
      'Content-Length: 100',
    );
    const idle = [...(await open(clients, '')), ...(await open(clients, half))];
    const halves = await open(clients, `${head}{"name"`);
    const drips = await open(clients, half);
    const drip = setInterval(() => {
      for (const { socket } of drips) if (socket.writable) socket.write('x');
    }, 1000);
    await server().get('/health');
    await Promise.all([...idle, ...halves, ...drips].map(({ closed }) => closed));
    clearInterval(drip);
    await server().get('/health');
    for (const { received } of halves) expect(received()).to.match(/^HTTP\/1.1 408 /);
  });

  it('lose their answers, and the disk space of those', async function lose() {
    this.timeout(300_000);
    const { id } = await createProject(server());
    const where = `/v1/project_logs/${id}/insert`;
    for (let row = 0; row < rows; row++) {
      await server().post(where, {
        events: [{ input: 'x'.repeat(rowLength) }],
      });
    }
    const body = JSON.stringify({ query: `select: input | from: project_logs('${id}')` });
    const head = requestHead(
      'POST',
      '/query',
      `Authorization: Bearer ${server().key}`,
      `Content-Length: ${body.length}`,
    );
    await open(readers, head + body, { unread: true });
    let most = 0;
    await waitUntil(
      'several answers are held',
      async () => {
        most = Math.max(most, await temporaryBytes());
        return most > 2 * rows * rowLength;
      },
      60_000,
    );
    await waitUntil('none is held', async () => (await temporaryBytes()) === 0);
    await server().post(where, { events: [{ id: 'next' }] });
    expect(server().log()).not.to.match(/"level":(40|50|60)/);
  });
});
