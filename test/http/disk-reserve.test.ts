// A server whose disk is almost full, as its clients and its operator see it.
import path from 'node:path';
import { expect } from 'chai';
import { writeDisk } from '../support/disk-file.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { outcome, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const gigabyte = 2 ** 30;
const total = 1000 * gigabyte;
const refusal = [
  503,
  'the disk is almost full, and the rest is kept for freeing it (EVALSTORE_DISK_RESERVE_MB): nothing was stored, delete data or free space',
];
const span = (id: string) => ({
  resourceSpans: [
    {
      resource: { attributes: [] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: id,
              name: 'a',
              startTimeUnixNano: '1',
              endTimeUnixNano: '2',
            },
          ],
        },
      ],
    },
  ],
});

describe('a server whose disk is almost full', () => {
  const directory = temporaryDirectory();
  const disk = () => path.join(directory(), 'disk.json');
  let server: TestServer;
  let where: string;

  const insert = (event: object) => server.request('POST', `${where}/insert`, { events: [event] });
  const statusOf = async (method: string, url: string, body?: unknown) =>
    (await server.request(method, url, body)).status;
  const sample = async (name: string): Promise<number> => {
    const { text } = await server.request('GET', '/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  };
  const linesWith = (text: string) =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes(text))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  beforeEach(async () => {
    await writeDisk(disk(), { free: gigabyte, total });
    server = await openServer({
      dir: path.join(directory(), 'data'),
      environment: { EVALSTORE_DISK_RESERVE_MB: '256', EVALSTORE_LOG_LEVEL: 'info' },
      tuning: { diskFile: disk() },
    });
    where = `/v1/project_logs/${(await createProject(server)).id}`;
  });
  afterEach(() => server.stop());

  it('refuses what would fill it, reads and deletes, and goes on when there is space', async () => {
    for (const id of ['a', 'b']) expect((await insert({ id, input: 1 })).status).to.equal(200);
    expect(await sample('evalstore_disk_reserve_bytes')).to.be.within(2 ** 28, 2 ** 28 + 2 ** 16);
    expect(await sample('evalstore_budget_refusals_total{budget="disk"}')).to.equal(0);
    const attachment = { key: 'k', filename: 'a', content_type: 'a/b' };
    const announced = await server.request('POST', '/attachment', attachment);
    const { signedUrl } = announced.json() as { readonly signedUrl: string };

    await writeDisk(disk(), { free: gigabyte / 4, total });
    await waitUntil('inserts are refused', async () => (await insert({ id: 'b' })).status === 503);
    for (let times = 0; times < 3; times++)
      expect(await outcome(insert({ id: 'd' }))).to.deep.equal(refusal);
    const answer = await insert({ id: 'd' });
    expect(answer.headers.get('retry-after')).to.equal('5');
    const feedback = { feedback: [{ id: 'a', scores: { s: 1 } }] };
    expect(await outcome(server.request('POST', `${where}/feedback`, feedback))).to.deep.equal(
      refusal,
    );
    const traces = await fetch(`${server.url}/otel/v1/traces`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        'x-bt-parent': `project_id:${where.split('/').at(-1)}`,
      },
      body: JSON.stringify(span('b7ad6b7169203331')),
    });
    expect(traces.status).to.equal(503);
    const upload = await fetch(signedUrl, { method: 'PUT', body: 'content' });
    expect([upload.status, await upload.text()]).to.deep.equal(refusal);
    const id = where.split('/').at(-1)!;
    const query = `select: id | from: project_logs('${id}')`;
    const { url } = (await server.post('/query/download', { query })) as { readonly url: string };
    const inParts = await fetch(url, { headers: { range: 'bytes=0-1' } });
    expect([inParts.status, await inParts.text()]).to.deep.equal([
      503,
      'the storage for temporary data is full or cannot be written',
    ]);
    expect((await fetch(url)).status).to.equal(200);
    expect(await outcome(server.request('GET', '/ready'))).to.deep.equal([
      503,
      'not ready: inserts are refused until 257 MB of the disk are free',
    ]);
    expect(await sample('evalstore_budget_refusals_total{budget="disk"}')).to.be.at.least(7);

    expect(await statusOf('POST', '/v1/project', { name: 'stored' })).to.equal(200);
    expect((await insert({ id: 'a', _object_delete: true })).status).to.equal(200);
    const { events } = await server.get(`${where}/fetch`);
    expect((events as { id: string }[]).map(({ id }) => id)).to.deep.equal(['b']);

    await writeDisk(disk(), { free: gigabyte, total });
    await waitUntil('inserts are accepted', async () => (await insert({ id: 'e' })).status === 200);
    expect(await statusOf('GET', '/ready')).to.equal(200);
    const [begun, ...more] = linesWith('the disk is almost full: inserts are refused');
    expect(begun).to.include({ level: 40, free: gigabyte / 4 });
    expect(begun!['reserve']).to.be.above(2 ** 28);
    expect(more).to.deep.equal([]);
    const ended = linesWith('the disk has space again: inserts are accepted');
    expect(ended.map(({ level }) => level)).to.deep.equal([30]);
  });
});
