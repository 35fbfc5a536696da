// Attachments: whose they are, for how long and how large, and when nothing needs them any more.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AttachmentRecords } from '../../src/catalog/attachments.js';
import { openSigningSecret } from '../../src/catalog/signing-secret.js';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { sweepAttachments } from '../../src/service/attachment/attachment-sweeps.js';
import { readRight, signRight } from '../../src/service/attachment/signed-address.js';
import { AttachmentFiles } from '../../src/store/event-store.js';
import {
  announce,
  beginUpload,
  download,
  filesOf,
  find,
  isBeingWritten,
  pathOf,
  upload,
  uploaded,
} from '../support/attachments.js';
import { createProject } from '../support/objects.js';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { openServer } from '../support/hosted-server.js';
import { outcome, startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const openWriter = (dir: string) =>
  Writer.open(path.join(dir, 'meta.duckdb'), { memoryMb: 256, threads: 1 });

const reference = (key: string) => ({
  type: 'braintrust_attachment',
  filename: 'a',
  content_type: 'a/b',
  key,
});

describe('attachments of a server of its own', () => {
  const directory = temporaryDirectory();

  it('are those of one organisation, and their addresses end', async () => {
    let server = await openServer({ dir: directory() });
    const { key, address } = await announce(server);
    const done = await uploaded(server, 'secret');
    await server.stop();
    await addOrganisation(directory());
    const writer = await openWriter(directory());
    const secret = await openSigningSecret(writer);
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
    server = await openServer({
      dir: directory(),
      environment: { EVALSTORE_PUBLIC_URL: 'https://evalstore.test/base/' },
    });
    try {
      expect((await download(server, signed(Date.now() + 60_000))).text).to.equal('secret');
      expect(await outcome(download(server, signed(Date.now() - 1)))).to.deep.equal([
        401,
        'token: it has expired, request another one',
      ]);
      const stranger = { key: strangerKey };
      expect(
        await outcome(server.request('GET', `/attachment?key=${done}`, undefined, stranger)),
      ).to.deep.equal([400, `key: there is no attachment "${done}" that this key may use`]);
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
      expect(await outcome(upload(server, address, large))).to.deep.equal([413, text]);
      const packed = { key: null, headers: { 'content-encoding': 'gzip' } };
      expect(await outcome(server.request('PUT', address, gzipSync(large), packed))).to.deep.equal([
        413,
        text,
      ]);
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
    let server = await openServer({ dir: directory() });
    const { id } = await createProject(server);
    const [named, merged, said, unnamed] = [
      await uploaded(server, 'named'),
      await uploaded(server, 'merged'),
      await uploaded(server, 'said'),
      await uploaded(server, 'unnamed'),
    ];
    const { key: begun, address } = await announce(server);
    const late = randomUUID();
    const insert = (event: object) => server.insert(`project_logs/${id}`, [event]);
    await insert({ id: 'e', input: [{ image: reference(named) }], output: reference(late) });
    await insert({ id: 'e', _is_merge: true, metadata: { a: reference(merged) } });
    // It stays, as earlier versions show the event.
    await insert({ id: 'e', _object_delete: true });
    await insert({ id: 'f', input: { key: unnamed } });
    const feedback = [{ id: 'f', expected: reference(said) }];
    await server.post(`/v1/project_logs/${id}/feedback`, { feedback });
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
    const secret = await openSigningSecret(writer);
    await writer.close();
    server = await openServer({ dir: directory() });
    try {
      expect(await outcome(upload(server, address, 'x'))).to.deep.equal([
        400,
        `there is no attachment "${begun}" any more: announce it again`,
      ]);
      expect((await download(server, (await find(server, named)).address)).text).to.equal('named');
      const [missing, damaged] = await Promise.all([merged, said].map((key) => find(server, key)));
      for (const [{ address: place }, change] of [
        [missing!, (file: string) => rm(file)],
        [damaged!, (file: string) => truncate(file, 1)],
      ] as const) {
        const { file } = readRight(place.split('token=')[1]!, 'download', secret)!;
        await change(path.join(directory(), 'attachments', file));
        expect(await outcome(download(server, place))).to.deep.equal([
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
