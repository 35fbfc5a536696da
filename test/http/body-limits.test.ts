// Bodies that are too large, too many, or not what they say: each is refused in a sentence, and the server goes on.
import { expect } from 'chai';
import { request as startRequest } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { limits } from '../../src/schema/limits.js';
import { createExperiment, createNamed, createProject } from '../support/objects.js';
import { asking } from '../spec/access/asking.js';
import { outcome, sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const megabyte = 2 ** 20;
const list = (count: number, element = '{}') => Array.from({ length: count }, () => element).join();

const textsOf = (count: number) => Array.from({ length: count }, () => 'a');

const remove = (path: readonly string[], count: number) => ({ path, delete: textsOf(count) });

const filter = (path: readonly string[]) => ({ type: 'path_lookup', path, value: 1 });

const withNumber = (length: number) => `{"events":[{"input":[-0.${'7'.repeat(length - 3)}]}]}`;

const tooLong = (field: string) => [400, `${field}: expected at most 1000 characters, got 1001`];

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

  const listIds = (count: number) =>
    server().request('GET', `/v1/project?ids=${list(count, project).replaceAll(',', '&ids=')}`);

  describe('name the field, the count and the limit', () => {
    it('of events', async () => {
      expect(await insert(`{"events":[${list(limits.events.max + 1)}]}`)).to.deep.equal([
        400,
        'events: expected at most 100000 elements, got 100001',
      ]);
    });

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

    it('of filters, and of the names in their paths', async () => {
      const filters = Array.from({ length: 101 }, () => filter(['metadata', 'a']));
      expect(await fetchFrom({ filters })).to.deep.equal([
        400,
        'filters: expected at most 100 elements, got 101',
      ]);
      const path = Array.from({ length: 101 }, () => 'a');
      expect(await fetchFrom({ filters: [filter(path)] })).to.deep.equal([
        400,
        'filters[0].path: expected at most 100 elements, got 101',
      ]);
      expect((await fetchFrom({ filters: filters.slice(1) }))[0]).to.equal(200);
    });

    it('of feedback', async () => {
      const feedback = Array.from({ length: 1001 }, () => ({ id: 'a', comment: 'b' }));
      expect(await send(`/v1/experiment/${experiment}/feedback`, { feedback })).to.deep.equal([
        400,
        'feedback: expected at most 1000 elements, got 1001',
      ]);
    });

    it('of tags, parents and merge paths', async () => {
      const texts = Array.from({ length: 1001 }, () => 'a');
      for (const [field, value, place = field] of [
        ['tags', texts],
        ['span_parents', texts],
        ['_merge_paths', texts.map(() => ['a'])],
        ['_merge_paths', [texts], '_merge_paths[0]'],
      ] as const)
        expect(await insert({ events: [{ [field]: value }] })).to.deep.equal([
          400,
          `events[0].${place}: expected at most 1000 elements, got 1001`,
        ]);
      expect(await send('/v1/experiment', { project_id: project, tags: texts })).to.deep.equal([
        400,
        'tags: expected at most 1000 elements, got 1001',
      ]);
    });

    it('of what the SDKs send', async () => {
      const row = { project_id: project, log_id: 'g', id: 'a' };
      for (const [path, body, field, max] of [
        [
          '/api/self/get_object_info',
          { object_type: 'dataset', object_ids: textsOf(1001) },
          'object_ids',
          1000,
        ],
        [
          '/insert-functions',
          { functions: textsOf(501).map((slug) => ({ project_id: project, name: 'f', slug })) },
          'functions',
          500,
        ],
        [
          '/api/experiment/register',
          { project_id: project, ancestor_commits: textsOf(10_001) },
          'ancestor_commits',
          10_000,
        ],
      ] as const)
        expect(await send(path, body)).to.deep.equal([
          400,
          `${field}: expected at most ${max} elements, got ${max + 1}`,
        ]);
      for (const [deletes, field, max] of [
        [textsOf(1001).map(() => remove(['tags'], 0)), '_array_delete', 1000],
        [[remove(textsOf(1001), 1)], '_array_delete[0].path', 1000],
        [[remove(['tags'], 5000), remove(['input'], 5001)], '_array_delete', 10_000],
      ] as const) {
        const [status, text] = await send('/logs3', { rows: [{ ...row, _array_delete: deletes }] });
        expect(status).to.equal(400);
        const refusal = `${field}: expected at most ${max} elements, got ${max + 1}`;
        expect(text).to.include(refusal);
        expect(await insert({ events: [{ _array_delete: deletes }] })).to.deep.equal([
          400,
          `events[0].${refusal}`,
        ]);
      }
    });

    it('of permissions and roles', async () => {
      const member_permissions = Array.from({ length: 1001 }, () => ({ permission: 'read' }));
      expect(await send('/v1/role', { name: 'r', member_permissions })).to.deep.equal([
        400,
        'member_permissions: expected at most 1000 elements, got 1001',
      ]);
      const member_roles = Array.from({ length: 1001 }, () => experiment);
      expect(await send('/v1/role', { name: 'r', member_roles })).to.deep.equal([
        400,
        'member_roles: expected at most 1000 elements, got 1001',
      ]);
    });

    it('of ids in a query string', async () => {
      expect((await listIds(300)).status).to.equal(200);
      expect(await outcome(listIds(301))).to.deep.equal([
        400,
        'ids: expected at most 300 elements, got 301',
      ]);
    });

    for (const flood of ['[]', '{}', '0', '""'])
      it(`of values in an event, and in an object, of ${flood}`, async () => {
        const values = `[${list(limits.values.max, flood)}]`;
        expect(await insert(`{"events":[{},{"input":${values}}]}`)).to.deep.equal([
          400,
          'events[1]: expected at most 1000000 members and elements, got more',
        ]);
        expect(
          await send('/v1/project', `{"name":"flooded","settings":{"a":${values}}}`),
        ).to.deep.equal([
          400,
          'request body: expected at most 20000 members and elements, got more',
        ]);
        const body = `{"project_logs":{"${project}":{"events":[{},{"input":${values}}]}}}`;
        expect((await send('/v1/insert', body))[1]).to.equal(
          `project_logs.${project}.events[1]: expected at most 1000000 members and elements, got more`,
        );
      });

    it('of the characters of names and slugs, new ones and changed ones', async () => {
      const [longest, long] = ['é'.repeat(1000), 'é'.repeat(1001)];
      const { id } = await createProject(server(), { name: longest });
      expect(await send('/v1/project', { name: long })).to.deep.equal(tooLong('name'));
      expect(await send('/v1/experiment', { project_id: id, name: long })).to.deep.equal(
        tooLong('name'),
      );
      expect(await send('/v1/group', { name: long })).to.deep.equal(tooLong('name'));
      expect(await send('/v1/api_key', { name: long })).to.deep.equal(tooLong('name'));
      const prompt = { project_id: id, name: 'p', slug: long };
      expect(await send('/v1/prompt', prompt)).to.deep.equal(tooLong('slug'));
      expect(
        await outcome(server().request('PATCH', `/v1/project/${id}`, { name: long })),
      ).to.deep.equal(tooLong('name'));
      const put = (name: string) =>
        outcome(server().request('PUT', '/v1/prompt', { project_id: id, name, slug: 's' }));
      expect((await put('p'))[0]).to.equal(200);
      expect(await put(long)).to.deep.equal(tooLong('name'));
      const parent = { 'Content-Type': 'application/json', 'x-bt-parent': `project_name:${long}` };
      const spans = [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 's' }];
      const otlp = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
      const exported = await send('/otel/v1/traces', otlp, parent);
      expect(exported[0], exported[1]).to.equal(400);
    });

    it('of the characters of a number', async () => {
      const refused = [
        400,
        'events[0]: expected numbers of at most 10000 characters, got a longer one',
      ];
      expect(await insert(withNumber(10_001))).to.deep.equal(refused);
      expect(await insert(withNumber(15_000_000))).to.deep.equal(refused);
      expect((await send('/v1/project', `{"name":${'1'.repeat(20_000)}}`))[0]).to.equal(400);
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
