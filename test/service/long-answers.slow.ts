// Everything that a project has, as one answer: in bounded memory, and given up when nobody reads it.
import { expect } from 'chai';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProject } from '../support/objects.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const requests = 200;
const perRequest = 1000;
const growthMbMax = 300;
/** What the engine may keep of a result before it goes to the disk. */
const queryMemoryMb = 256;
const ticksPerSecond = 100;

/** About 1 KB. */
const event = (number: number) => ({
  input: `question ${number} ${Math.sin(number)} ${'lorem ipsum '.repeat(35)}`,
  output: { text: `answer ${number} ${Math.cos(number)} ${'dolor sit '.repeat(35)}` },
  scores: { accuracy: (number % 10) / 10 },
  metadata: { model: `m${number % 7}`, key: `k${number}` },
});

describe('long answers', () => {
  let directory: string;
  let server: ServerProcess;
  let query: string;

  before(async function load() {
    this.timeout(300_000);
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    server = await startServer({
      dir: directory,
      environment: { EVALSTORE_QUERY_MEMORY_MB: String(queryMemoryMb) },
    });
    const { id } = await createProject(server);
    query = `select: * | from: project_logs('${id}')`;
    for (let request = 0; request < requests; request++) {
      const events = Array.from({ length: perRequest }, (_, n) => event(request * perRequest + n));
      await server.insert(`project_logs/${id}`, events);
    }
    await atRest();
  });

  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${server.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  async function cpuSecondsIn(milliseconds: number): Promise<number> {
    const start = await cpuSeconds();
    await delay(milliseconds);
    return (await cpuSeconds()) - start;
  }

  const atRest = () =>
    waitUntil('the server is at rest', async () => (await cpuSecondsIn(1000)) < 0.05);

  async function memoryMb(): Promise<number> {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  const files = async () =>
    (await readdir(path.join(server.dir, 'tmp'))).filter((name) =>
      /^(text|result|export)-/.test(name),
    );

  const start = (fmt: string, signal?: AbortSignal) =>
    fetch(`${server.url}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'accept-encoding': 'identity' },
      body: JSON.stringify({ query, fmt }),
      signal: signal ?? null,
    });

  for (const fmt of ['json', 'jsonl', 'csv', 'parquet'])
    it(`as ${fmt} take less than ${growthMbMax} MB`, async function measure() {
      this.timeout(120_000);
      const before = await memoryMb();
      let peak = before;
      const timer = setInterval(
        () => void memoryMb().then((mb) => (peak = Math.max(peak, mb))),
        50,
      );
      let bytes = 0;
      const response = await start(fmt);
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        bytes += chunk.length;
      clearInterval(timer);
      console.log(
        `      ${Math.round(bytes / 2 ** 20)} MB of ${fmt}, memory grew by ${Math.round(peak - before)} MB from ${Math.round(before)} MB`,
      );
      expect(bytes).to.equal(Number(response.headers.get('content-length')));
      expect(bytes).to.be.greaterThan(fmt === 'parquet' ? 2 ** 20 : requests * perRequest * 1000);
      expect(peak - before).to.be.below(growthMbMax);
      await waitUntil('its file is gone', async () => (await files()).length === 0);
    });

  async function isGivenUp(): Promise<void> {
    const cpu = await cpuSecondsIn(2000);
    console.log(`      ${cpu.toFixed(2)} s of CPU in the 2 s after the client left`);
    expect(cpu).to.be.below(0.2);
    expect(await files()).to.deep.equal([]);
    const next = await server.request('POST', '/query', {
      query: query.replace('select: *', 'measures: count(*) as n'),
    });
    expect(next.json()['data']).to.deep.equal([{ n: requests * perRequest }]);
  }

  it('are given up when the client leaves in the middle of one', async function leave() {
    this.timeout(120_000);
    const controller = new AbortController();
    const response = await start('json', controller.signal);
    const reader = response.body!.getReader();
    await reader.read();
    const finished = await files();
    controller.abort();
    expect(finished).not.to.deep.equal([]);
    await isGivenUp();
  });

  for (const fmt of ['json', 'parquet'])
    it(`are given up when the client leaves while they are made, as ${fmt}`, async function leave() {
      this.timeout(120_000);
      const controller = new AbortController();
      const answer = start(fmt, controller.signal).catch((error: Error) => error.name);
      await waitUntil('a part is made', async () => (await files()).length > 0);
      controller.abort();
      expect(await answer).to.equal('AbortError');
      await isGivenUp();
    });
});
