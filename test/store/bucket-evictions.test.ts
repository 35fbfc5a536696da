// Files of segments that are only in the bucket: they come back when a statement needs them, parts of them are read where they are, and
// what fails is said in words.
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withSource } from '../../src/cli/backup/source-files.js';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { noFault, refusal, type Plant } from '../support/bucket-service.js';
import { bucketStores, objectsIn, segmentFilesIn } from '../support/bucket-store.js';
import { allRows, openStore, rowsOf } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';

const narrow = { segments: { narrowRowsMin: 1 } };

const reading = (method: string, fault: ReturnType<Plant>, times = Infinity): Plant => {
  let left = times;
  return (request) =>
    request.method === method && request.url!.includes('/segments/') && left-- > 0
      ? fault
      : undefined;
};

const rowsIn = (snapshot: Snapshot) =>
  allRows(snapshot, sql`SELECT id, input FROM ${rowsOf(snapshot, 'e')} ORDER BY id`);

describe('segments that are only in the bucket', () => {
  const stores = bucketStores('evicted', { ...narrow, cacheBytes: 1 });
  const { service, at, open, close } = stores;
  const endings = async () =>
    [...(await segmentFilesIn(at())).keys()].map((key) => path.extname(key)).sort();
  const ids = async () => {
    const snapshot = await stores.opened.store.snapshot();
    return rowsIn(snapshot).finally(() => snapshot.release());
  };
  const found = async (objectId: string, id: string) => {
    const { signal } = new AbortController();
    return (await stores.opened.store.find(objectId, { by: 'id', values: [id] }, '', signal))!.rows;
  };
  const rows = [
    ['a', '1'],
    ['b', '"x"'],
  ];

  beforeEach(async () => {
    await open();
    await stores.opened.insert('e', { id: 'a', input: 1 }, { id: 'b', input: 'x' });
    await stores.opened.store.flush();
  });

  it('leave the disk but for the index, and come back for as long as they are read', async () => {
    expect(await endings()).to.deep.equal(['.groups', '.ids', '.idx']);
    const before = service().requests().length;
    const snapshot = await stores.opened.store.snapshot();
    expect(await rowsIn(snapshot)).to.deep.equal(rows);
    await stores.opened.store.flush();
    expect(await endings()).to.include('.parquet');
    await snapshot.release();
    expect(service().requests().slice(before).join()).to.match(/GET \S+\.parquet/);
    expect(await ids()).to.deep.equal(rows);
  });

  it('count by their bytes, until they are back, for the choice of a cluster', async () => {
    const sizes = await objectsIn(service(), stores.prefix);
    const expected = [...sizes]
      .filter(([key]) => /^segments\/.*\.(parquet|narrow|ended)$/.test(key))
      .reduce((sum, [, content]) => sum + content.length, 0);
    const snapshot = await stores.opened.store.snapshot();
    expect(snapshot.evictedBytes(['e']))
      .to.equal(expected)
      .and.above(1000);
    expect(snapshot.evictedBytes(['other'])).to.equal(0);
    await rowsIn(snapshot);
    expect(snapshot.evictedBytes(['e'])).to.be.below(expected);
    await snapshot.release();
  });

  it('show whether an insert has an event that is there', async () => {
    const events = ['c', 'd', 'e', 'f'].map((id) => ({ id, root_span_id: `t ${id}` }));
    await stores.opened.insert('many', ...events);
    await stores.opened.store.flush();
    await stores.opened.insert('many', { id: 'd', _object_delete: true });
    expect(Object.keys(await stores.opened.live('many'))).to.deep.equal(['c', 'e', 'f']);
  });

  it('are inputs of merges, of removals and of merged inserts', async () => {
    await close();
    await open({ compaction: { fanOut: 2 } });
    await stores.opened.insert('e', { id: 'a', _is_merge: true, input: 3 });
    await stores.opened.store.flush();
    expect(await ids()).to.deep.equal([['a', '3'], rows[1]]);
    expect(stores.opened.store.stats().projects.get('project')!.segments).to.equal(1);
    await stores.opened.store.flush();
    await close();
    expect(await checkStore(at())).to.deep.equal([]);
    const evicted: string[] = [];
    await checkStore(at(), undefined, (file) => evicted.push(file));
    expect(evicted.join()).to.match(/^segments\/project_id=project\/\d+\.\w+/);
    const backup = await rejection(withSource(at(), () => Promise.resolve()));
    expect(backup.message).to.equal(
      'files of segments are only in the bucket of EVALSTORE_BUCKET, which a backup does not read: take a snapshot of the volume instead',
    );
    const error = await rejection(openStore(at()));
    expect(error.message).to.equal(
      'the files of 1 segments are only in the bucket: EVALSTORE_BUCKET has to name it',
    );
    await open();
  });

  it('cost a row a few ranges, which are verified', async () => {
    const events = Array.from({ length: 20_000 }, (_, at) => ({
      id: `row ${at}`,
      input: { question: `${at}`.repeat(40), seed: at * 7919 },
    }));
    await stores.opened.insert('wide', ...events);
    await stores.opened.store.flush();
    service().plant(noFault);
    const first = await found('wide', 'row 777');
    expect(first[0]!.id).to.equal('row 777');
    expect(service().requests()).to.have.length(1);
    expect(service().moved()).to.be.within(1000, 2 ** 20);
    service().plant(reading('GET', { flipped: 500 }, 1));
    expect(await found('wide', 'row 777')).to.deep.equal(first);
    expect(service().requests()).to.have.length(2);
    service().plant(reading('GET', { flipped: 500 }));
    expect((await rejection(found('wide', 'row 777'))).message).to.match(/is missing or damaged$/);
    service().plant(reading('GET', refusal(403, 'AccessDenied')));
    expect((await rejection(found('wide', 'row 777'))).message).to.match(
      /is only in the bucket, which cannot be read/,
    );
    service().plant(noFault);
    expect(await endings()).to.not.include('.parquet');
  });

  it('are missed with a reason if the bucket fails, and read again after that', async () => {
    const damages: unknown[] = [];
    await close();
    await open({ hooks: { damaged: (damage) => damages.push(damage) } });
    service().plant(reading('GET', refusal(403, 'AccessDenied')));
    const down = await rejection(ids());
    expect(down).to.include({ status: 503 });
    expect(down.message).to.match(
      /^s3:\/\/evals\/evicted-\d+\/segments\/project\/\d+\.\w+ is only in the bucket, which cannot be read: try again later$/,
    );
    expect(damages).to.deep.equal([]);
    service().plant(reading('GET', refusal(404, 'NoSuchKey')));
    expect((await rejection(ids())).message).to.match(/is missing or damaged$/);
    expect(JSON.stringify(damages)).to.match(/it is neither here nor in s3:/);
    service().plant(reading('GET', { flipped: 7 }));
    expect((await rejection(ids())).message).to.match(/is missing or damaged$/);
    service().plant(noFault);
    expect(await ids()).to.deep.equal(rows);
  });

  it('are refused to a query that would fetch too much', async () => {
    await close();
    await open({ fetchBytes: 1000 });
    const error = await rejection(ids());
    expect(error).to.include({ status: 400 });
    expect(error.message).to.match(
      /^the query reads 0.0 MB that are only in the bucket \(EVALSTORE_FETCH_GB\): narrow it with a filter on created$/,
    );
  });

  it('are fetched as a whole if what was kept of the row file is damaged', async () => {
    const [groups = ''] = [...(await segmentFilesIn(at())).keys()];
    const file = path.join(at(), groups.replace('segments/', 'segments/project_id='));
    expect(existsSync(file)).to.equal(true);
    const content = await readFile(file);
    content[20]! ^= 1;
    await writeFile(file, content);
    expect(await found('e', 'a')).to.have.length(1);
    await stores.opened.store.flush();
    await rm(file);
    expect(await found('e', 'a')).to.have.length(1);
  });

  it('leave only as far as the limit says, row files first', async () => {
    await close();
    await open({ cacheBytes: 10_000_000 });
    expect(await ids()).to.deep.equal(rows);
    await stores.opened.store.flush();
    expect(await endings()).to.include('.parquet');
    const files = await segmentFilesIn(at());
    const size = [...files]
      .filter(([key]) => !key.endsWith('.groups'))
      .reduce((sum, [, { length }]) => sum + length, 0);
    await close();
    await open({ cacheBytes: size - 1 });
    await stores.opened.store.flush();
    expect(await endings()).to.not.include('.parquet');
  });
});
