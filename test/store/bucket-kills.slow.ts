// SIGKILL at every named moment of uploads, of evictions, of files that come back and of objects that are removed: what was answered is
// there, the directory is sound, and the bucket has the segments of the store and nothing else. A restore from the bucket has what its
// newest copy of the manifest promises.
import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { latestKey } from '../../src/store/bucket/latest-copy.js';
import { checkStore } from '../../src/store/check/check-store.js';
import type { BucketPoint } from '../../src/store/file/sync-point.js';
import { bucketService, noFault } from '../support/bucket-service.js';
import { keysIn, openBucketStore } from '../support/bucket-store.js';
import { runHere } from '../support/command-line.js';
import { expectKept, runUntilKilled, type Acknowledged } from '../support/killed-store.js';
import { openStore } from '../support/open-store.js';
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

  /** As after the loss of the volume. */
  async function expectRestored(prefix: string, answered: readonly Acknowledged[]): Promise<void> {
    if (!(await keysIn(service(), prefix)).includes(latestKey)) return;
    const to = `${directory()}-restored`;
    const words = ['restore', `s3://evals/${prefix}`, to];
    const { status, stdout, stderr } = await runHere(words, service().environment);
    expect(status, stdout + stderr).to.equal(0);
    const [, last = ''] = /^restored transaction (\d+)/.exec(stdout) ?? [];
    const promised = answered.filter(({ xactId }) => xactId <= BigInt(last));
    const opened = await openStore(to);
    await expectKept(opened, promised);
    await opened.close();
    expect(await checkStore(to)).to.deep.equal([]);
    await rm(to, { recursive: true });
  }

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
        await expectRestored(bucket.prefix, all);
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
