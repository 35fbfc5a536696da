// Addresses of answers for programs that read by address: HEAD, and parts of one answer that stays as it is.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { pathOf } from '../../support/attachments.js';
import { createExperiment, createProject } from '../../support/objects.js';
import { sharedServer } from '../../support/start-server.js';
import { asking } from './asking.js';

const expired = 'token: the URL has expired: request another one';

describe('downloads by HEAD and Range', () => {
  const server = sharedServer();
  const { ask, addAccount } = asking(server);
  let project: string;
  let experiment: string;
  let query: string;

  before(async () => {
    project = (await createProject(server())).id;
    experiment = (await createExperiment(server(), project)).id;
    query = `select: id | from: experiment('${experiment}')`;
    await insert(['a', 'b', 'c']);
  });

  const insert = (ids: readonly string[]) =>
    ask('POST', `/v1/experiment/${experiment}/insert`, { events: ids.map((id) => ({ id })) });

  const offered = async (body: object, key?: string): Promise<string> =>
    pathOf((await ask('POST', '/query/download', body, key)).json()['url']);

  const open = async (method: 'GET' | 'HEAD', address: string, headers = {}) => {
    const answer = await fetch(`${server().url}${address}`, { method, headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString() };
  };

  const ranged = (address: string, range: string, more = {}) =>
    open('GET', address, { Range: range, ...more });

  const outcome = async (answer: ReturnType<typeof open>) => {
    const { status, text } = await answer;
    return [status, text];
  };

  const keptFiles = async () =>
    (await readdir(path.join(server().dir, 'tmp'))).filter((name) => name.startsWith('download-'));

  for (const fmt of ['json', 'jsonl', 'csv', 'parquet', 'arrow'])
    it(`are the parts of one answer, as ${fmt}`, async () => {
      const address = await offered({ query, fmt });
      const head = await open('HEAD', address);
      expect(head.status).to.equal(200);
      expect(head.headers.get('accept-ranges')).to.equal('bytes');
      const length = Number(head.headers.get('content-length'));
      await insert([`later-${fmt}`]);
      const whole = await open('GET', address);
      expect(whole.bytes.length).to.equal(length);
      const middle = Math.floor(length / 2);
      const [first, second, last] = await Promise.all([
        ranged(address, `bytes=0-${middle - 1}`),
        ranged(address, `bytes=${middle}-`),
        ranged(address, 'bytes=-4'),
      ]);
      for (const part of [first, second, last]) {
        expect(part.status).to.equal(206);
        for (const name of ['etag', 'content-type', 'x-evalstore-version', 'x-evalstore-rows'])
          expect(part.headers.get(name), name).to.equal(head.headers.get(name));
      }
      expect(Buffer.concat([first.bytes, second.bytes])).to.deep.equal(whole.bytes);
      expect(last.headers.get('content-range')).to.equal(
        `bytes ${length - 4}-${length - 1}/${length}`,
      );
      expect(whole.text).not.to.include(`later-${fmt}`);
    });

  it('are of one run, also when several ask for the first parts at once', async () => {
    const address = await offered({ query, fmt: 'jsonl' });
    const before = (await keptFiles()).length;
    const parts = await Promise.all([0, 1, 2, 3].map((at) => ranged(address, `bytes=${at}-`)));
    expect(new Set(parts.map(({ headers }) => headers.get('etag'))).size).to.equal(1);
    expect((await keptFiles()).length).to.equal(before + 1);
  });

  it('are whole with a condition on the part, and are not compressed', async () => {
    const address = await offered({ query, fmt: 'csv' });
    await open('HEAD', address);
    const asked = { 'If-Range': '"other"', 'Accept-Encoding': 'gzip' };
    const { status, headers, text } = await ranged(address, 'bytes=0-0', asked);
    expect(status).to.equal(200);
    expect(text).to.match(/^id\n/);
    expect(headers.get('content-encoding')).to.equal(null);
    expect(headers.get('content-length')).to.equal(String(text.length));
  });

  it('say how long the answer is, where it has no byte in the range', async () => {
    const address = await offered({ query, fmt: 'csv' });
    const length = (await open('HEAD', address)).headers.get('content-length')!;
    const { status, headers, text } = await ranged(address, 'bytes=9999-');
    expect([status, text]).to.deep.equal([
      416,
      `Range: expected a part of the ${length} bytes, got "bytes=9999-"`,
    ]);
    expect(headers.get('content-range')).to.equal(`bytes */${length}`);
  });

  it('have the rights that their key has with each request, of all that the query read', async () => {
    const { id, service_token: token } = await addAccount();
    const acl = (object_type: string, object_id: string, more = {}) =>
      ask('POST', '/v1/acl', { object_type, object_id, user_id: id, permission: 'read', ...more });
    const granted = (await acl('experiment', experiment)).json();
    await acl('project', project, { restrict_object_type: 'project' });
    const ofProject = `select: id | from: project('${project}')`;
    const [one, all] = [
      await offered({ query }, token),
      await offered({ query: ofProject }, token),
    ];
    for (const address of [one, all]) expect((await open('HEAD', address)).status).to.equal(200);
    // What others create meanwhile changes nothing.
    await createExperiment(server(), project);
    expect((await ranged(all, 'bytes=0-3')).status).to.equal(206);
    await ask('DELETE', `/v1/acl/${String(granted['id'])}`);
    expect(await outcome(ranged(one, 'bytes=0-3'))).to.deep.equal([
      400,
      `query line 1, column 31: no experiment with the id "${experiment}" that this key may use`,
    ]);
    expect(await outcome(ranged(all, 'bytes=0-3'))).to.deep.equal([401, expired]);
    await ask('PATCH', '/v1/organization/members', { remove_users: { ids: [id] } });
    expect(await outcome(ranged(one, 'bytes=0-3'))).to.deep.equal([401, expired]);
  });

  it('keep no answer that is not read in parts', async () => {
    const before = await keptFiles();
    await open('GET', await offered({ query }));
    expect(await keptFiles()).to.deep.equal(before);
  });
});
