// The tables of projects in a bucket: each snapshot has the live rows of one state, and what nothing needs leaves.
import { expect } from 'chai';
import { copyFile, cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TableMetadata } from '../../src/store/iceberg/metadata.js';
import type { TableSettings } from '../../src/store/iceberg/tables.js';
import {
  bucketStores,
  keysBesideCopies,
  keysIn,
  objectsIn,
  soon,
} from '../support/bucket-store.js';
import { noFault, refusal } from '../support/bucket-service.js';
import { liveIds, orphansOf } from '../support/bucket-tables.js';
import { eventsFile } from '../support/events-file.js';
import { openStore } from '../support/open-store.js';
import { waitUntil } from '../support/wait-until.js';

const on: TableSettings = { isOn: true, isDeleted: () => false };
const narrow = { segments: { narrowRowsMin: 1 } };
const never = new AbortController().signal;

describe('tables in a bucket', () => {
  const stores = bucketStores('tables', { ...narrow, tables: on });
  const { service, at, open, close } = stores;

  async function table({ store } = stores.opened): Promise<TableMetadata> {
    const found = (await store.table('project'))!;
    const key = found.location.replace(/^s3:\/\/\w+\//, '');
    expect(await readFile(service().fileOf(key), 'utf8')).to.equal(found.metadata);
    return JSON.parse(found.metadata) as TableMetadata;
  }
  const shown = async (index?: number) => liveIds(service(), await table(), index);
  const snapshots = async () => (await table()).snapshots.length;
  const segmentKeys = async () =>
    (await keysIn(service(), stores.prefix)).filter((key) => /^segments\/.*\.parquet$/.test(key));
  const folderOf = (name: string) => path.dirname(service().fileOf(`${name}/owner.json`));
  const failures = () => stores.opened.store.stats().bucket!.failures;

  /** All objects of tables are those that the snapshots need, and all segments in the bucket are theirs. */
  async function expectTidy(): Promise<void> {
    expect(await orphansOf(service(), stores.prefix, await table())).to.deep.equal([]);
  }

  it('have the live rows that are in segments, after merges and deletions', async () => {
    const test = await open({ compaction: { fanOut: 100 } });
    expect(await test.store.table('project')).to.equal(null);
    await test.insert('e', { id: 'a', input: 1 }, { id: 'b' }, { id: 'c' });
    await test.store.flush();
    expect(await shown()).to.deep.equal(['a', 'b', 'c']);
    await test.insert('e', { id: 'a', input: 2, _is_merge: true }, { id: 'd' });
    await test.insert('e', { id: 'b', _object_delete: true });
    // Buffered rows count with the next snapshot, and so does what they supersede.
    await waitUntil('nothing is flushed', () => test.store.stats().buffered.rows === 3);
    expect(await shown()).to.deep.equal(['a', 'b', 'c']);
    await test.store.flush();
    expect(await shown()).to.deep.equal(['a', 'c', 'd']);
    expect(await shown(0)).to.deep.equal(['a', 'b', 'c']);
    expect(Object.keys(await test.live('e'))).to.deep.equal(['a', 'c', 'd']);
    await expectTidy();
  });

  it('show a row until the row that supersedes it is in a segment', async () => {
    const waiting: (() => void)[] = [];
    const held = () => new Promise<void>((resolve) => waiting.push(resolve));
    const test = await open({
      flushRows: 1,
      compaction: { fanOut: 100 },
      bucketTimes: { ...soon, tableMs: 0 },
      hooks: { reached: (step) => (step === 'segment-written' ? held() : undefined) },
    });
    const flushOne = async () => {
      await waitUntil('a flush is held', () => waiting.length === 1);
      waiting.pop()!();
    };
    const segments = (count: number) =>
      waitUntil(`${count} segments are in the table`, async () => {
        const found = await test.store.table('project');
        if (found === null) return false;
        return test.store.uploaded.length === count && (await snapshots()) === count;
      });
    await test.insert('e', { id: 'x' });
    // Both versions are there before the first of them is flushed: its segment says that it is superseded.
    await test.insert('e', { id: 'a', input: 1 }, { id: 'b' });
    await test.insert('e', { id: 'a', input: 2 });
    await flushOne();
    await segments(1);
    expect(await shown()).to.deep.equal(['x']);
    await flushOne();
    await segments(2);
    expect(await shown()).to.deep.equal(['a', 'b', 'x']);
    await flushOne();
    await segments(3);
    expect(await shown()).to.deep.equal(['a', 'b', 'x']);
  });

  it('keep what merges replace as long as a snapshot has it', async () => {
    const test = await open({ compaction: { fanOut: 3 } });
    for (const id of ['a', 'b', 'c']) {
      await test.insert('e', { id });
      await test.store.flush();
    }
    expect(test.store.uploaded).to.have.length(1);
    expect((await segmentKeys()).length).to.be.above(1);
    expect(await shown(0)).to.deep.equal(['a']);
    expect(await shown()).to.deep.equal(['a', 'b', 'c']);
    await expectTidy();
    for (const id of ['d', 'e']) {
      await test.insert('e', { id });
      await test.store.flush();
    }
    expect(await snapshots()).to.equal(3);
    await expectTidy();
    expect(await segmentKeys()).to.have.length(3);
  });

  it('lose removed events at once, with all older snapshots', async () => {
    const test = await open({ compaction: { fanOut: 100 } });
    await test.insert('e', { id: 'a', input: 'the secret' }, { id: 'b' });
    await test.store.flush();
    await test.insert('e', { id: 'c', input: 'the secret' });
    await test.store.flush();
    await test.store.remove('project', await eventsFile(test, at(), ['a', 'c'], 'e'), never);
    const objects = [...(await objectsIn(service(), stores.prefix)).values()];
    expect(objects.filter((bytes) => bytes.includes('the secret'))).to.deep.equal([]);
    expect(await snapshots()).to.equal(1);
    expect(await shown()).to.deep.equal(['b']);
    await expectTidy();
  });

  it('go with their project', async () => {
    const test = await open();
    await test.insert('e', { id: 'a' });
    await test.store.flush();
    test.store.purge(['project']);
    await test.store.flush();
    expect(await test.store.table('project')).to.equal(null);
    expect(await keysBesideCopies(service(), stores.prefix)).to.deep.equal(['owner.json']);
  });

  it('show no rows of deleted objects', async () => {
    const deleted = new Set<string>();
    const test = await open({ tables: { ...on, isDeleted: (id) => deleted.has(id) } });
    await test.insert('e', { id: 'a' }, { id: 'b' });
    await test.insert('f', { id: 'c' });
    await test.store.flush();
    expect(await shown()).to.deep.equal(['a', 'b', 'c']);
    deleted.add('e');
    await test.insert('f', { id: 'd' });
    await test.store.flush();
    expect(await shown()).to.deep.equal(['c', 'd']);
  });

  it('follow the bucket when it answers again, and nothing else waits', async () => {
    const test = await open();
    service().plant(({ url = '', method }) =>
      method === 'PUT' && url.includes('/iceberg/') ? refusal(403, 'AccessDenied') : undefined,
    );
    await test.insert('e', { id: 'a' });
    await test.store.flush();
    await waitUntil('it failed', () => failures() > 0);
    expect(test.store.uploaded).to.have.length(1);
    expect(await test.store.table('project')).to.equal(null);
    service().plant(noFault);
    await waitUntil('there is a table', async () => (await test.store.table('project')) !== null);
    expect(await shown()).to.deep.equal(['a']);
    await expectTidy();
  });

  it('get a snapshot for several publications if these are close together', async () => {
    const test = await open({
      flushRows: 1,
      compaction: { fanOut: 100 },
      bucketTimes: { ...soon, tableMs: 2 ** 30 },
    });
    for (const id of ['a', 'b', 'c']) {
      await test.insert('e', { id });
      await waitUntil('it is uploaded', () =>
        test.store.uploaded.some(
          ({ segment }) => segment.lastXactId === test.store.identity(['e'], null).version,
        ),
      );
    }
    await waitUntil('there is a table', async () => (await test.store.table('project')) !== null);
    expect(await snapshots()).to.equal(1);
    await test.store.flush();
    expect(await snapshots()).to.equal(2);
    expect(await shown()).to.deep.equal(['a', 'b', 'c']);
  });

  it('go on after a restart, which removes what a killed process left', async () => {
    await open();
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    const before = await table();
    await close();
    const stray = service().fileOf(`${stores.prefix}/iceberg/project/1-data.avro`);
    const own = service().fileOf(`${stores.prefix}/owner.json`);
    for (const ending of ['', '.md5']) await copyFile(own + ending, stray + ending);
    const [ownMetadata, strayMetadata] = [own, stray].map((file) =>
      file.replace('object', 'metadata.json'),
    );
    await copyFile(ownMetadata!, strayMetadata!);
    expect(await keysIn(service(), stores.prefix)).to.include('iceberg/project/1-data.avro');
    await open();
    await stores.opened.store.flush();
    expect(await table()).to.deep.equal(before);
    await expectTidy();
    await stores.opened.insert('e', { id: 'b' });
    await stores.opened.store.flush();
    const { 'table-uuid': uuid, 'last-sequence-number': number } = await table();
    expect([uuid, number]).to.deep.equal([
      before['table-uuid'],
      before['last-sequence-number'] + 1,
    ]);
    expect(await shown()).to.deep.equal(['a', 'b']);
    expect(await shown(0)).to.deep.equal(['a']);
  });

  it('begin anew in a copy of the bucket', async () => {
    await open();
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    const before = await table();
    await close();
    await cp(folderOf(stores.prefix), folderOf(`${stores.prefix}-copy`), { recursive: true });
    stores.prefix += '-copy';
    await open();
    await stores.opened.store.flush();
    expect((await table())['table-uuid']).not.to.equal(before['table-uuid']);
    expect(await snapshots()).to.equal(1);
    expect(await shown()).to.deep.equal(['a']);
  });

  it('leave the bucket when they are turned off', async () => {
    await open();
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    await close();
    await open({ tables: { ...on, isOn: false } });
    await stores.opened.store.flush();
    expect(await stores.opened.store.table('project')).to.equal(null);
    expect(
      (await keysIn(service(), stores.prefix)).filter((key) => key.startsWith('iceberg')),
    ).to.deep.equal([]);
  });

  it('are not there without a bucket', async () => {
    stores.opened = await openStore(at(), { tables: on });
    await stores.opened.insert('e', { id: 'a' });
    await stores.opened.store.flush();
    expect(await stores.opened.store.table('project')).to.equal(null);
  });
});
