// A server on a socket of its parent is restarted while clients insert. Python is the parent: Node.js accepts on every socket that it opens.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as send, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { clientAt, testKey } from '../support/client.js';
import { evalstore } from '../support/command-line.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { serverVariables } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

const parentProgram = fileURLToPath(
  new URL('../../../test/crash/listening-parent.py', import.meta.url),
);
const clients = 32;
const restarts = 3;
/** Each client inserts as many events after every start. */
const insertsPerStart = 20;

/** Resolves with the status. Rejects if the connection is refused or ends without an answer. */
const insert = (agent: Agent, url: string, event: object) =>
  new Promise<number>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' };
    const request = send(url, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode!));
    });
    request.once('error', reject);
    request.end(JSON.stringify({ events: [event] }));
  });

/** Answers of `/ready`, each with whether it is the last of its connection. */
async function readiness(agent: Agent, base: string): Promise<readonly [string, boolean]> {
  const request = send(`${base}/ready`, { agent }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const answer = `${response.statusCode} ${await text(response)}`;
  return [answer, response.headers.connection === 'close'];
}

describe('a restart on an inherited socket', () => {
  const directory = temporaryDirectory();
  let parent: ChildProcess | undefined;
  afterEach(async () => {
    if (parent === undefined || parent.exitCode !== null) return;
    parent.kill();
    await once(parent, 'close');
  });

  it('refuses no connection and fails no insert of 32 clients', async () => {
    parent = spawn('python3', [parentProgram, process.execPath, evalstore], {
      env: serverVariables(directory(), { EVALSTORE_LOG_LEVEL: 'warn' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: parent.stdout! });
    const output: string[] = [];
    const seen = async (line: RegExp, from: number) => {
      for (;;) {
        const found = output.slice(from).find((each) => line.test(each));
        if (found !== undefined) return found;
        expect(parent!.exitCode, output.join('\n')).to.equal(null);
        await Promise.race([once(lines, 'line'), once(lines, 'close')]);
      }
    };
    lines.on('line', (line) => output.push(line));
    const port = await seen(/^\d+$/, 0);
    const base = `http://127.0.0.1:${port}`;
    const server = clientAt(base);
    const { id } = await server.post('/v1/project', { name: 'p' });
    const url = `${base}/v1/project_logs/${String(id)}/insert`;
    const agent = new Agent({ keepAlive: true, maxSockets: clients });

    const stopped = new AbortController();
    const statuses: number[] = [];
    const insertAll = async (client: number) => {
      for (let count = 0; !stopped.signal.aborted; count++)
        statuses.push(await insert(agent, url, { id: `${client}-${count}`, input: count }));
    };
    const inserting = Array.from({ length: clients }, (_, client) => insertAll(client));
    const whole = Promise.all(inserting);
    const furtherInserts = () => {
      const count = statuses.length + clients * insertsPerStart;
      return Promise.race([whole, waitUntil('more is inserted', () => statuses.length >= count)]);
    };
    for (let restart = 0; restart < restarts; restart++) {
      await furtherInserts();
      const from = output.length;
      const child = output.findLast((line) => /^\d+$/.test(line))!;
      // The server that stops answers the next request of this connection; another one could reach the next server.
      const probe = new Agent({ keepAlive: true, maxSockets: 1 });
      expect((await readiness(probe, base))[0]).to.equal('200 {"status":"ready"}');
      process.kill(Number(child), 'SIGTERM');
      let [answer, isLast] = ['', false];
      while (!isLast) [answer, isLast] = await readiness(probe, base);
      expect(answer).to.equal('503 not ready: the server is stopping');
      probe.destroy();
      expect(await seen(/^evalstore listening on /, from)).to.equal(
        `evalstore listening on ${base}`,
      );
    }
    await furtherInserts();
    stopped.abort();
    await whole;
    agent.destroy();

    expect([...new Set(statuses)]).to.deep.equal([200]);
    const query = `measures: count(*) as n | from: project_logs('${String(id)}')`;
    expect(await server.query(query)).to.deep.equal([{ n: statuses.length }]);
  });
});
