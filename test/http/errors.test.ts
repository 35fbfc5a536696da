import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createProject, type StoredObject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

describe('errors', () => {
  const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '1' } });
  let project: StoredObject;

  before(async () => {
    project = await createProject(server());
  });

  const refusal = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await server().request(method, path, body, { headers });
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    return [answer.status, answer.text];
  };

  describe('of bodies', () => {
    /** More fields than the validator lists errors for. */
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`~/${n}`, n]));
    const wrong: readonly (readonly [unknown, string])[] = [
      [undefined, 'request body: expected an object, got nothing'],
      ['[]', 'request body: expected an object, got an array'],
      ['null', 'request body: expected an object, got null'],
      [{}, 'field "name" is missing in the request body'],
      [{ name: null }, 'name: expected a non-empty string, got null'],
      [{ name: '' }, 'name: expected a non-empty string, got ""'],
      [{ name: 'a', description: 5 }, 'description: expected a string or null, got 5'],
      [{ name: 'a', settings: [] }, 'settings: expected an object or null, got an array'],
      [{ name: 'a', nam: 1 }, 'unknown field "nam" in the request body'],
      [{ name: 'a', ...many }, 'unknown field "~/0" in the request body'],
      ['{"name":"a","__proto__":{}}', 'unknown field "__proto__" in the request body'],
      [{ name: 'x'.repeat(200), public: 1 }, 'unknown field "public" in the request body'],
      [
        { name: 'a', org_name: 'another' },
        'org_name: this key does not belong to an organisation named "another"',
      ],
    ];
    for (const [body, text] of wrong) {
      it(`refuses ${JSON.stringify(body)?.slice(0, 60)}`, async () => {
        expect(await refusal('POST', '/v1/project', body)).to.deep.equal([400, text]);
      });
    }

    const wrongExperiments: readonly (readonly [object, string])[] = [
      [{ project_id: 'p' }, 'project_id: expected a UUID, got "p"'],
      [{ base_exp_id: 'e' }, 'base_exp_id: expected a UUID or null, got "e"'],
      [{ public: 'yes' }, 'public: expected true, false or null, got "yes"'],
      [{ tags: 'a' }, 'tags: expected an array or null, got "a"'],
      [{ tags: ['a', 1] }, 'tags[1]: expected a string, got 1'],
      [{ repo_info: { dirty: 1 } }, 'repo_info.dirty: expected true, false or null, got 1'],
      [{ repo_info: { sha: 1 } }, 'unknown field "sha" in repo_info'],
      [{ repo_info: many }, 'unknown field "~/0" in repo_info'],
      [{ metadata: 'm' }, 'metadata: expected an object or null, got "m"'],
      [
        { description: 'ok', name: { a: 'x' } },
        'name: expected a non-empty string or null, got an object',
      ],
    ];
    for (const [fields, text] of wrongExperiments) {
      it(`refuses an experiment with ${JSON.stringify(fields)}`, async () => {
        const body = { project_id: project.id, ...fields };
        expect(await refusal('POST', '/v1/experiment', body)).to.deep.equal([400, text]);
      });
    }

    it('shows the beginning of a long value', async () => {
      const [, text] = await refusal('POST', '/v1/experiment', { project_id: 'x'.repeat(500) });
      expect(text).to.equal(`project_id: expected a UUID, got "${'x'.repeat(79)}…`);
    });

    it('refuses malformed JSON, saying where', async () => {
      const [status, text] = await refusal('POST', '/v1/project', '{"name": "a",}');
      expect(status).to.equal(400);
      expect(text).to.match(/^request body is not valid JSON at line 1, column 14/);
    });

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
    const cases: readonly (readonly [string, string, number, string])[] = [
      ['GET', '/v1/project/xyz', 400, 'id: expected a UUID, got "xyz"'],
      ['DELETE', '/v1/project/xyz', 400, 'id: expected a UUID, got "xyz"'],
      ['GET', '/v1/nothing', 404, 'no route /v1/nothing'],
      ['GET', `/v1/project/${uuid}/nothing`, 404, `no route /v1/project/${uuid}/nothing`],
      ['PROPFIND', '/v1/nothing', 404, 'no route /v1/nothing'],
      ['GET', `/v1/project/${uuid}?x=1`, 400, 'unknown query parameter "x"'],
    ];
    for (const [method, path, status, text] of cases) {
      it(`${method} ${path} is ${status}`, async () => {
        expect(await refusal(method, path)).to.deep.equal([status, text]);
      });
    }

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
