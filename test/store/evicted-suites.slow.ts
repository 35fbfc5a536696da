// The tests of reads pass when every segment is only in the bucket before each read (`support/evicted-segments`).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { bucketService, noFault } from '../support/bucket-service.js';

/**
 * By folder. Left out are tests of reads that look at what is on the disk (`row-cache`, `kept-history`, `segments`, `discards`,
 * `query-explain`), that hold the background work meanwhile (`reload`), whose rows are in the log by intention (`first-rows`), or that take
 * minutes here (`fetch-walk`, `query-pages`).
 */
const suites = {
  store:
    'newest-reads point-reads snapshot row-chunks superseded-rows history counted pruning objects-in-segment many-objects row-groups',
  spec: 'query-clauses query-formats query-hash query-json query-versions summaries sums absent-paths dataset-versions stored-rows',
  fuzz: 'queries spellings model/differential',
};

const files = Object.entries(suites).flatMap(([folder, names]) =>
  names.split(' ').map((name) => `dist/test/${folder}/${name}.test.js`),
);

const mocha = 'node_modules/mocha/bin/mocha.js --no-config --timeout 300000'.split(' ');
const command = [...mocha, '--require', 'dist/test/support/property-seed.js'];

describe('with segments that are only in the bucket', () => {
  const service = bucketService();

  it('all tests of reads pass', async () => {
    service().plant(noFault);
    const child = spawn(process.execPath, [...command, ...files], {
      env: { ...process.env, EVALSTORE_TEST_BUCKET: service().url },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code, output).to.equal(0);
    const fetched = service()
      .requests()
      .filter((request) => request.startsWith('GET') && request.includes('/segments/'));
    expect(fetched.length).to.be.above(300);
  });
});
