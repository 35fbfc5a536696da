// Segments in a bucket: their files are there soon after their publication, and leave it with them; nothing waits for the bucket.
import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import {
  bucketStores,
  keysBesideCopies,
  objectsIn,
  openBucketStore,
  segmentFilesIn,
  soon,
} from '../support/bucket-store.js';
import { noFault, refusal } from '../support/bucket-service.js';
import { copyRunning } from '../support/copy-running.js';
import { eventsFile } from '../support/events-file.js';
import { openStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { waitUntil } from '../support/wait-until.js';

const narrow = { segments: { narrowRowsMin: 1 } };

describe('segments in a bucket', () => {
  const stores = bucketStores('store', narrow);
  const { service, at, open, close } = stores;
  const bucketState = () => stores.opened.store.stats().bucket!;

  /** Each file of a segment is in the bucket, and no other object of a segment. */
  async function expectCopied(name = 'data') {
    const objects = await objectsIn(service(), stores.prefix);
    expect(objects.delete('owner.json')).to.equal(true);
    for (const key of objects.keys()) if (key.startsWith('manifest/')) objects.delete(key);
    expect(objects).to.deep.equal(await segmentFilesIn(at(name)));
  }

  it('are copied after each flush and removed after each merge', async () => {
    const test = await open({ compaction: { fanOut: 3 } });
    await test.insert('e', { id: 'a', input: 1 }, { id: 'b' });
    await test.store.flush();
    await expectCopied();
    const [first] = test.store.uploaded;
    expect(first!.key).to.match(/^segments\/project\/0000000\d\.parquet$/);
    expect((await objectsIn(service(), stores.prefix)).has(first!.key)).to.equal(true);
    await test.insert('e', { id: 'a', input: 2 });
    await test.store.flush();
    await test.insert('e', { id: 'c' });
    await test.store.flush();
    await expectCopied();
    expect(test.store.uploaded.map(({ segment }) => segment.rows)).to.deep.equal([4]);
    expect(bucketState()).to.include({ uploaded: 1, removing: 0, failures: 0, failure: null });
    expect(bucketState().pending).to.deep.equal({ segments: 0, bytes: 0 });
    await close();
    const before = service().requests().length;
    await open();
    await stores.opened.store.flush();
    expect(service().requests().slice(before).join()).to.not.include('segments/');
    expect(bucketState().uploaded).to.equal(1);
  });

  it('that were there before the bucket are copied at the start', async () => {
    stores.opened = await openStore(at(), { flushRows: 1 });
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    await close();
    await open();
    await stores.opened.store.flush();
    await expectCopied();
  });

  it('wait while the bucket fails, and nothing else does', async () => {
    const failures: unknown[] = [];
    service().plant(() => refusal(403, 'AccessDenied'));
    const test = await open({
      bucketTimes: { ...soon, startMs: 50 },
      hooks: { bucketFailed: (error) => failures.push(error) },
    });
    await test.insert('e', { id: 'a', input: 1 });
    await test.store.flush();
    await waitUntil('it failed twice', () => bucketState().failures >= 2);
    expect(await test.live('e')).to.deep.equal({ a: 1 });
    expect(bucketState().failure).to.match(
      /^s3:\/\/evals\/store-\d+\/owner.json: the credentials do not allow this$/,
    );
    expect(bucketState().pending.segments).to.equal(1);
    expect(bucketState().pending.bytes).to.be.above(1000);
    expect(failures).to.have.length(1);
    service().plant(noFault);
    await waitUntil('they are copied', () => bucketState().uploaded === 1);
    await waitUntil('the round ends', () => bucketState().failure === null);
    await expectCopied();
  });

  it('are not copied from a damaged file, and the others are', async () => {
    const test = await open({ compaction: { fanOut: 100 } });
    service().plant((request) =>
      request.method === 'PUT' ? refusal(403, 'AccessDenied') : undefined,
    );
    await test.insert('e', { id: 'a' });
    await test.store.flush();
    const files = [...(await segmentFilesIn(at())).keys()];
    const idx = files.find((file) => file.endsWith('.idx'))!;
    await rm(path.join(at(), idx.replace('segments/', 'segments/project_id=')));
    await test.insert('e', { id: 'b' });
    await test.store.flush();
    service().plant(noFault);
    await waitUntil('one is copied', () => bucketState().uploaded === 1);
    const damaged = /segment project_id=project\/\d+ is missing or damaged/;
    await waitUntil('the other one fails', () => damaged.test(bucketState().failure ?? ''));
    expect(bucketState().pending.segments).to.equal(1);
  });

  it('leave the bucket with removed events before the removal ends', async () => {
    const test = await open();
    await test.insert('e', { id: 'a', input: 'the secret' }, { id: 'b', input: 'open' });
    await test.store.flush();
    const secrets = async () =>
      [...(await objectsIn(service(), stores.prefix)).values()].filter((bytes) =>
        bytes.includes('the secret'),
      ).length;
    expect(await secrets()).to.be.above(0);
    service().plant((request) =>
      request.method === 'DELETE' ? refusal(403, 'AccessDenied') : undefined,
    );
    const events = await eventsFile(stores.opened, at(), ['a'], 'e');
    let isRemoved = false;
    const removal = test.store
      .remove('project', events, new AbortController().signal)
      .then(() => (isRemoved = true));
    await waitUntil('the objects cannot be removed', () => bucketState().failures > 0);
    expect(isRemoved).to.equal(false);
    expect(bucketState().removing).to.equal(1);
    service().plant(noFault);
    await removal;
    expect(await secrets()).to.equal(0);
    await test.store.flush();
    await expectCopied();
  });

  it('leave the bucket with a purged project, also after a restart without the bucket', async () => {
    await open();
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    await close();
    stores.opened = await openStore(at(), {});
    stores.opened.store.purge(['project']);
    await stores.opened.store.flush();
    await close();
    await open();
    await stores.opened.store.flush();
    expect(await keysBesideCopies(service(), stores.prefix)).to.deep.equal(['owner.json']);
    await stores.opened.insert('e', { id: 'b' });
    await stores.opened.store.flush();
    await expectCopied();
  });

  it('of another store are refused at the start', async () => {
    await open();
    await close();
    const error = await rejection(open({}, 'other'));
    expect(error.message).to.equal(
      `s3://evals/${stores.prefix} has the data of another store: give this one a prefix of its own in EVALSTORE_BUCKET`,
    );
  });

  it('in another bucket are missed at the start', async () => {
    await open();
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    await close();
    stores.prefix += '-other';
    const error = await rejection(open());
    expect(error.message).to.match(
      /has no owner.json, but 1 segments of this store are in a bucket/,
    );
  });

  it('are those of the server that started last with a copy of the directory', async () => {
    const failures: unknown[] = [];
    const first = await open({ hooks: { bucketFailed: (error) => failures.push(error) } });
    await first.insert('e', { id: 'a' });
    await first.store.flush();
    await copyRunning(at(), at('copy'));
    // Not in the copy: its objects are not to stay.
    await first.insert('e', { id: 'b' });
    await first.store.flush();
    const second = await openBucketStore(at('copy'), service(), stores.prefix, narrow);
    first.store.requireOwner();
    await first.insert('e', { id: 'c' });
    await first.store.flush();
    const taken = await rejection(Promise.resolve().then(() => first.store.requireOwner()));
    expect(taken).to.include({ status: 503 });
    expect(taken.message).to.match(/^another server .* took over s3:\/\/evals\/store-\d+ at 20/);
    expect(failures).to.have.length(1);
    await second.insert('e', { id: 'd' });
    await second.store.flush();
    await expectCopied('copy');
    await second.close();
    expect(await checkStore(at('copy'))).to.deep.equal([]);
  });
});
