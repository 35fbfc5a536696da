// Queries made to run on inside one value, which the engine cannot interrupt: the time limit holds all the same, other
// queries go on, and the server stops.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { startServer, type TestServer } from '../support/start-server.js';

const megabytes = 20;

/** Half a second and more for each test, all in one step. */
const unheeding = (count: number) =>
  `select: id | filter: ${Array.from({ length: count }, (_, n) => `input match 'cd ab cd z${n}'`).join(' or ')}`;

describe('queries that run long inside one value', () => {
  let server: TestServer;
  let from: string;

  before(async () => {
    server = await startServer({ environment: { EVALSTORE_QUERY_TIMEOUT_SECONDS: '2' } });
    const { id: projectId } = await createProject(server);
    from = `from: project_logs('${projectId}')`;
    const event = {
      id: 'big',
      input: 'ab cd '.repeat((megabytes * 1e6) / 6),
      output: 'a'.repeat(megabytes * 1e6),
    };
    const insert = `/v1/project_logs/${projectId}/insert`;
    await server.post(insert, { events: [event] });
  });

  const ask = (clauses: string, signal?: AbortSignal) =>
    fetch(`${server.url}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: JSON.stringify({ query: `${clauses} | ${from}` }),
      signal: signal ?? null,
    });

  const isServing = async () => {
    const answer = await ask('measures: count(*) as n');
    expect(await answer.json()).to.deep.include({ data: [{ n: 1 }] });
  };

  for (const [name, filter] of Object.entries({
    'a thousand wildcards': `output like '%${'a%'.repeat(1000)}b%'`,
    'a thousand wildcards in any case': `output ilike '${'A%'.repeat(1000)}b'`,
    'a long part': `output like '%${'a'.repeat(9000)}b%'`,
    'a long part in any case': `output ilike '${'A'.repeat(9000)}b'`,
    'a thousand words': `input match '${'ab cd '.repeat(1000)}b'`,
    'a pattern from the row': `output ilike concat('${'%a'.repeat(1000)}b', id)`,
  }))
    it(`${name}: are answered, or refused in words`, async () => {
      const answer = await ask(`select: id | filter: ${filter}`);
      const text = await answer.text();
      expect(text).to.match(/^\{"data":\[\]|exceeded its time budget of 2 s/);
      await isServing();
    });

  it('a statement that does not heed interrupts is abandoned, also when its client leaves', async () => {
    const controller = new AbortController();
    const left = ask(unheeding(250), controller.signal).catch((error: Error) => error.name);
    const refused = await ask(unheeding(249));
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.match(/exceeded its time budget of 2 s/);
    controller.abort();
    await left;
    await isServing();
  });

  it('and does not keep the server from stopping', async () => {
    const exit = await server.stop();
    const clean = { code: 0, signal: null };
    // Before Node.js 22.15 the process has to kill itself while a statement still runs.
    const killed = { code: null, signal: 'SIGKILL' };
    expect('execve' in process ? [clean] : [clean, killed]).to.deep.include(exit);
  });
});
