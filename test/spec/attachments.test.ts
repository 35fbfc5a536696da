// Attachments: what is uploaded comes back, to whom it belongs, once, within its limits; and what nothing needs is removed.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AttachmentRecords } from '../../src/catalog/attachments.js';
import { openCursorSecret } from '../../src/catalog/cursor-secret.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { sweepAttachments } from '../../src/service/attachment-sweeps.js';
import { readRight, signRight } from '../../src/service/signed-address.js';
import { AttachmentFiles } from '../../src/store/event-store.js';
import { announce, download, find, pathOf, upload, uploaded } from '../support/attachments.js';
import { createProject } from '../support/objects.js';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { sharedServer, startServer, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const filesOf = (dir: string): Promise<readonly string[]> => readdir(path.join(dir, 'attachments'));

const openWriter = (dir: string) =>
  Writer.open(path.join(dir, 'meta.duckdb'), { memoryMb: 256, threads: 1 });

/** An upload of which only a part is sent. */
function beginUpload(server: TestServer, address: string): ClientRequest {
  const request = httpRequest(`${server.url}${address}`, {
    method: 'PUT',
    headers: { 'content-length': '100000' },
  });
  request.on('error', () => {});
  request.write(Buffer.alloc(1000));
  return request;
}

const isBeingWritten = (dir: string) => async () =>
  (await filesOf(dir)).some((name) => name.endsWith('.tmp'));

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

  it('take one upload, which may be tried again until it is complete', async () => {
    const { key, address } = await announce(server());
    expect((await find(server(), key)).status).to.deep.equal({ upload_status: 'uploading' });
    const begun = beginUpload(server(), address);
    await waitUntil('a part of it', isBeingWritten(server().dir));
    const beside = await upload(server(), address, 'other');
    expect([beside.status, beside.text]).to.deep.equal([
      400,
      'the attachment is being uploaded already',
    ]);
    begun.destroy();
    await waitUntil('the part is gone', async () => !(await isBeingWritten(server().dir)()));
    const gone = await download(server(), (await find(server(), key)).address);
    expect([gone.status, gone.text]).to.deep.equal([
      400,
      `the content of the attachment "${key}" is not uploaded yet`,
    ]);
    expect((await upload(server(), address, 'first')).status).to.equal(200);
    const again = await upload(server(), address, 'second');
    expect([again.status, again.text]).to.deep.equal([
      400,
      `the attachment "${key}" is complete: an address takes one upload`,
    ]);
    const { address: place, status } = await find(server(), key);
    expect(status).to.deep.equal({ upload_status: 'done' });
    expect((await download(server(), place)).text).to.equal('first');
    const announced = await server().request('POST', '/attachment', {
      key,
      filename: 'a',
      content_type: 'a/b',
    });
    expect([announced.status, announced.text]).to.deep.equal([
      400,
      `key: the attachment "${key}" is uploaded already, choose another key`,
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

  it('need an address that this server signed for this use', async () => {
    const { key, address } = await announce(server());
    const token = address.split('token=')[1]!;
    const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    const refusals: readonly (readonly [string, string, string])[] = [
      [
        'PUT',
        '/attachment/upload',
        'this request needs a signed address: POST /attachment answers one',
      ],
      [
        'GET',
        '/attachment/download',
        'this request needs a signed address: GET /attachment answers one',
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
      const answer = await server().request(method, place, body, { key: null });
      expect([answer.status, answer.text], place).to.deep.equal([401, text]);
    }
    expect((await find(server(), key)).status).to.deep.equal({ upload_status: 'uploading' });
  });

  it('are refused when they are not what the interface says', async () => {
    const { key } = await announce(server());
    const whole = { key, filename: 'a', content_type: 'a/b' };
    const refusals: readonly (readonly [string, object, string])[] = [
      ['/attachment', {}, 'field "key" is missing in the request body'],
      ['/attachment', { ...whole, key: '' }, 'key: expected '],
      ['/attachment', { ...whole, key: 'a"b' }, 'key: expected '],
      ['/attachment', { ...whole, key: 'x'.repeat(201) }, 'key: expected '],
      ['/attachment', { ...whole, filename: '' }, 'filename: expected '],
      ['/attachment', { ...whole, content_type: 'a/b\r\nX: y' }, 'content_type: expected '],
      ['/attachment', { ...whole, content_type: 'text' }, 'content_type: expected '],
      ['/attachment', { ...whole, org_id: 'x' }, 'org_id: expected '],
      ['/attachment', { ...whole, more: 1 }, 'unknown field "more" in the request body'],
      ['/attachment/status', { key }, 'field "status" is missing in the request body'],
      [
        '/attachment/status',
        { key, status: { upload_status: 'x' } },
        'status.upload_status: expected ',
      ],
      [
        '/attachment/status',
        { key, status: { upload_status: 'done' } },
        `status.upload_status: the content of the attachment "${key}" is not uploaded yet`,
      ],
      [
        '/attachment/status',
        { key: 'nobody', status: { upload_status: 'done' } },
        'key: there is no attachment "nobody"',
      ],
    ];
    for (const [place, body, text] of refusals) {
      const answer = await server().request('POST', place, body);
      expect([answer.status, answer.text.slice(0, text.length)], answer.text).to.deep.equal([
        400,
        text,
      ]);
    }
    const unknown = await server().request('GET', '/attachment?key=nobody');
    expect([unknown.status, unknown.text]).to.deep.equal([
      400,
      'key: there is no attachment "nobody"',
    ]);
    const elsewhere = await server().request('GET', '/attachment?url=s3://x/y');
    expect([elsewhere.status, elsewhere.text]).to.deep.equal([
      400,
      'unknown query parameter "url"',
    ]);
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

describe('attachments of a server of its own', () => {
  const directory = temporaryDirectory();

  it('are those of one organisation, and their addresses end', async () => {
    let server = await startServer({ dir: directory() });
    const { key, address } = await announce(server);
    const done = await uploaded(server, 'secret');
    await server.stop();
    await addOrganisation(directory());
    const writer = await openWriter(directory());
    const secret = await openCursorSecret(writer);
    const [row] = await writer.read(sql`SELECT org_id, file FROM attachment WHERE key = ${done}`);
    await writer.close();
    const right = {
      orgId: String(row?.['org_id']),
      key: done,
      file: String(row?.['file']),
      filename: 'a',
      contentType: 'a/b',
    };
    const signed = (expires: number) =>
      `/attachment/download?token=${signRight({ ...right, expires }, 'download', secret)}`;
    server = await startServer({
      dir: directory(),
      environment: { EVALSTORE_PUBLIC_URL: 'https://evalstore.test/base/' },
    });
    try {
      expect((await download(server, signed(Date.now() + 60_000))).text).to.equal('secret');
      const ended = await download(server, signed(Date.now() - 1));
      expect([ended.status, ended.text]).to.deep.equal([
        401,
        'token: its time is over, ask for another',
      ]);
      const stranger = { key: strangerKey };
      const hidden = await server.request('GET', `/attachment?key=${done}`, undefined, stranger);
      expect([hidden.status, hidden.text]).to.deep.equal([
        400,
        `key: there is no attachment "${done}"`,
      ]);
      const theirs = { key: done, filename: 'b', content_type: 'a/b' };
      const own = await server.request('POST', '/attachment', theirs, stranger);
      expect(own.json()['signedUrl']).to.match(
        /^https:\/\/evalstore\.test\/base\/attachment\/upload\?/,
      );
      const place = pathOf(own.json()['signedUrl']).replace('/base', '');
      (await upload(server, place, 'theirs')).json();
      expect((await download(server, signed(Date.now() + 60_000))).text).to.equal('secret');
      // Begun before the restart.
      expect((await upload(server, address, 'late')).status).to.equal(200);
      const again = await server.request('GET', `/attachment?key=${key}`);
      expect(again.json()['status']).to.deep.equal({ upload_status: 'done' });
    } finally {
      await server.stop();
    }
    expect(server.log()).to.not.include('token=');
  });

  it('have a limit of size that memory for bodies has no part in, and leave nothing when they pass it', async () => {
    const environment = {
      EVALSTORE_ATTACHMENT_LIMIT_MB: '4',
      EVALSTORE_BODIES_MEMORY_MB: '1',
      EVALSTORE_STALL_SECONDS: '1',
    };
    let server = await startServer({ dir: directory(), environment });
    try {
      const { address } = await announce(server);
      const text = 'the request body is larger than the limit of 4 MB for attachments';
      const large = Buffer.alloc(4 * 2 ** 20 + 1);
      const whole = await upload(server, address, large);
      expect([whole.status, whole.text]).to.deep.equal([413, text]);
      const packed = { key: null, headers: { 'content-encoding': 'gzip' } };
      const chunked = await server.request('PUT', address, gzipSync(large), packed);
      expect([chunked.status, chunked.text]).to.deep.equal([413, text]);
      expect(await filesOf(directory())).to.deep.equal([]);
      const stalled = beginUpload(server, address);
      await waitUntil('a part of it', isBeingWritten(directory()));
      await once(stalled, 'close');
      await waitUntil('the part is gone', async () => (await filesOf(directory())).length === 0);
      const begun = beginUpload(server, address);
      await waitUntil('a part of it', isBeingWritten(directory()));
      await server.kill();
      begun.destroy();
      expect(await filesOf(directory())).to.have.length(1);
      server = await startServer({ dir: directory(), environment });
      expect(await filesOf(directory())).to.deep.equal([]);
      expect((await upload(server, address, large.subarray(1))).status).to.equal(200);
    } finally {
      await server.stop();
    }
  });

  it('are removed when they are not completed in a day, or not named by an event in a week', async () => {
    let server = await startServer({ dir: directory() });
    const { id } = await createProject(server);
    const [named, merged, said, unnamed] = [
      await uploaded(server, 'named'),
      await uploaded(server, 'merged'),
      await uploaded(server, 'said'),
      await uploaded(server, 'unnamed'),
    ];
    const { key: begun, address } = await announce(server);
    const late = randomUUID();
    const reference = (key: string) => ({
      type: 'braintrust_attachment',
      filename: 'a',
      content_type: 'a/b',
      key,
    });
    const insert = async (event: object) =>
      (await server.request('POST', `/v1/project_logs/${id}/insert`, { events: [event] })).json();
    await insert({ id: 'e', input: [{ image: reference(named) }], output: reference(late) });
    await insert({ id: 'e', _is_merge: true, metadata: { a: reference(merged) } });
    // It stays, as earlier versions show the event.
    await insert({ id: 'e', _object_delete: true });
    await insert({ id: 'f', input: { key: unnamed } });
    const feedback = [{ id: 'f', expected: reference(said) }];
    (await server.request('POST', `/v1/project_logs/${id}/feedback`, { feedback })).json();
    await server.stop();

    /** The keys that are left after a sweep so many days from now. */
    const sweepAfter = async (days: number) => {
      const writer = await openWriter(directory());
      const files = await AttachmentFiles.open(directory());
      const records = new AttachmentRecords(writer);
      await sweepAttachments({ records, files }, Date.now() + days * 86_400_000);
      const rows = await writer.read(sql`SELECT key FROM attachment ORDER BY begun`);
      await writer.close();
      return rows.map(({ key }) => key);
    };
    expect(await sweepAfter(0.9)).to.deep.equal([named, merged, said, unnamed, begun]);
    expect(await sweepAfter(6.9)).to.deep.equal([named, merged, said, unnamed]);
    expect(await sweepAfter(7.1)).to.deep.equal([named, merged, said]);
    expect(await filesOf(directory())).to.have.length(3);
    const writer = await openWriter(directory());
    const secret = await openCursorSecret(writer);
    await writer.close();
    server = await startServer({ dir: directory() });
    try {
      const gone = await upload(server, address, 'x');
      expect([gone.status, gone.text]).to.deep.equal([
        400,
        `there is no attachment "${begun}" any more: begin again`,
      ]);
      expect((await download(server, (await find(server, named)).address)).text).to.equal('named');
      const [missing, damaged] = await Promise.all([merged, said].map((key) => find(server, key)));
      for (const [{ address: place }, change] of [
        [missing!, (file: string) => rm(file)],
        [damaged!, (file: string) => truncate(file, 1)],
      ] as const) {
        const { file } = readRight(place.split('token=')[1]!, 'download', secret)!;
        await change(path.join(directory(), 'attachments', file));
        const refused = await download(server, place);
        expect([refused.status, refused.text]).to.deep.equal([
          503,
          `the file attachments/${file} is missing or damaged: restore it from a backup`,
        ]);
      }
      // Events come before the uploads that they name.
      await uploaded(server, 'late', { key: late });
    } finally {
      await server.stop();
    }
    expect(await sweepAfter(8)).to.deep.equal([named, merged, said, late]);
    expect(await filesOf(directory())).to.have.length(3);
  }).timeout(120_000);
});
