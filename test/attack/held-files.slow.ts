// What a client can hold of the server's files, where the operating system permits few: answers that nobody reads, uploads that never
// end, and reads of many segments.
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { announce } from '../support/attachments.js';
import { createProject } from '../support/objects.js';
import { connectRaw, requestHead } from '../support/raw-connection.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { openBystander } from './bystander.js';

/** The server permits 77 connections and running requests together: these leave few for others. */
const clients = 80;
const attackMs = 3_000;

const projects = 25;
const rounds = 8;
const environment = { EVALSTORE_FLUSH_ROWS: String(projects) };

const limited = ['sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh'];

describe('attack: files that a client holds, with 256 open files', () => {
  let server: ServerProcess;
  afterEach(() => server.stop());

  /** Each client sends the bytes and neither reads nor sends more. */
  async function hold(requests: readonly string[]): Promise<void> {
    const open = await Promise.all(
      requests.map((bytes) => connectRaw(server.url, bytes, { unread: true }).catch(() => null)),
    );
    await delay(attackMs);
    for (const connection of open) connection?.socket.destroy();
  }

  const authorised = () => `Authorization: Bearer ${server.key}`;

  it('answers that nobody reads', async () => {
    server = await startServer({ wrapper: limited });
    const { id } = await createProject(server);
    const events = Array.from({ length: 300 }, (_, n) => ({ input: `${n} `.repeat(10_000) }));
    await server.insert(`project_logs/${id}`, events);
    const bystander = await openBystander(server);
    const bodies = ['jsonl', 'parquet', 'csv'].map((fmt) =>
      JSON.stringify({ query: `select: * | from: project_logs('${id}')`, fmt }),
    );
    const requests = Array.from({ length: clients }, (_, index) => {
      const body = bodies[index % bodies.length]!;
      const length = `Content-Length: ${body.length}`;
      return `${requestHead('POST', '/query', authorised(), length)}${body}`;
    });
    await bystander.beside(() => hold(requests));
    expect(server.log()).not.to.match(/"level":(50|60)/);
  });

  it('uploads that never end', async () => {
    server = await startServer({ wrapper: limited });
    const bystander = await openBystander(server);
    const requests: string[] = [];
    while (requests.length < clients) {
      const { address } = await announce(server);
      requests.push(`${requestHead('PUT', address, 'Content-Length: 900000000')}begin`);
    }
    await bystander.beside(() => hold(requests));
    expect(server.log()).not.to.match(/"level":(50|60)/);
  });

  it('reads of 200 segments', async () => {
    server = await startServer({
      wrapper: limited,
      environment,
      tuning: { compaction: { fanOut: 1_000 } },
    });
    const made = await Promise.all(Array.from({ length: projects }, () => createProject(server)));
    for (let round = 0; round < rounds; round += 1) {
      const project_logs = Object.fromEntries(
        made.map(({ id }) => [id, { events: [{ input: round, scores: { s: 1 } }] }]),
      );
      await server.post('/v1/insert', { project_logs });
    }
    const bystander = await openBystander(server);
    const sources = made.map(({ id }) => `'${id}'`).join(', ');
    const query = `measures: count(1) as n, avg(scores.s) as s | from: project_logs(${sources})`;
    const ask = async () => {
      const end = performance.now() + attackMs;
      while (performance.now() < end) {
        const { status, text } = await server.request('POST', '/query', { query });
        expect(status, text).to.be.oneOf([200, 503]);
        if (status === 200) expect(JSON.parse(text)).to.have.nested.property('data[0].n', 200);
      }
    };
    await bystander.beside(() => Promise.all(Array.from({ length: 8 }, ask)));
    expect(server.log()).not.to.match(/"level":(50|60)/);
  });
});
