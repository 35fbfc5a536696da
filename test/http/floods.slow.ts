// Small requests that stand for much: they are refused, or worked off in pieces, and the server goes on answering others.
import { expect } from 'chai';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { askingBeside, peakMemoryMb, startBounded } from '../support/attack.js';
import { createExperiment, createProject } from '../support/objects.js';
import type { ServerProcess } from '../support/start-server.js';

const list = (count: number, element: string) => `${`${element},`.repeat(count - 1)}${element}`;

const gzip = { 'Content-Encoding': 'gzip' };

describe('floods of small things', () => {
  let server: ServerProcess;
  let path = '';
  let experiment = '';
  let restMb = 0;

  before(async () => {
    server = await startBounded();
    const project = await createProject(server);
    experiment = (await createExperiment(server, project.id, { public: true })).id;
    path = `/v1/experiment/${experiment}`;
    await server.request('POST', `${path}/insert`, { events: [{ metadata: { a: 1 } }] });
    restMb = await peakMemoryMb(server.pid);
  });
  after(() => server.stop());

  /** The refusal, while others are answered and memory stays within what is there for bodies. */
  async function refused(
    request: Promise<{ readonly status: number; readonly text: string }>,
  ): Promise<readonly [number, string]> {
    const { result, answers, longestMs } = await askingBeside(server, request);
    const memoryMb = (await peakMemoryMb(server.pid)) - restMb;
    console.log(
      `      ${answers} answers beside it, the slowest in ${longestMs.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB more`,
    );
    expect(memoryMb).to.be.below(1200);
    return [result.status, result.text];
  }

  const flood = (what: string, body: string | Buffer, headers = {}, key: string | null = null) =>
    refused(server.request('POST', path + what, body, { headers, key }));

  it('ten million empty filters in 28 KB, without a key', async () => {
    const body = gzipSync(`{"filters":[${list(10_000_000, '{}')}]}`);
    expect(await flood('/fetch', body, gzip)).to.deep.equal([
      413,
      'the request body is larger than the limit of 1 MB for requests without a key',
    ]);
  });

  it('ten million empty filters, with a key', async () => {
    const body = gzipSync(`{"filters":[${list(10_000_000, '')}]}`);
    const [status] = await flood('/fetch', body, gzip, server.key);
    expect(status).to.equal(400);
  });

  it('20,000 filters that are valid', async () => {
    const filter = '{"type":"path_lookup","path":["metadata","a"],"value":1}';
    const body = `{"filters":[${list(15_000, filter)}]}`;
    expect(await flood('/fetch', body)).to.deep.equal([
      400,
      'filters: expected at most 100 elements, got 15000',
    ]);
    const answered = await server.request(
      'POST',
      `${path}/fetch`,
      `{"filters":[${list(100, filter)}]}`,
    );
    expect(answered.json()['events']).to.have.length(1);
  });

  it('ten million empty events', async () => {
    const body = gzipSync(`{"events":[${list(10_000_000, '{}')}]}`);
    expect(await flood('/insert', body, gzip, server.key)).to.deep.equal([
      400,
      'events: expected at most 100000 elements, got 10000000',
    ]);
  });

  for (const element of ['[]', '{}', '0', '{"a":{}}'])
    it(`millions of ${element} in an event, in an object and in feedback`, async () => {
      const values = `[${list(5_000_000, element)}]`;
      for (const [what, body] of [
        ['/insert', `{"events":[{"input":${values}}]}`],
        ['/feedback', `{"feedback":[{"id":"a","expected":${values}}]}`],
      ] as const) {
        const [status] = await flood(what, gzipSync(body), gzip, server.key);
        expect(status).to.be.oneOf([400, 413]);
      }
      const patch = gzipSync(`{"metadata":{"a":${values}}}`);
      const options = { headers: gzip };
      const [status] = await refused(server.request('PATCH', path, patch, options));
      expect(status).to.be.oneOf([400, 413]);
    });

  it('24 bodies at a time of 250 MB each in 218 bytes of brotli', async () => {
    const params = { [constants.BROTLI_PARAM_LGWIN]: 24 };
    const body = brotliCompressSync(Buffer.alloc(250_000_000, ' '), { params });
    const options = { headers: { 'Content-Encoding': 'br' } };
    const all = Array.from({ length: 24 }, () =>
      server.request('POST', `${path}/insert`, body, options),
    );
    const { result, answers, longestMs } = await askingBeside(server, Promise.all(all));
    const memoryMb = await peakMemoryMb(server.pid);
    console.log(
      `      ${answers} answers beside them, the slowest in ${longestMs.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB in all`,
    );
    for (const { status } of result) expect(status).to.be.oneOf([400, 503]);
    expect(memoryMb).to.be.below(3000);
  });

  it('bodies of many empty events at a time, with the memory of all of them bounded', async () => {
    const body = gzipSync(`{"events":[${list(100_000, '{}')}]}`);
    const all = Array.from({ length: 20 }, () =>
      server.request('POST', `${path}/insert`, body, { headers: gzip }),
    );
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).to.include(200);
    for (const status of statuses) expect(status).to.be.oneOf([200, 503]);
  });

  it('beside a body of 100 MB with many events others are answered', async () => {
    const text = 'lorem ipsum dolor sit amet '.repeat(70);
    const events = Array.from({ length: 50_000 }, (_, n) => ({ id: `e${n}`, input: { n, text } }));
    const body = Buffer.from(JSON.stringify({ events }));
    const request = server.request('POST', `${path}/insert`, body);
    const { result, answers, longestMs } = await askingBeside(server, request);
    console.log(
      `      ${body.length} bytes: ${answers} answers beside them, the slowest in ${longestMs.toFixed(0)} ms`,
    );
    expect(result.status, result.text).to.equal(200);
    expect(answers).to.be.above(20);
  });
});
