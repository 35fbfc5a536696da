// Clients that hold connections, beside one that works, where the operating system permits the server few open files.
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { createProject } from '../support/objects.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { startServer, type ServerProcess, type TestServer } from '../support/start-server.js';
import { openBystander } from './bystander.js';

const clients = 1_160;
/** Milliseconds until a client connects again whose connection the server has closed. */
const pauseMs = 1_000;
/** The client that works makes a segment in each round. */
const rounds = 8;
const projects = 4;

const environment = { EVALSTORE_FLUSH_ROWS: '50', EVALSTORE_FLUSH_SECONDS: '1' };

const start = (files: number) =>
  startServer({ environment, wrapper: ['sh', '-c', `ulimit -n ${files} && exec "$@"`, 'sh'] });

/** Each client sends the bytes, and does so again when the server closes its connection, until `isOver`. */
async function flood(url: string, bytes: string, isOver: () => boolean): Promise<void> {
  const open = new Set<RawConnection>();
  const hold = async () => {
    while (!isOver()) {
      const connection = await connectRaw(url, bytes).catch(() => null);
      if (connection !== null) {
        open.add(connection);
        await connection.closed;
        open.delete(connection);
      }
      await delay(pauseMs);
    }
    for (const { socket } of open) socket.destroy();
  };
  const over = async () => {
    while (!isOver()) await delay(50);
    for (const { socket } of open) socket.destroy();
  };
  await Promise.all([over(), ...Array.from({ length: clients }, hold)]);
}

/** Inserts rows and reads them from their segments. */
async function work(server: TestServer): Promise<void> {
  const events = Array.from({ length: 60 }, (_, n) => ({ input: `text ${n}`, scores: { s: 1 } }));
  for (let project = 0; project < projects; project += 1) {
    const { id } = await createProject(server);
    const query = `measures: count(1) as n, avg(scores.s) as s | from: project_logs('${id}')`;
    for (let round = 1; round <= rounds; round += 1) {
      await server.insert(`project_logs/${id}`, events);
      expect(await server.query(query)).to.deep.equal([{ n: round * events.length, s: 1 }]);
    }
  }
}

async function attack(server: TestServer, bytes: string): Promise<void> {
  let isOver = false;
  const working = work(server).finally(() => (isOver = true));
  await Promise.all([working, flood(server.url, bytes, () => isOver)]);
}

const bytes = {
  'half a request line': 'GET /v1/proj',
  'a request without a key': requestHead('GET', '/health'),
  'a body that does not come': requestHead('POST', '/v1/project', 'Content-Length: 9'),
  nothing: '',
} as const;

describe('attack: connections', () => {
  let server: ServerProcess;
  afterEach(() => server.stop());

  for (const [files, name] of [
    [128, 'half a request line'],
    [1024, 'half a request line'],
    [256, 'half a request line'],
    [256, 'a request without a key'],
    [256, 'a body that does not come'],
    [256, 'nothing'],
  ] as const)
    it(`with ${name}, and ${files} open files`, async () => {
      server = await start(files);
      const bystander = await openBystander(server);
      await bystander.beside(() => attack(server, bytes[name]));
      expect(server.log()).not.to.match(/"level":(50|60)/);
    });
});
