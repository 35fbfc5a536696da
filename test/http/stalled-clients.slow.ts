// Clients that stop half way: what they hold is released, and whoever is only slow is served.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProject } from '../support/objects.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const stallMs = 2_000;
const rowLength = 2 ** 20;
const rows = 16;

describe('clients that stall', () => {
  const server = sharedServer({
    environment: {
      EVALSTORE_STALL_SECONDS: String(stallMs / 1000),
      EVALSTORE_QUERY_TIMEOUT_SECONDS: '1000',
    },
  });
  const connections: RawConnection[] = [];
  let source: string;

  before(async () => {
    const { id } = await createProject(server());
    source = `from: project_logs('${id}')`;
    const digits = Array.from({ length: 100 }, (_, n) => n);
    for (let row = 0; row < rows; row++) {
      const events = [{ input: 'x'.repeat(rowLength), metadata: { n: digits } }];
      await server().insert(`project_logs/${id}`, events);
    }
  });
  afterEach(() => {
    for (const { socket } of connections.splice(0)) socket.destroy();
  });

  const post = async (target: string, body: string, sent: string, options = {}) => {
    const head = requestHead(
      'POST',
      target,
      `Authorization: Bearer ${server().key}`,
      `Content-Length: ${body.length}`,
    );
    const connection = await connectRaw(server().url, head + sent, options);
    connections.push(connection);
    return connection;
  };

  const files = async () =>
    (await readdir(path.join(server().dir, 'tmp'))).filter((name) => /^(text|export)-/.test(name));

  const expectQuiet = () => expect(server().log()).not.to.match(/"level":(40|50|60)/);

  it('in a body are refused in a sentence', async () => {
    const body = JSON.stringify({ name: 'stalled' });
    const { received, closed } = await post('/v1/project', body, body.slice(0, 3));
    await closed;
    const [head, text] = received().split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(text).to.equal('the request did not arrive in time');
    expectQuiet();
  });

  it('are not those whose body comes slowly', async () => {
    const body = JSON.stringify({ name: 'slow' });
    const { socket, received } = await post('/v1/project', body, '');
    const pauseMs = (2 * stallMs) / body.length;
    for (const byte of body) {
      socket.write(byte);
      await delay(pauseMs);
    }
    await waitUntil('it is answered', () => received().includes('"name":"slow"'));
  });

  for (const fmt of ['jsonl', 'csv'])
    it(`in taking an answer lose it, and its files go, as ${fmt}`, async () => {
      const body = JSON.stringify({ query: `select: input | ${source}`, fmt });
      const { socket, closed } = await post('/query', body, body, { unread: true });
      await waitUntil('it is made', async () => (await files()).length > 0);
      socket.pause();
      await waitUntil('its files are gone', async () => (await files()).length === 0);
      socket.resume();
      await closed;
      expectQuiet();
    });

  it('leave no files of a page that is being read when they leave', async () => {
    const { id } = await createProject(server());
    for (let part = 0; part < 6; part++) {
      const events = Array.from({ length: 3_000 }, () => ({ input: 'x'.repeat(2_500) }));
      await server().insert(`project_logs/${id}`, events);
    }
    for (let afterMs = 0; afterMs < 400; afterMs += 20) {
      const { socket, received } = await post(`/v1/project_logs/${id}/fetch`, '{}', '{}');
      await waitUntil('a part has come', () => received().length > 100_000);
      await delay(afterMs);
      socket.destroy();
      await waitUntil('its files are gone', async () => (await files()).length === 0);
    }
    expectQuiet();
  });

  it('are not those who take an answer slowly', async () => {
    const body = JSON.stringify({ query: `select: input | ${source}`, fmt: 'jsonl' });
    const { socket } = await post('/query', body, body, { unread: true });
    let bytes = 0;
    const pauseMs = (3 * stallMs) / rows;
    const total = rows * rowLength;
    let paused = 0;
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      if (bytes > total) break;
      if (bytes < (paused + 1) * rowLength) continue;
      paused += 1;
      await delay(pauseMs);
    }
    expect(bytes).to.be.greaterThan(total);
  });

  it('are not those who wait for an answer', async () => {
    const columns = ['a', 'b', 'c', 'd'].map((name) => `metadata.n as ${name}`).join(', ');
    const query = `measures: count(*) as n | unpivot: ${columns} | filter: a + b + c + d < 0 | ${source}`;
    const body = JSON.stringify({ query });
    const { socket, closed } = await post('/query', body, body);
    const outcome = await Promise.race([closed.then(() => 'closed'), delay(3 * stallMs, 'waits')]);
    expect(outcome).to.equal('waits');
    // And who leaves then is no fault of the server's.
    socket.destroy();
    await waitUntil('the request is over', () => server().log().includes('"status":null'));
    await server().request('POST', '/query', { query: `measures: count(*) as n | ${source}` });
    expectQuiet();
  });
});
