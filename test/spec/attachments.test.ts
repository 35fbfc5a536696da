// Attachments: what is uploaded comes back, once, to whoever has its address.
import { randomBytes, randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  announce,
  beginUpload,
  download,
  filesOf,
  find,
  isBeingWritten,
  upload,
  uploaded,
} from '../support/attachments.js';
import { exportOf, span } from '../otlp/spans.js';
import { createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

/** References to the attachments many-0, many-1 and so on. */
const files = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'braintrust_attachment',
    key: `many-${from + index}`,
  }));

const tooMany = ': with its attachments, the request names more than 10000';

describe('attachments', () => {
  const server = sharedServer();

  it('come back as they were uploaded, to be saved and never shown', async () => {
    const content = randomBytes(3_000_000);
    const key = await uploaded(server(), content, {
      filename: '日 "x".html',
      content_type: 'text/html',
    });
    const { address } = await find(server(), key);
    const answer = await fetch(`${server().url}${address}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).to.equal(true);
    expect(Object.fromEntries(answer.headers)).to.include({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="? \\"x\\".html"; filename*=UTF-8''%E6%97%A5%20%22x%22.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    });
    const [name = ''] = await filesOf(server().dir);
    const { mode } = await stat(path.join(server().dir, 'attachments', name));
    expect(mode & 0o077).to.equal(0);
  });

  it('may be empty, and may be sent compressed', async () => {
    for (const [content, headers] of [
      [Buffer.alloc(0), {}],
      [gzipSync('text'), { 'content-encoding': 'gzip' }],
    ] as const) {
      const { key, address } = await announce(server());
      (await server().request('PUT', address, content, { key: null, headers })).json();
      const found = await download(server(), (await find(server(), key)).address);
      expect(found.text).to.equal(content.length === 0 ? '' : 'text');
    }
  });

  it('of unknown type are downloaded as bytes, unless the request says otherwise', async () => {
    const key = await uploaded(server(), 'text', { content_type: '' });
    for (const [search, type] of [
      ['', 'application/octet-stream'],
      ['&content_type=', 'application/octet-stream'],
      ['&content_type=image/png', 'image/png'],
    ] as const) {
      const { address } = await find(server(), key, search);
      const { headers } = await fetch(`${server().url}${address}`);
      expect(headers.get('content-type'), search).to.equal(type);
    }
  });

  it('take one upload, which may be tried again until it is complete', async () => {
    const { key, address } = await announce(server());
    expect((await find(server(), key)).status).to.deep.equal({ upload_status: 'uploading' });
    const begun = beginUpload(server(), address);
    await waitUntil('a part of it', isBeingWritten(server().dir));
    expect(await outcome(upload(server(), address, 'other'))).to.deep.equal([
      400,
      'the attachment is being uploaded already',
    ]);
    begun.destroy();
    await waitUntil('the part is gone', async () => !(await isBeingWritten(server().dir)()));
    expect(await outcome(download(server(), (await find(server(), key)).address))).to.deep.equal([
      400,
      `the content of the attachment "${key}" is not uploaded yet`,
    ]);
    expect((await upload(server(), address, 'first')).status).to.equal(200);
    expect(await outcome(upload(server(), address, 'second'))).to.deep.equal([
      400,
      `the attachment "${key}" is complete: its URL accepts one upload`,
    ]);
    const { address: place, status } = await find(server(), key);
    expect(status).to.deep.equal({ upload_status: 'done' });
    expect((await download(server(), place)).text).to.equal('first');
    expect(
      await outcome(
        server().request('POST', '/attachment', {
          key,
          filename: 'a',
          content_type: 'a/b',
        }),
      ),
    ).to.deep.equal([
      400,
      `key: the attachment "${key}" is uploaded already, or by another user: choose another key`,
    ]);
  });

  it('may be announced again until they are complete, with another name', async () => {
    const { key, address } = await announce(server());
    await server().request('POST', '/attachment/status', {
      key,
      status: { upload_status: 'error' },
    });
    const again = await announce(server(), { key, filename: 'later.txt' });
    expect((await upload(server(), address, 'x')).status).to.equal(200);
    expect((await upload(server(), again.address, 'y')).status).to.equal(400);
    const { headers } = await download(server(), (await find(server(), key)).address);
    expect(headers.get('content-disposition')).to.equal('attachment; filename="later.txt"');
  });

  it('that are refused can be reported as failed, but not as done', async () => {
    const key = randomUUID();
    const said = { key, filename: 'a', content_type: 'png' };
    expect((await server().request('POST', '/attachment', said)).status).to.equal(400);
    const report = (upload_status: string) =>
      server().request('POST', '/attachment/status', { key, status: { upload_status } });
    expect(await outcome(report('error'))).to.deep.equal([200, 'null']);
    expect(await outcome(report('done'))).to.deep.equal([
      400,
      `key: there is no attachment "${key}" that this key may use`,
    ]);
  });

  it('stay complete when a client that lost the answer reports an error', async () => {
    const { key, address } = await announce(server());
    const report = (error_message: string) =>
      server().write('/attachment/status', {
        key,
        status: { upload_status: 'error', error_message },
      });
    await report('no connection');
    expect((await find(server(), key)).status).to.deep.equal({
      upload_status: 'error',
      error_message: 'no connection',
    });
    expect((await upload(server(), address, 'whole')).status).to.equal(200);
    await report('socket hang up');
    const { address: place, status } = await find(server(), key);
    expect(status).to.deep.equal({ upload_status: 'done' });
    expect((await download(server(), place)).text).to.equal('whole');
  });

  it('need an address that this server signed for this use', async () => {
    const { key, address } = await announce(server());
    const token = address.split('token=')[1]!;
    const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    const refusals: readonly (readonly [string, string, string])[] = [
      [
        'PUT',
        '/attachment/upload',
        'this request requires a signed URL: POST /attachment returns one',
      ],
      [
        'GET',
        '/attachment/download',
        'this request requires a signed URL: GET /attachment returns one',
      ],
      [
        'PUT',
        `/attachment/upload?token=${flipped}`,
        'token: it was not signed by this server for uploads',
      ],
      ['PUT', '/attachment/upload?token=x', 'token: it was not signed by this server for uploads'],
      [
        'GET',
        `/attachment/download?token=${token}`,
        'token: it was not signed by this server for downloads',
      ],
    ];
    for (const [method, place, text] of refusals) {
      const body = method === 'PUT' ? 'content' : undefined;
      expect(
        await outcome(server().request(method, place, body, { key: null })),
        place,
      ).to.deep.equal([401, text]);
    }
    expect((await find(server(), key)).status).to.deep.equal({ upload_status: 'uploading' });
  });

  it('are refused when the events of one request name too many', async () => {
    const { id } = await createProject(server());
    const events = [{ input: files(0, 5001) }, { id: 'last', input: files(5001, 5000) }];
    const ask = (path: string, body: object) =>
      outcome(server().request('POST', `/v1/project_logs/${id}/${path}`, body));
    expect(await ask('insert', { events })).to.deep.equal([400, `events[1]${tooMany}`]);
    expect(await server().events(`project_logs/${id}`)).to.deep.equal([]);
    expect((await ask('insert', { events: events.slice(1) }))[0]).to.equal(200);
    const feedback = [{ id: 'last', expected: files(0, 10_001) }];
    expect(await ask('feedback', { feedback })).to.deep.equal([400, `feedback${tooMany}`]);
  });

  it('refuse only the rows and spans that name too many', async () => {
    const { id } = await createProject(server());
    const inputs = [files(0, 9_999), files(0, 9_999), files(9_999, 2), files(9_999, 1), 'none'];
    const rows = inputs.map((input, index) => ({
      id: `r${index}`,
      project_id: id,
      log_id: 'g',
      input,
    }));
    const { ids, errors } = await server().post('/logs3', { rows });
    expect(ids).to.deep.equal(['r0', 'r1', 'r3', 'r4']);
    expect(errors).to.deep.equal([{ index: 2, id: 'r2', message: `rows[2]${tooMany}` }]);
    const stringValue = `project_id:${id.toUpperCase()}`;
    const parent = { key: 'braintrust.parent', value: { stringValue } };
    const spans = inputs.map((input, index) => {
      const json = { key: 'braintrust.input_json', value: { stringValue: JSON.stringify(input) } };
      // The second span names the same project in another way.
      const named = index === 1 ? [json, parent] : [json];
      return span({ spanId: `${index + 1}`.repeat(16), attributes: named });
    });
    const answer = await server().request('POST', '/otel/v1/traces', exportOf(spans), {
      headers: { 'content-type': 'application/json', 'x-bt-parent': `project_id:${id}` },
    });
    expect(answer.json()).to.deep.equal({
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: `resourceSpans[0].scopeSpans[0].spans[2]${tooMany}`,
      },
    });
    expect(await server().events(`project_logs/${id}`)).to.have.length(8);
  });

  it('that are kept elsewhere are found there, and this server asks nobody', async () => {
    // Nobody answers at this port: an answer at once shows that nobody was asked.
    const url = 'http://127.0.0.1:9/a%20b.png?x=1';
    const query = `url=${encodeURIComponent(url)}&filename=a&content_type=image/png`;
    const { status, text } = await server().request('GET', `/attachment?${query}`);
    expect([status, JSON.parse(text)]).to.deep.equal([
      200,
      { downloadUrl: url, status: { upload_status: 'done' } },
    ]);
    const unknown = await server().request('GET', `/attachment?${query}`, undefined, { key: 'x' });
    expect(unknown.status).to.equal(401);
  });

  it('have addresses on the server that the client asked', async () => {
    const answer = await server().request('POST', '/attachment', {
      key: randomUUID(),
      filename: 'a',
      content_type: 'a/b',
    });
    expect(answer.json()['signedUrl']).to.match(
      new RegExp(`^${server().url}/attachment/upload\\?token=[\\w-]+$`),
    );
    expect(answer.json()['headers']).to.deep.equal({});
  });
});
