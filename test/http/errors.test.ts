import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

describe('errors', () => {
  const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '1' } });
  const refusal = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await server().request(method, path, body, { headers });
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    return [answer.status, answer.text];
  };

  describe('of bodies', () => {
    it('refuses a body over the limit, announced or not', async () => {
      const body = JSON.stringify({ name: 'x'.repeat(2 ** 20) });
      const expected = [413, 'the request body is larger than the limit of 1 MB'];
      expect(await refusal('POST', '/v1/project', body)).to.deep.equal(expected);
      const compressed = gzipSync(body);
      const headers = { 'Content-Encoding': 'gzip' };
      expect(await refusal('POST', '/v1/project', compressed, headers)).to.deep.equal(expected);
    });

    it('takes a content encoding in any case, under its old name, too', async () => {
      for (const [name, coding] of [
        ['upper', 'GZIP'],
        ['old', 'x-gzip'],
      ] as const) {
        const headers = { 'Content-Encoding': coding };
        const body = gzipSync(JSON.stringify({ name }));
        const answer = await server().request('POST', '/v1/project', body, { headers });
        expect(answer.status, answer.text).to.equal(200);
      }
    });

    it('refuses what is not UTF-8, and takes what begins with a byte order mark', async () => {
      const bytes = Buffer.from('{"name":"\xff\xfe"}', 'latin1');
      expect(await refusal('POST', '/v1/project', bytes)).to.deep.equal([
        400,
        'the request body is not UTF-8',
      ]);
      const marked = Buffer.from('\uFEFF{"name":"marked"}');
      await server().post('/v1/project', marked);
    });

    it('refuses a content encoding that it does not know or that is not true', async () => {
      expect(
        await refusal('POST', '/v1/project', '{}', { 'Content-Encoding': 'lzma' }),
      ).to.deep.equal([
        415,
        'the content encoding "lzma" of the request body is not supported: expected gzip, deflate, br or identity',
      ]);
      expect(
        await refusal('POST', '/v1/project', '{"name":"a"}', { 'Content-Encoding': 'gzip' }),
      ).to.deep.equal([400, 'the request body does not match its content encoding']);
    });
  });

  describe('of paths', () => {
    const uuid = randomUUID();
    it('answers a wrong method with those that there are', async () => {
      for (const [method, path, allowed] of [
        ['POST', '/health', 'HEAD, GET'],
        ['POST', '/', 'HEAD, GET'],
        ['DELETE', '/v1/project', 'HEAD, GET, POST, PUT'],
        ['PROPFIND', '/v1/project', 'HEAD, GET, POST, PUT'],
        ['POST', `/v1/experiment/${uuid}`, 'HEAD, GET, PATCH, DELETE'],
      ] as const) {
        const answer = await server().request(method, path);
        expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, allowed]);
        expect(answer.text).to.equal(`${path} takes ${allowed}, not ${method}`);
      }
    });
  });

  it('carries a request id that is in the log', async () => {
    const { headers } = await server().request('GET', '/v1/nothing');
    const id = headers.get('x-request-id')!;
    const line = () =>
      server()
        .log()
        .split('\n')
        .find((text) => text.includes(id));
    await waitUntil('the request is logged', () => line() !== undefined);
    expect(JSON.parse(line()!)).to.include({
      requestId: id,
      method: 'GET',
      path: '/v1/nothing',
      status: 404,
    });
  });
});
