// Whatever a bucket does to uploads, tables, files that come back and objects that leave, the answers and the check are those of a store
// without a bucket; what a bucket refuses for a while refuses reads of what is only there, and nothing else.
import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { bucketService, noFault, refusal, type Fault } from '../support/bucket-service.js';
import { keysIn, openBucketStore } from '../support/bucket-store.js';
import { liveIds } from '../support/bucket-tables.js';
import { eventsFile } from '../support/events-file.js';
import { allRows, openStore, rowsOf, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';
import type { TableMetadata } from '../../src/store/iceberg/metadata.js';

type Operation = 'upload' | 'table' | 'fetch' | 'range' | 'removal';

function operationOf({ method, url = '', headers }: IncomingMessage): Operation | null {
  if (method === 'DELETE') return 'removal';
  if (url.includes('/iceberg/')) return method === 'PUT' ? 'table' : null;
  if (!url.includes('/segments/')) return null;
  if (method === 'PUT') return 'upload';
  return headers.range === undefined ? 'fetch' : 'range';
}

interface Planted {
  readonly fault: Fault;
  /** Until somebody notices; otherwise the first request alone. */
  readonly lasts?: boolean;
}

const faults: Readonly<Record<string, Planted>> = {
  'refuses for a while': { fault: refusal(403, 'AccessDenied'), lasts: true },
  'is unavailable for a while': { fault: refusal(503, 'ServiceUnavailable'), lasts: true },
  'is late': { fault: { delayMs: 200 } },
  'breaks off once': { fault: { cutAt: 10 } },
  'has a wrong bit once': { fault: { flipped: 10 } },
  'misses an object once': { fault: refusal(404, 'NoSuchKey') },
};

const options = {
  segments: { narrowRowsMin: 1 },
  compaction: { fanOut: 100 },
  flushRows: 1_000_000,
};

/** Runs `work` while one operation has a fault, for a store with a bucket. */
type During = <T>(operation: Operation, work: () => Promise<T>) => Promise<T>;

async function liveRows({ store }: TestStore) {
  const snapshot = await store.snapshot();
  const query = sql`SELECT id, input FROM ${rowsOf(snapshot, 'e')} ORDER BY id`;
  return allRows(snapshot, query).finally(() => snapshot.release());
}

async function found({ store }: TestStore) {
  const { signal } = new AbortController();
  const answer = await store.find('e', { by: 'id', values: ['b'] }, '', signal);
  return answer!.rows.map(({ id, input }) => ({ id, input }));
}

/** The fixed set of queries, between all that the store does with a bucket. */
async function answers(test: TestStore, directory: string, during: During) {
  const { store } = test;
  await during('upload', async () => {
    await test.insert(
      'e',
      { id: 'a', input: 'secret' },
      { id: 'b', input: { x: [1] } },
      { id: 'c' },
    );
    await store.flush();
  });
  await during('table', async () => {
    await test.insert('e', { id: 'c', _is_merge: true, input: 3 }, { id: 'd', input: 4 });
    await test.insert('e', { id: 'a', _object_delete: true });
    await store.flush();
  });
  const rows = await during('fetch', () => liveRows(test));
  await store.evict();
  const row = await during('range', () => found(test));
  const removed = await during('removal', async () => {
    const events = await eventsFile(test, directory, ['a', 'd'], 'e');
    return store.remove('project', events, new AbortController().signal);
  });
  await store.flush();
  return { rows, row, removed: removed.rows, left: await liveRows(test) };
}

describe('a store whose bucket fails', () => {
  const service = bucketService();
  const directory = temporaryDirectory();

  async function expected() {
    const data = path.join(directory(), 'plain');
    const plain = await openStore(data, options);
    const found = await answers(plain, data, (_, work) => work());
    await plain.close();
    expect(await checkStore(data)).to.deep.equal([]);
    expect(found.rows.map(([id]) => id)).to.deep.equal(['b', 'c', 'd']);
    expect(found.left.map(([id]) => id)).to.deep.equal(['b', 'c']);
    return found;
  }

  for (const [index, [what, { fault, lasts = false }]] of Object.entries(faults).entries())
    it(`answers as without it if it ${what}`, async () => {
      const prefix = `faults-${index}`;
      const data = path.join(directory(), prefix);
      service().plant(noFault);
      const tables = { isOn: true, isDeleted: () => false };
      const more = { ...options, cacheBytes: 1, tables };
      const test = await openBucketStore(data, service(), prefix, more);
      const state = () => test.store.stats().bucket!;
      const isDone = async () => {
        await test.store.flush();
        const { failure, pending } = state();
        return failure === null && pending.segments === 0;
      };
      const met = new Set<Operation>();
      const refused = new Set<Operation>();
      /** Also what began before the fault ended is refused. */
      const reading = async <T>(operation: Operation, work: () => Promise<T>): Promise<T> =>
        work().catch((error: unknown) => {
          if (!lasts || (error as { status?: number }).status !== 503) throw error;
          refused.add(operation);
          service().plant(noFault);
          return reading(operation, work);
        });
      const during: During = async (operation, work) => {
        const { failures } = state();
        service().plant((request) => {
          if (operationOf(request) !== operation || (met.has(operation) && !lasts))
            return undefined;
          met.add(operation);
          return fault;
        });
        const isRead = operation === 'fetch' || operation === 'range';
        const working = isRead ? reading(operation, work) : work();
        if (lasts && !isRead) {
          await waitUntil('the bucket fails', () => state().failures > failures);
          service().plant(noFault);
        }
        const result = await working;
        service().plant(noFault);
        await waitUntil('all is done', isDone);
        return result;
      };
      expect(await answers(test, data, during)).to.deep.equal(await expected());
      expect([...met]).to.deep.equal(['upload', 'table', 'fetch', 'range', 'removal']);
      expect([...refused]).to.deep.equal(lasts ? ['fetch', 'range'] : []);
      const { metadata } = (await test.store.table('project'))!;
      const ids = await liveIds(service(), JSON.parse(metadata) as TableMetadata);
      expect(ids).to.deep.equal(['b', 'c']);
      const listed = test.store.uploaded.map(({ key }) => key);
      const keys = (await keysIn(service(), prefix)).filter((key) =>
        /^segments.*parquet$/.test(key),
      );
      expect(keys).to.deep.equal(listed);
      await test.close();
      expect(await checkStore(data)).to.deep.equal([]);
    });
});
