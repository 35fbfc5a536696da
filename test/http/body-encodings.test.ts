// Bodies with a content encoding are decoded completely or refused.
import { expect } from 'chai';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('encoded bodies', () => {
  const server = sharedServer();
  let experiment = '';
  before(async () => {
    const project = await createProject(server());
    experiment = (await createExperiment(server(), project.id)).id;
  });

  const insert = async (body: Buffer, encoding: string) => {
    const path = `/v1/experiment/${experiment}/insert`;
    const headers = { 'Content-Encoding': encoding };
    const { status, text } = await server().request('POST', path, body, { headers });
    return [status, text] as const;
  };

  const body = JSON.stringify({ events: [{ id: 'e' }] });
  const untrue = [400, 'the request body does not match its content encoding'];

  const wrong: Readonly<Record<string, readonly [string, Buffer]>> = {
    'no brotli': ['br', Buffer.from(body)],
    'no gzip': ['gzip', Buffer.from(body)],
    'no deflate': ['deflate', Buffer.from(body)],
    'gzip that is cut off': ['gzip', gzipSync(body).subarray(0, -9)],
    'brotli that is cut off': ['br', brotliCompressSync(body).subarray(0, -2)],
    'gzip with something behind it': ['gzip', Buffer.concat([gzipSync(body), Buffer.from('x')])],
    'brotli with something behind it': [
      'br',
      Buffer.concat([brotliCompressSync(body), Buffer.from('x')]),
    ],
    'deflate with something behind it': [
      'deflate',
      Buffer.concat([deflateSync(body), Buffer.from('x')]),
    ],
    'nothing at all': ['gzip', Buffer.alloc(0)],
  };
  for (const [name, [coding, bytes]] of Object.entries(wrong))
    it(`are refused: ${name}`, async () => {
      const [status, text] = await insert(bytes, coding);
      if (bytes.length > 0) expect([status, text]).to.deep.equal(untrue);
      else expect(status).to.equal(400);
    });

  for (const encoding of ['', 'identity', 'Identity'])
    it(`are read as they are with the encoding "${encoding}"`, async () => {
      expect((await insert(Buffer.from(body), encoding))[0]).to.equal(200);
    });

  it('may be several members of gzip', async () => {
    const halves = [body.slice(0, 9), body.slice(9)].map((half) => gzipSync(half));
    expect((await insert(Buffer.concat(halves), 'gzip'))[0]).to.equal(200);
  });

  it('are refused with a list of encodings', async () => {
    const twice = gzipSync(gzipSync(body));
    const [status, text] = await insert(twice, 'gzip, gzip');
    expect(status).to.equal(415);
    expect(text).to.include('the content encoding "gzip, gzip" of the request body');
  });
});
