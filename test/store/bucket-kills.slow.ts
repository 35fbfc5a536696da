// SIGKILL at every named moment of uploads, of evictions, of files that come back and of objects that are removed: what was answered is
// there, the directory is sound, and the bucket has the segments of the store and nothing else.
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import type { BucketPoint } from '../../src/store/file/sync-point.js';
import { bucketService, noFault } from '../support/bucket-service.js';
import { keysIn, openBucketStore } from '../support/bucket-store.js';
import { expectKept, runUntilKilled, type Acknowledged } from '../support/killed-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const rounds = 2;

/** How often the process comes to the step before it dies, in the first round. */
const points: Readonly<Record<BucketPoint, number>> = {
  'owner-known': 1,
  'object-stored': 2,
  'objects-stored': 1,
  'segment-uploaded': 1,
  'object-removed': 2,
  'objects-removed': 1,
  'eviction-begun': 1,
  'file-evicted': 1,
  'file-fetched': 1,
  'file-brought': 1,
  'manifest-copied': 2,
  'latest-written': 2,
};

/** Of keys below `segments/`. */
const segmentOf = (key: string): string => key.replace(/\.\w+$/, '');

describe('a store that is killed, whose segments are only in a bucket', () => {
  const service = bucketService();
  const directory = temporaryDirectory();

  for (const [step, times] of Object.entries(points))
    it(`has every acknowledged row after each of ${rounds} kills at the step ${step}`, async () => {
      service().plant(noFault);
      const bucket = { url: service().url, prefix: `killed-${step}` };
      const all: Acknowledged[] = [];
      for (let round = 1; round <= rounds; round++) {
        const given = { directory: directory(), first: round * 1_000_000, clients: 4, bucket };
        const isOfStart = step === 'owner-known';
        const dies = { step, times: isOfStart ? 1 : times * round };
        all.push(...(await runUntilKilled({ ...given, ...dies, flushes: true })));
        expect(await checkStore(directory()), `killed, round ${round}`).to.deep.equal([]);
        const opened = await openBucketStore(directory(), service(), bucket.prefix, {
          cacheBytes: 1,
        });
        await expectKept(opened, all);
        await opened.store.flush();
        const listed = opened.store.uploaded.map(({ key }) => segmentOf(key)).sort();
        const keys = await keysIn(service(), bucket.prefix);
        const there = keys.filter((key) => key.startsWith('segments/')).map(segmentOf);
        expect([...new Set(there)], `round ${round}`).to.deep.equal(listed);
        await opened.close();
        expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
      }
    });
});
