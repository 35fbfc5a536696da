import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { badRequest } from '../../src/errors.js';
import type { Operation, OperationRequest } from '../../src/http/operation.js';
import type { Reply } from '../../src/service/reply.js';
import { rejection } from '../support/rejection.js';
import { serve, type Served } from '../support/serve.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const operation = (path: string, run: Operation['run']): Operation => ({
  method: 'get',
  path,
  query: Type.Object({}),
  run,
});

const streamed = (body: AsyncIterable<string | Uint8Array>, rest: object = {}): Reply => ({
  contentType: 'application/json',
  headers: {},
  body,
  ...rest,
});

const secret = 'SELECT secret FROM /home/somebody';

describe('replies', () => {
  const directory = temporaryDirectory();
  let served: Served;
  let closed: string[];
  let aborted: string[];
  let started: string[];

  /** Closes are recorded, as the release of a snapshot would be. */
  async function* parts(name: string, texts: readonly (string | Error)[]) {
    try {
      for (const text of texts) {
        if (text instanceof Error) throw text;
        yield text;
      }
    } finally {
      closed.push(name);
    }
  }

  async function* endless(name: string) {
    try {
      for (;;) {
        yield 'x'.repeat(10_000);
        await delay(1);
      }
    } finally {
      closed.push(name);
    }
  }

  const watched = (name: string) => (request: OperationRequest) => {
    request.signal().addEventListener('abort', () => aborted.push(name));
    return streamed(endless(name));
  };

  beforeEach(async () => {
    closed = [];
    aborted = [];
    started = [];
    served = await serve(directory(), [
      operation('/whole', () => streamed(parts('whole', ['{"a":', '1}']))),
      operation('/empty', () => streamed(parts('empty', []))),
      operation('/early', () => streamed(parts('early', [badRequest('too early')]))),
      operation('/late', () => streamed(parts('late', ['{"a":', new Error(secret)]))),
      operation('/endless', watched('endless')),
      operation('/too-late', async ({ signal }) => {
        started.push('too-late');
        await new Promise((resolve) => signal().addEventListener('abort', resolve));
        return streamed(endless('too-late'));
      }),
      operation('/gone', async (request) => {
        started.push('gone');
        await new Promise((resolve) => request.signal().addEventListener('abort', resolve));
        if (request.signal().aborted) aborted.push('gone');
        return streamed(parts('gone', []));
      }),
      operation('/fault', () => Promise.reject(new Error(secret))),
      operation('/bytes', () =>
        streamed(parts('bytes', ['PAR1']), {
          contentType: 'application/vnd.apache.parquet',
          length: 4,
          headers: { 'x-evalstore-version': '7' },
        }),
      ),
    ]);
  });
  afterEach(() => served.close());

  const get = (path: string, init: RequestInit = {}) => fetch(`${served.url}${path}`, init);

  it('send a stream whole, and close its source', async () => {
    expect(await (await get('/whole')).text()).to.equal('{"a":1}');
    expect(await (await get('/empty')).text()).to.equal('');
    expect(closed).to.deep.equal(['whole', 'empty']);
  });

  it('give an error in the first part its status', async () => {
    const answer = await get('/early');
    expect([answer.status, await answer.text()]).to.deep.equal([400, 'too early']);
    expect(closed).to.deep.equal(['early']);
  });

  for (const encoding of ['gzip', 'identity']) {
    it(`break the connection on a later error, sent as ${encoding}`, async () => {
      const error = await rejection(
        get('/late', { headers: { 'Accept-Encoding': encoding } }).then((answer) => answer.text()),
      );
      expect(error).to.be.instanceOf(TypeError);
      expect(closed).to.deep.equal(['late']);
      await waitUntil('the fault is logged', () =>
        served.lines.some((line) => line.includes(secret)),
      );
    });

    it(`stop reading the source when the client goes away, sent as ${encoding}`, async () => {
      const controller = new AbortController();
      const headers = { 'Accept-Encoding': encoding };
      const answer = await get('/endless', { headers, signal: controller.signal });
      await answer.body!.getReader().read();
      controller.abort();
      await waitUntil('the source is closed', () => closed.includes('endless'));
      await waitUntil('the signal fires', () => aborted.includes('endless'));
    });

    it(`close the source of an answer that is ready after the client went away, sent as ${encoding}`, async () => {
      const controller = new AbortController();
      const headers = { 'Accept-Encoding': encoding };
      const asked = rejection(get('/too-late', { headers, signal: controller.signal }));
      await waitUntil('it is asked', () => started.includes('too-late'));
      controller.abort();
      await asked;
      await waitUntil('the source is closed', () => closed.includes('too-late'));
    });
  }

  it('learn that the client went away also when they ask afterwards', async () => {
    const controller = new AbortController();
    const asked = rejection(get('/gone', { signal: controller.signal }));
    await waitUntil('it is asked', () => started.includes('gone'));
    controller.abort();
    await asked;
    await waitUntil('the signal has fired', () => aborted.includes('gone'));
  });

  it('close the source of a stream that HEAD does not send', async () => {
    const answer = await get('/whole', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).to.deep.equal([200, '']);
    await waitUntil('the source is closed', () => closed.includes('whole'));
  });

  it('send a file of known length uncompressed', async () => {
    const answer = await get('/bytes', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(await answer.text()).to.equal('PAR1');
    expect(answer.headers.get('content-encoding')).to.equal(null);
    expect(answer.headers.get('content-length')).to.equal('4');
    expect(answer.headers.get('content-type')).to.equal('application/vnd.apache.parquet');
    expect(answer.headers.get('x-evalstore-version')).to.equal('7');
  });

  it('hide an unforeseen error behind a request id that is in the log', async () => {
    const answer = await get('/fault');
    const id = answer.headers.get('x-request-id');
    expect([answer.status, await answer.text()]).to.deep.equal([
      500,
      `internal error, request id ${id}`,
    ]);
    const line = served.lines.find((text) => text.includes(secret));
    expect(line).to.contain(id);
  });
});
