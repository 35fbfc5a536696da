// Two uploads of one attachment: what is acknowledged stays.
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { AttachmentRecords } from '../../src/catalog/attachments.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { receiveAttachment } from '../../src/service/attachment/attachments.js';
import type { Services } from '../../src/service/context.js';
import { signRight } from '../../src/service/attachment/signed-address.js';
import { AttachmentFiles } from '../../src/store/file/attachment-files.js';
import { rejection } from '../support/rejection.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

async function* content(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

describe('uploads of an attachment', () => {
  const directory = temporaryDirectory();

  it('are refused until the first one is recorded', async () => {
    const opened = await openStore(directory());
    const { store, writer } = opened;
    await Catalog.open(writer);
    const records = new AttachmentRecords(writer);
    const files = await AttachmentFiles.open(directory());
    const signingSecret = Buffer.from('secret');
    const attachments = { records, files };
    const services = { signingSecret, store, attachments } as unknown as Services;
    const name = { orgId: 'o', key: 'k' };
    const details = { filename: 'f', contentType: 't', userId: 'u' };
    const { file: stored } = (await records.begin(name, details, Date.now()))!;
    const right = { ...name, ...details, file: stored, expires: Date.now() + 60_000 };
    const token = signRight(right, 'upload', signingSecret);
    const complete = records.complete.bind(records);
    let second: Promise<unknown> | undefined;
    records.complete = async (...written) => {
      records.complete = complete;
      second = rejection(receiveAttachment(services, token, content('second')));
      await second;
      return complete(...written);
    };
    await receiveAttachment(services, token, content('first'));
    expect(await second).to.have.property('message', 'the attachment is being uploaded already');
    const { bytes } = (await records.find(name))!;
    expect((await buffer(await files.read(stored, bytes!))).toString()).to.equal('first');
    await opened.close();
  });
});
