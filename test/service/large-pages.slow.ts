// Pages of large events: whole, in order, and in a bounded amount of memory.
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { startServer, type ServerProcess, type TestServer } from '../support/start-server.js';

const megabyte = 2 ** 20;
const growthMaxMb = 1536;
const requests = 20;
const perRequest = 30;

const memoryMb = async (pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
};

/** Differs between events, also where one is cut off. */
const inputOf = (id: string): string => `${id} `.repeat(megabyte / (id.length + 1));

/** The event ids of a page, each with the hash of its input, and the cursor. */
async function readPage(server: TestServer, path: string, body: object) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'accept-encoding': 'identity' },
    body: JSON.stringify(body),
  });
  expect(response.status).to.equal(200);
  const events: (readonly [string, string])[] = [];
  const take = (text: string) => {
    const { id, input } = JSON.parse(text) as { id: string; input: string };
    events.push([id, hashOf(input)]);
  };
  // Whole pages are longer than a string can be, and the inputs have no braces.
  let rest = '';
  let searched = 0;
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    for (let at = rest.indexOf(between, searched); at !== -1; at = rest.indexOf(between)) {
      take(rest.slice(0, at + 1).replace(lead, ''));
      rest = rest.slice(at + 2);
    }
    searched = Math.max(0, rest.length - between.length);
  }
  const end = rest.lastIndexOf('],"cursor":');
  const last = rest.slice(0, end).replace(lead, '');
  if (last !== '') take(last);
  const cursor = JSON.parse(rest.slice(end + '],"cursor":'.length, -1)) as string | null;
  return { events, cursor };
}

const between = '},{"id":';
const lead = /^\{"events":\[/;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('pages of large events', () => {
  let server: ServerProcess;
  let id: string;

  before(async function load() {
    this.timeout(600_000);
    server = await startServer({ tuning: {}, environment: { EVALSTORE_QUERY_MEMORY_MB: '1024' } });
    id = String((await server.post('/v1/project', { name: 'large' }))['id']);
    for (let request = 0; request < requests; request++) {
      const events = Array.from({ length: perRequest }, (_, n) => {
        const own = `${request}-${n}`;
        return { id: own, root_span_id: own, span_id: own, input: inputOf(own) };
      });
      await server.insert(`project_logs/${id}`, events);
    }
  });
  after(() => server.stop());

  /** Newest transaction first, and in a transaction the greatest trace. */
  const expected = Array.from({ length: requests }, (_, n) => requests - 1 - n).flatMap((request) =>
    Array.from({ length: perRequest }, (_, n) => `${request}-${n}`)
      .sort((a, b) => (a < b ? 1 : -1))
      .map((own) => [own, hashOf(inputOf(own))] as const),
  );

  async function readsAll(): Promise<void> {
    const path = `/v1/project_logs/${id}/fetch`;
    // Forgets the highest use of the load.
    await writeFile(`/proc/${server.pid}/clear_refs`, '5');
    const before = await memoryMb(server.pid, 'VmRSS');
    const whole = await readPage(server, path, {});
    expect(whole).to.deep.equal({ events: expected, cursor: null });
    const events = [];
    let cursor: string | null = null;
    do {
      const page = await readPage(server, path, { limit: 250, cursor });
      events.push(...page.events);
      ({ cursor } = page);
    } while (cursor !== null);
    expect(events).to.deep.equal(expected);
    const highest = await memoryMb(server.pid, 'VmHWM');
    expect(highest - before, 'growth in MB').to.be.lessThan(growthMaxMb);
  }

  it('are read as buffered rows and from the first segments', async function read() {
    this.timeout(300_000);
    await readsAll();
  });

  it('are read from segments', async function read() {
    this.timeout(300_000);
    await server.settle();
    await readsAll();
  });
});
