// Copies of the manifest in the bucket: when they are made, which stay, and what leaves the bucket only after them.
import { expect } from 'chai';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import type { LatestCopy } from '../../src/store/bucket/latest-copy.js';
import { withoutLogs } from '../../src/store/bucket/restored-manifest.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { noFault, refusal } from '../support/bucket-service.js';
import {
  bucketStores,
  objectsIn,
  openBucketStore,
  segmentFilesIn,
  soon,
} from '../support/bucket-store.js';
import { copyRunning } from '../support/copy-running.js';
import { eventsFile } from '../support/events-file.js';
import { rejection } from '../support/rejection.js';
import { openStore } from '../support/open-store.js';
import { waitUntil } from '../support/wait-until.js';

const latestKey = 'manifest/latest.json';

describe('copies of the manifest in a bucket', () => {
  const stores = bucketStores('copies');
  const { service, at, open, close } = stores;
  const objects = () => objectsIn(service(), stores.prefix);
  const copies = async () => [...(await objects()).keys()].filter((key) => key.endsWith('.duckdb'));
  const latest = async () => JSON.parse(String((await objects()).get(latestKey))) as LatestCopy;
  const state = () => stores.opened.store.stats().bucket!;
  /** The requests for keys that match, since the last fault was planted. */
  const asked = (form: RegExp) =>
    service()
      .requests()
      .filter((request) => form.test(request));
  const insertAndFlush = async (...events: readonly object[]) => {
    const xactId = await stores.opened.insert('e', ...events);
    await stores.opened.store.flush();
    return xactId;
  };
  /** With `flushRows: 1`: does not ask the bucket to hurry. */
  const publish = async (...events: readonly object[]) => {
    const before = state().uploaded;
    await stores.opened.insert('e', ...events);
    await waitUntil('it is uploaded', () => state().uploaded > before);
  };

  it('are named by latest.json, with their size, checksum and last transaction', async () => {
    await open();
    const last = await insertAndFlush({ id: 'a' });
    await stores.opened.insert('e', { id: 'not flushed' });
    const found = await latest();
    const bytes = (await objects()).get(found.key)!;
    expect(found).to.include({ format: 1, bytes: bytes.length, crc32: crc32(bytes) });
    expect(found.transaction).to.equal(String(last));
    expect(Date.parse(found.time)).to.be.closeTo(Date.now(), 60_000);
    expect(found.store).to.equal(
      (JSON.parse(String((await objects()).get('owner.json'))) as { store: string }).store,
    );
    expect(state().copiedAt).to.be.closeTo(Date.now(), 60_000);
  });

  it('are made after their time, if the database was written to, and the last three stay', async () => {
    await open({ flushRows: 1, compaction: { fanOut: 100 } });
    await waitUntil('the first copy', () => state().copiedAt !== null);
    service().plant(noFault);
    await publish({ id: 'a' });
    await publish({ id: 'b' });
    expect(asked(/^PUT .*latest/)).to.deep.equal([]);
    await close();
    await open({ flushRows: 1, bucketTimes: { ...soon, copyMs: 1 }, compaction: { fanOut: 100 } });
    for (const id of ['c', 'd', 'e', 'f']) {
      const before = (await latest()).key;
      await publish({ id });
      await waitUntil('it is copied', async () => (await latest()).key !== before);
    }
    await stores.opened.store.flush();
    const before = await copies();
    expect(before)
      .to.have.length(3)
      .and.to.include((await latest()).key);
    await stores.opened.store.flush();
    expect(await copies(), 'nothing was written').to.deep.equal(before);
  });

  it('wait while a segment is damaged that is not there', async () => {
    await open({ compaction: { fanOut: 100 } });
    service().plant(({ method }) => (method === 'PUT' ? refusal(403, 'AccessDenied') : undefined));
    await insertAndFlush({ id: 'a' });
    const idx = [...(await segmentFilesIn(at())).keys()].find((key) => key.endsWith('.idx'));
    await rm(path.join(at(), idx!.replace('segments/', 'segments/project_id=')));
    service().plant(noFault);
    await insertAndFlush({ id: 'b' });
    await waitUntil('the other one is copied', () => state().uploaded === 1);
    await stores.opened.store.flush();
    await waitUntil('it is missed', () => /is missing or damaged/.test(state().failure ?? ''));
    expect(asked(/PUT .*manifest/)).to.deep.equal([]);
  });

  it('wait for a short time while a transaction is open that would hinder them', async () => {
    await open();
    await stores.opened.writer.use(async (connection) => {
      await connection.run(sql`BEGIN`);
      await connection.read(sql`SELECT count(*) FROM buffer_generation`);
      const last = await stores.opened.insert('e', { id: 'a' });
      const flushed = stores.opened.store.flush();
      await waitUntil('it is uploaded', () => state().uploaded === 1);
      await connection.run(sql`COMMIT`);
      await flushed;
      expect(state().failures).to.equal(0);
      expect((await latest()).transaction).to.equal(String(last));
    });
  });

  it('are not made by a server that another one took over from', async () => {
    await open();
    await insertAndFlush({ id: 'a' });
    await copyRunning(at(), at('copy'));
    const second = await openBucketStore(at('copy'), service(), stores.prefix);
    await second.store.flush();
    const before = await latest();
    await insertAndFlush({ id: 'b' });
    expect(
      await rejection(Promise.resolve().then(() => stores.opened.store.requireOwner())),
    ).to.include({
      status: 503,
    });
    expect(await latest()).to.deep.equal(before);
    await second.close();
  });

  it('are there before the objects leave that they do not list, and older ones go', async () => {
    await open({ compaction: { fanOut: 2 } });
    await insertAndFlush({ id: 'a' });
    const listed = stores.opened.store.uploaded[0]!.key.replace('.parquet', '');
    service().plant(({ method, url }) =>
      method === 'PUT' && url!.includes('latest') ? refusal(403, 'AccessDenied') : undefined,
    );
    await insertAndFlush({ id: 'b' });
    await waitUntil('it fails', () => state().failures > 0);
    expect(asked(/DELETE/).filter((each) => each.includes(listed))).to.deep.equal([]);
    expect(state().removing).to.be.above(0);
    service().plant(noFault);
    await waitUntil('it succeeds', () => state().failure === null);
    await stores.opened.store.flush();
    const order = asked(/PUT .*latest|DELETE/).map((each) =>
      each.replace(/^(\w+) .*(latest|manifest|segments).*/, '$1 $2'),
    );
    const distinct = order.filter((each, i) => each !== order[i - 1]);
    expect(distinct.slice(0, 3)).to.deep.equal([
      'PUT latest',
      'DELETE manifest',
      'DELETE segments',
    ]);
    expect(state().removing).to.equal(0);
  });

  it('have the rows whose later versions are only in a log', async () => {
    let isMerging = false;
    await open({
      compaction: { fanOut: 2 },
      hooks: {
        reached: async (step) => {
          if (!isMerging || step !== 'segment-written') return;
          isMerging = false;
          await stores.opened.insert('e', { id: 'a', input: 2 }, { id: 'c' });
        },
      },
    });
    await insertAndFlush({ id: 'a', input: 1 });
    await stores.opened.insert('e', { id: 'b', input: 3 });
    isMerging = true;
    await stores.opened.store.flush();
    expect(state().uploaded, 'merged').to.equal(1);
    expect(await stores.opened.live('e')).to.deep.equal({ a: 2, b: 3, c: null });
    await mkdir(at('restored'));
    const file = path.join(at('restored'), 'meta.duckdb');
    await writeFile(file, (await objects()).get((await latest()).key)!);
    await cp(path.join(at(), 'segments'), path.join(at('restored'), 'segments'), {
      recursive: true,
    });
    const writer = await Writer.open(file, { memoryMb: 256, threads: 1 });
    await withoutLogs(writer, at('restored'));
    await writer.close();
    const restored = await openStore(at('restored'), { flushRows: 1_000_000 });
    expect(await restored.live('e')).to.deep.equal({ a: 1, b: 3 });
    await restored.close();
    expect(await checkStore(at('restored'))).to.deep.equal([]);
  });

  it('are made at once for a removal of events, and no copy lists what was removed', async () => {
    await open({ compaction: { fanOut: 100 } });
    await insertAndFlush({ id: 'a', input: 'the secret' });
    await insertAndFlush({ id: 'b' });
    const before = await copies();
    const events = await eventsFile(stores.opened, at(), ['a'], 'e');
    await stores.opened.store.remove('project', events, new AbortController().signal);
    const after = [...(await objects()).entries()];
    expect(after.filter(([, bytes]) => bytes.includes('the secret'))).to.deep.equal([]);
    expect(await copies()).to.have.length(1);
    expect(before).to.not.include((await latest()).key);
  });
});
