// Addresses that answer a query without a key, until they expire.
import { expect } from 'chai';
import { operations } from '../../../src/http/operations.js';
import { permissionTable } from '../../../src/http/permission-table.js';
import { createOffers } from '../../../src/service/offers.js';
import { createDownloads } from '../../../src/service/download.js';
import { SharedRun } from '../../../src/service/shared-run.js';
import { KeptFiles } from '../../../src/store/event-store.js';
import type { QueryRequest } from '../../../src/schema/request.js';
import { pathOf } from '../../support/attachments.js';
import { createExperiment, createProject } from '../../support/objects.js';
import { serve } from '../../support/serve.js';
import { clientAt, outcome, sharedServer, type Answer } from '../../support/start-server.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { asking } from './asking.js';

const tooLate = 'token: the URL has expired: request another one';

describe('downloads', () => {
  const server = sharedServer();
  const { ask, addAccount } = asking(server);
  let experiment: string;
  let query: string;

  before(async () => {
    experiment = (await createExperiment(server(), (await createProject(server())).id)).id;
    query = `select: id | from: experiment('${experiment}')`;
    await ask('POST', `/v1/experiment/${experiment}/insert`, { events: [{ id: 'a' }] });
  });

  const offered = async (body: object, key?: string): Promise<string> =>
    pathOf((await ask('POST', '/query/download', body, key)).json()['url']);

  const open = (path: string): Promise<Answer> =>
    server().request('GET', path, undefined, { key: null });

  it('are files in every format, which no browser shows or keeps', async () => {
    for (const [fmt, name] of [
      [undefined, 'query.json'],
      ['jsonl', 'query.jsonl'],
      ['csv', 'query.csv'],
      ['parquet', 'query.parquet'],
      ['arrow', 'query.arrows'],
    ]) {
      const { status, text, headers } = await open(await offered({ query, fmt: fmt ?? null }));
      expect(status, text).to.equal(200);
      const plain = await ask('POST', '/query', { query, fmt: fmt ?? null });
      if (fmt !== undefined) expect(text).to.equal(plain.text);
      expect(headers.get('content-type')).to.equal(plain.headers.get('content-type'));
      expect(headers.get('content-disposition')).to.equal(`attachment; filename="${name}"`);
      expect(headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
      expect(headers.get('cache-control')).to.equal('private, no-store');
      expect(headers.has('etag')).to.equal(false);
    }
  });

  it('are opened as often as wanted, and by nobody without their token', async () => {
    const path = await offered({ query });
    const answers = await Promise.all([1, 2, 3].map(() => open(path)));
    for (const answer of [...answers, await open(path)])
      expect(answer.json()['data'], answer.text).to.deep.equal([{ id: 'a' }]);
    for (const wrong of ['/query/download', '/query/download?token=', `${path}A`, `${path}%00`])
      expect(await outcome(open(wrong))).to.deep.equal([401, tooLate]);
  });

  it('have the rights that their key has when they are opened', async () => {
    const { id, service_token: token } = await addAccount();
    const acl = { object_type: 'experiment', object_id: experiment, user_id: id };
    const granted = (await ask('POST', '/v1/acl', { ...acl, permission: 'read' })).json();
    const [first, second, third] = [
      await offered({ query }, token),
      await offered({ query }, token),
      await offered({ query }, token),
    ];
    expect((await open(first)).json()['data']).to.deep.equal([{ id: 'a' }]);
    await ask('DELETE', `/v1/acl/${String(granted['id'])}`);
    expect(await outcome(open(second))).to.deep.equal([
      400,
      `query line 1, column 31: no experiment with the id "${experiment}" that this key may use`,
    ]);
    expect((await open(second)).status).to.equal(400);
    await ask('PATCH', '/v1/organization/members', { remove_users: { ids: [id] } });
    expect(await outcome(open(third))).to.deep.equal([401, tooLate]);
  });

  it('are refused before there is an address, where the query cannot be run', async () => {
    expect(await outcome(ask('POST', '/query/download', { query: 'selct: id' }))).to.deep.equal(
      await outcome(ask('POST', '/query', { query: 'selct: id' })),
    );
    const { service_token: token } = await addAccount();
    expect((await ask('POST', '/query/download', { query }, token)).status).to.equal(400);
    const body = { query, version: 'x' };
    expect((await ask('POST', '/query/download', body)).status).to.equal(400);
  });

  it('leave no address in the log', async () => {
    const path = await offered({ query });
    await open(path);
    await open(path);
    const secret = new URL(path, server().url).searchParams.get('token')!;
    expect(server().log()).to.include('/query/download');
    expect(server().log()).not.to.include(secret);
  });
});

describe('the memory of downloads', () => {
  const directory = temporaryDirectory();

  it('has no unknown fields of requests', async () => {
    const served = await serve(directory(), operations, permissionTable);
    const { offers } = served.services.downloads;
    const { offer } = offers;
    const kept: QueryRequest[] = [];
    const noting: typeof offer = (owner, download, now) => {
      kept.push(download.request);
      return offer(owner, download, now);
    };
    Object.assign(offers, { offer: noting });
    const client = clientAt(served.url);
    const created = async (path: string, body: object): Promise<string> =>
      String((await client.request('POST', path, body)).json()['id']);
    const project = await created('/v1/project', { name: 'p' });
    const id = await created('/v1/experiment', { project_id: project, name: 'e' });
    const query = `select: id | from: experiment('${id}')`;
    const body = { query, fmt: 'csv', unknown: 'x' };
    const { status, text } = await client.request('POST', '/query/download', body);
    await served.close();
    expect(status, text).to.equal(200);
    expect(kept).to.deep.equal([{ query, fmt: 'csv' }]);
  });

  it('is limited by the length of JSON queries, too, whatever their keys', () => {
    const { offers } = createDownloads(new KeptFiles(directory(), () => Promise.resolve(true)));
    const query = new Map([
      ['a', 'x'],
      ['0', 'x'.repeat(9_000_000)],
    ]);
    const download = () => ({ keyId: 'k', request: { query }, kept: new SharedRun<never>() });
    const offered = [0, 1].map(() => offers.offer('k', download(), 0));
    const found = offered.map((one) => offers.find(one!.secret, 0) !== undefined);
    expect(found).to.deep.equal([false, true]);
  });
});

describe('secrets that are valid for a short time', () => {
  const limits = { lifetime: 60_000, countMax: 2, sizeMax: 100, totalMax: 200 };
  const open = () => createOffers<string>(limits, ({ length }) => length);

  it('end after their time, and when their owner has too many', () => {
    const kept = open();
    const { secret, expires } = kept.offer('o', 'a', 1_000)!;
    expect(expires).to.equal(61_000);
    expect(secret).to.match(/^[\w-]{43}$/);
    for (const now of [1_000, 60_999, 60_999])
      expect(kept.find(secret, now)).to.include({ value: 'a', expires });
    expect(kept.find(secret, 61_000)).to.equal(undefined);
    expect(kept.find(secret, 1_000)).to.equal(undefined);
    const secrets = ['b', 'c', 'd'].map((value) => kept.offer('o', value, 1_000)!.secret);
    expect(secrets.map((each) => kept.find(each, 60_999)?.value)).to.deep.equal([
      undefined,
      'c',
      'd',
    ]);
  });

  it('end when the values of their owner are too large together', () => {
    const kept = open();
    const [first, second] = ['x', 'y'].map((text) => kept.offer('o', text.repeat(60), 0)!);
    expect(kept.find(first!.secret, 0)).to.equal(undefined);
    expect(kept.find(second!.secret, 0)?.value).to.equal('y'.repeat(60));
  });

  it('are not ended by those of others, which are refused when all are too large', () => {
    const kept = open();
    const first = kept.offer('a', 'a'.repeat(50), 0)!;
    for (let more = 0; more < 10; more += 1) kept.offer('b', 'b'.repeat(100), 0);
    expect(kept.offer('c', 'c'.repeat(51), 0)).to.equal(undefined);
    expect(kept.offer('c', 'c'.repeat(50), 0)).not.to.equal(undefined);
    expect(kept.find(first.secret, 0)?.value).to.equal('a'.repeat(50));
    expect(kept.offer('e', 'e', 0)).to.equal(undefined);
    expect(kept.offer('e', 'e'.repeat(100), limits.lifetime)).not.to.equal(undefined);
  });
});
