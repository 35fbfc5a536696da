// Bodies that are too large, too many, or not what they say: each is refused in a sentence, and the server goes on.
import { expect } from 'chai';
import { request as startRequest } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { limits } from '../../src/schema/limits.js';
import { createExperiment, createNamed, createProject } from '../support/objects.js';
import { asking } from '../spec/access/asking.js';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const megabyte = 2 ** 20;
const list = (count: number, element = '{}') => Array.from({ length: count }, () => element).join();

describe('limits of bodies', () => {
  const server = sharedServer({
    environment: { EVALSTORE_BODIES_MEMORY_MB: '24', EVALSTORE_BODY_LIMIT_MB: '20' },
  });
  let project = '';
  let experiment = '';
  let open = '';

  before(async () => {
    project = (await createProject(server())).id;
    experiment = (await createExperiment(server(), project)).id;
    open = (await createExperiment(server(), project, { public: true })).id;
  });

  const send = async (path: string, body: unknown, headers = {}, key?: null) => {
    const options = { headers, ...(key === null ? { key } : {}) };
    const { status, text } = await server().request('POST', path, body, options);
    return [status, text] as const;
  };
  const insert = (body: unknown, headers = {}) =>
    send(`/v1/experiment/${experiment}/insert`, body, headers);
  const fetchFrom = (body: unknown, key?: null) =>
    send(`/v1/experiment/${open}/fetch`, body, {}, key);

  describe('name the field, the count and the limit', () => {
    it('of events for several objects', async () => {
      const half = JSON.parse(`[${list(limits.events.max / 2 + 1)}]`) as object[];
      const other = (await createExperiment(server(), project)).id;
      const body = { experiment: { [experiment]: { events: half }, [other]: { events: half } } };
      expect(await send('/v1/insert', body)).to.deep.equal([
        400,
        'request body: expected at most 100000 events, got more',
      ]);
    });

    it('of objects of one insert', async () => {
      const objects = Array.from({ length: 1001 }, (_, n) => [`${n}`, { events: [] }]);
      expect(
        await send('/v1/insert', { dataset: Object.fromEntries(objects) as object }),
      ).to.deep.equal([400, 'dataset: expected at most 1000 elements, got more']);
    });

    it('but not of the digits in a text', async () => {
      const input = ` ${'9'.repeat(15_000_000)} `;
      expect((await insert({ events: [{ id: 'digits', input }] }))[0]).to.equal(200);
    });
  });

  describe('of bytes', () => {
    it('are 16 MB where it is no insert into one object', async () => {
      const body = { name: 'x'.repeat(16 * megabyte) };
      const refused = [
        413,
        'the request body is larger than the limit of 16 MB for this operation',
      ];
      for (const path of ['/v1/project', '/query', '/v1/insert', `/v1/experiment/${open}/fetch`])
        expect(await send(path, body)).to.deep.equal(refused);
    });

    it('are 1 MB without a key', async () => {
      const body = { cursor: 'x'.repeat(megabyte) };
      expect(await fetchFrom(body, null)).to.deep.equal([
        413,
        'the request body is larger than the limit of 1 MB for requests without a key',
      ]);
      expect(await fetchFrom(body)).to.deep.equal([400, 'cursor: not a cursor of this object']);
    });

    it('hold for what is unpacked, in one piece or in several', async () => {
      const zeros = gzipSync(Buffer.alloc(megabyte, ' '));
      const refused = [413, 'the request body is larger than the limit of 20 MB'];
      for (const [coding, body] of [
        ['gzip', gzipSync(Buffer.alloc(21 * megabyte, ' '))],
        ['gzip', Buffer.concat(Array.from({ length: 21 }, () => zeros))],
        ['br', brotliCompressSync(Buffer.alloc(21 * megabyte, ' '))],
        ['deflate', deflateSync(Buffer.alloc(21 * megabyte, ' '))],
      ] as const)
        expect(await insert(body, { 'Content-Encoding': coding })).to.deep.equal(refused);
    });

    it('are shared by all users, and half of them by the requests of one user', async () => {
      const { service_token: other } = await asking(server).addAccount(['Owners']);
      const sendOther = (path: string, body: unknown) =>
        server().request('POST', path, body, { key: other });
      const insertOther = (body: unknown) => sendOther(`/v1/experiment/${experiment}/insert`, body);
      const held = startRequest(`${server().url}/v1/experiment/${experiment}/insert`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${server().key}`, 'Transfer-Encoding': 'chunked' },
      });
      held.on('error', () => {});
      // Each insert keeps the server busy, so that the first body has to have arrived before.
      await new Promise((sent) => held.write(Buffer.alloc(18 * megabyte, ' '), sent));
      const large = Buffer.alloc(17 * megabyte, ' ');
      await waitUntil('the memory is taken', async () => (await insertOther(large)).status === 503);
      const { status, text, headers } = await insertOther(large);
      expect([status, text, headers.get('retry-after')]).to.deep.equal([
        503,
        'the bodies of other requests use all 24 MB of memory for them: try again later',
        '1',
      ]);
      expect(await insert(Buffer.alloc(megabyte, ' '))).to.deep.equal([
        503,
        'the bodies of other requests of this user use all 12 MB of memory for them: try again later',
      ]);
      const metrics = await server().request('GET', '/metrics');
      expect(metrics.text).to.match(/^evalstore_budget_refusals_total\{budget="bodies"\} [1-9]/m);
      expect(metrics.text).to.match(/^evalstore_budget_used\{budget="bodies"\} [1-9]\d{7}$/m);
      expect((await insertOther({ events: [{}] })).status).to.equal(200);
      // 0.3 MB of text, but 6 MB of arrays.
      const values = `{"x":[${list(limits.bodyValues.max - 100, '[]')}]}`;
      await waitUntil(
        'values take memory',
        async () => (await sendOther('/insert-functions', values)).status === 503,
      );
      held.destroy();
      await waitUntil('the memory is free', async () => (await insert(large))[0] === 400);
    });

    it('are enough for values that take up more than their text', async () => {
      // 3 MB of text, but 58 MB of arrays: a request on its own may take them.
      const events = `[{"input":[${list(900_000, '[]')}]}]`;
      const body = `{"experiment":{"${experiment}":{"events":${events}}}}`;
      const answers = await Promise.all(Array.from({ length: 6 }, () => send('/v1/insert', body)));
      const statuses = answers.map(([status]) => status);
      expect(statuses).to.include(200);
      for (const status of statuses) expect(status).to.be.oneOf([200, 503]);
    });
  });

  it('leave room for large objects of other kinds', async () => {
    const description = 'x'.repeat(15 * megabyte);
    expect(await createNamed(server(), 'dataset', { description })).to.include({ description });
  });
});
