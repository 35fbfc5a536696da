// SIGKILL in each step of a publication of a table: after a restart its newest snapshot has the live rows, and no object is left over.
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import type { TableMetadata } from '../../src/store/iceberg/metadata.js';
import { bucketService, noFault, type Fault } from '../support/bucket-service.js';
import { openBucketStore } from '../support/bucket-store.js';
import { liveIds, orphansOf } from '../support/bucket-tables.js';
import { expectKept, runUntilKilled, type Acknowledged } from '../support/killed-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const rounds = 2;

interface Step {
  readonly request: RegExp;
  /** Before the object is stored or removed, unless the answer alone is lost. */
  readonly fault: Fault;
}

const answerLost: Fault = { cutAt: 0 };

const steps: Readonly<Record<string, Step>> = {
  'a file of dead rows': { request: /^PUT .*\.deletes\.parquet/, fault: 'silence' },
  'the list of data files': { request: /^PUT .*-data\.avro/, fault: 'silence' },
  'the list of files of dead rows': { request: /^PUT .*-deletes\.avro/, fault: 'silence' },
  'the list of lists': { request: /^PUT .*-snapshot\.avro/, fault: 'silence' },
  'the metadata': { request: /^PUT .*\.metadata\.json/, fault: 'silence' },
  'the entry in the manifest': { request: /^PUT .*\.metadata\.json/, fault: answerLost },
  'the removal of what no snapshot needs': { request: /^DELETE .*\/iceberg\//, fault: 'silence' },
};

describe('the table of a store that is killed', () => {
  const service = bucketService();
  const directory = temporaryDirectory();

  for (const [index, [what, { request: meant, fault }]] of Object.entries(steps).entries())
    it(`has the live rows after each of ${rounds} kills before ${what}`, async () => {
      const bucket = { url: service().url, prefix: `tables-${index}`, hasTables: true };
      const all: Acknowledged[] = [];
      for (let round = 1; round <= rounds; round++) {
        let left = round;
        service().plant(({ method, url }) =>
          meant.test(`${method} ${url}`) && --left <= 0 ? fault : undefined,
        );
        const given = { directory: directory(), first: round * 1_000_000, clients: 4, bucket };
        all.push(...(await runUntilKilled({ ...given, flushes: true }, () => left <= 0)));
        service().plant(noFault);
        expect(await checkStore(directory()), `killed, round ${round}`).to.deep.equal([]);
        const tables = { isOn: true, isDeleted: () => false };
        const options = { cacheBytes: 1, tables };
        const opened = await openBucketStore(directory(), service(), bucket.prefix, options);
        await opened.store.flush();
        await expectKept(opened, all);
        const { metadata } = (await opened.store.table('project'))!;
        const table = JSON.parse(metadata) as TableMetadata;
        const live = Object.keys(await opened.live('e')).sort();
        expect(await liveIds(service(), table), `round ${round}`).to.deep.equal(live);
        expect(await orphansOf(service(), bucket.prefix, table)).to.deep.equal([]);
        await opened.close();
        expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
      }
    });
});
